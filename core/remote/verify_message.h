// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/remote/run_message.h"
#include "core/remote/verify_report.h"

#include <chrono>

namespace fx::remote {

class WorkerClient;

/// A request to run two models on the same inputs and compare them; see `fx::engine::verify`.
struct VerifyRequest {
    /// `run.model` is A, the original. Inputs have the names of A and are given to B by position.
    RunRequest run;
    ModelRef other; ///< B
    Tolerances tolerances;
    double searchSeconds = 0;     ///< seconds for further inputs; 0 for as long as they are likely to help
    std::int64_t searchRound = 0; ///< each round draws different further inputs
};

/// Encodes the request. `verb`: "verify" or "probe". `local`: see `toFrame(RunRequest)`.
Frame toFrame(const VerifyRequest& request, std::uint32_t number, bool local, std::string_view verb = "verify");
/// Decodes the request. Throws Error for invalid messages.
VerifyRequest verifyRequest(const Frame& frame);
/// Encodes the result.
Frame toFrame(const VerifyReport& report, std::uint32_t number);
/// Decodes the result. Throws Error for invalid messages.
VerifyReport verifyReport(const Frame& frame);

/// Sends the request to the worker and waits. Throws like `WorkerClient::run`; `Error::side` names the model that
/// failed.
VerifyReport verify(WorkerClient& worker, const VerifyRequest& request, std::chrono::milliseconds timeout = {},
                    const Progress& progress = {});

/// Probes models for which `verify` returned Inconclusive: with other seeds, inputs of another scale, and copies of
/// both models with re-scaled weights. Stops at the first difference that the models' own weights show. Takes several
/// times as long as `verify`; reports progress ("inputs ×100", from 0 to 1). Pass the result to `addProbes`. Throws
/// like `verify`; a single trial that cannot run becomes a probe with a reason.
std::vector<Probe> probe(WorkerClient& worker, const VerifyRequest& request, std::chrono::milliseconds timeout = {},
                         const Progress& progress = {});
/// Encodes the probes.
Frame toFrame(const std::vector<Probe>& probes, std::uint32_t number);
/// Decodes the probes. Throws Error for invalid messages.
std::vector<Probe> probesOf(const Frame& frame);

} // namespace fx::remote
