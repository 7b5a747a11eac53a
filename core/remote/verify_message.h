// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/remote/message.h"
#include "core/remote/verify_report.h"

#include <chrono>

namespace fx::remote {

class WorkerClient;

/// Run two models on the same inputs and compare; see `fx::engine::verify`.
struct VerifyRequest {
    RunRequest
        run; ///< `run.model` is A, the original; the inputs are named as A names them, and given to B by position
    ModelRef other; ///< B
    Tolerances tolerances;
};

/// `verb`: "verify" or "probe".
Frame toFrame(const VerifyRequest& request, std::uint32_t number, bool local, std::string_view verb = "verify");
VerifyRequest verifyRequest(const Frame& frame);
void writeDifference(JsonWriter& json, const ValueDifference& value);
ValueDifference readDifference(JsonValue value);
Frame toFrame(const VerifyReport& report, std::uint32_t number);
VerifyReport verifyReport(const Frame& frame);

/// Asks the worker. Errors as those of `WorkerClient::run`; which model could not be run is in `side`.
VerifyReport verify(WorkerClient& worker, const VerifyRequest& request, std::chrono::milliseconds timeout = {},
                    const Progress& progress = {});

/// Tries further when `verify` found Inconclusive: other seeds, inputs of another scale, and a copy of both models with
/// re-scaled weights; stops at the first difference that the models' own weights show. Takes several times as long as
/// `verify`; reports its progress ("inputs ×100", from 0 to 1) and can be cancelled. Give the result to `addProbes`.
/// Errors as above; a single trial that cannot be run is a probe with a reason.
std::vector<Probe> probe(WorkerClient& worker, const VerifyRequest& request, std::chrono::milliseconds timeout = {},
                         const Progress& progress = {});
Frame toFrame(const std::vector<Probe>& probes, std::uint32_t number);
std::vector<Probe> probesOf(const Frame& frame);

} // namespace fx::remote
