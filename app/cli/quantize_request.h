// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/cli/input_options.h"
#include "app/cli/save.h"
#include "core/quant/modes.h"

#include <functional>

namespace app {

/// What `quantize` was asked for.
struct QuantizeRequest {
    SaveRequest save;
    std::string backend = "x86", mode = "static";
    std::string qconfig;                  ///< a file, or the JSON itself; empty: the mode's default
    std::string backendConfig = "native"; ///< what is fused and observed
    bool prepared = false, reference = false;
    bool scan = false;                 ///< measures what each layer alone costs
    std::string resume;                ///< keeps the scan in this file and continues it
    std::optional<double> errorBudget; ///< least SQNR of the output in dB: layers are left in floating point for it
    std::string report, show;
    std::string trained; ///< the state dict of the prepared model after training, or empty
    RunOptions inputs;

    bool scans() const { return scan || !resume.empty() || errorBudget; }
};

/// What `read` makes of --qconfig. Errors in JSON that is given as text are errors of the command line.
template<class Read> auto readRules(const QuantizeRequest& request, const Read& read) {
    try {
        return read();
    } catch (const fx::Error& error) {
        if (error.kind() != fx::ErrorKind::File || !fx::quant::isJsonText(request.qconfig)) throw;
        fx::Error usage(fx::ErrorKind::Usage, error.message());
        usage.hint = error.hint, usage.commandLineHint = error.commandLineHint;
        throw usage.at("--qconfig" + (error.where.empty() ? std::string() : ", " + error.where));
    }
}

/// The SQNR in dB below which a layer counts as losing.
inline double leastSqnr(const QuantizeRequest& request) { return request.errorBudget.value_or(20); }

/// What `quantize` made, and how its result ends.
struct QuantizeAnswer {
    const fx::GraphModule& model;
    const fx::Warnings& warnings;
    std::string summary;
    bool written = false, verified = false;
};

/// Writes --report, and prints the result as JSON (`members` writes what comes first), as --show asks, or `summary`.
/// Returns the exit code.
int answerQuantize(Session& session, const QuantizeRequest& request, const QuantizeAnswer& answer,
                   const std::function<void(fx::JsonWriter&)>& members);

} // namespace app
