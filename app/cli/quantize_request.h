// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/cli/input_options.h"
#include "app/cli/save.h"
#include "core/quant/modes.h"

#include <functional>

namespace app {

/// The options of `quantize`.
struct QuantizeRequest {
    SaveRequest save;                             ///< the output
    std::string backend = "x86", mode = "static"; ///< names of backend and mode
    std::string qconfig;                          ///< a file, or the JSON itself; empty: the mode's default
    std::string backendConfig = "native";         ///< selects patterns to fuse and observe
    bool prepared = false, reference = false;     ///< other forms than converted
    bool scan = false;                            ///< measure the error that each layer alone causes
    std::string resume;                           ///< store the scan in this file and continue it
    std::optional<double> errorBudget; ///< minimum SQNR of the output in dB, for which layers stay in floating point
    std::string report, show;          ///< a file; a format of --show
    std::vector<std::string> trained;  ///< the state dict of the prepared model after training, or empty
    RunOptions inputs;                 ///< inputs of calibration

    bool scans() const { return scan || !resume.empty() || errorBudget; } ///< True if the layers are scanned.
};

/// Calls `read`, which parses --qconfig. Turns errors in JSON that is given as text into usage errors.
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

/// The SQNR in dB below which a layer counts as losing accuracy.
inline double leastSqnr(const QuantizeRequest& request) { return request.errorBudget.value_or(20); }

/// The result of `quantize`.
struct QuantizeAnswer {
    const fx::GraphModule& model;           ///< the quantised model
    const fx::Warnings& warnings;           ///< of the run
    std::string summary;                    ///< text for the user
    bool written = false, verified = false; ///< a file was written, and compared with the model
};

/// Writes --report, and prints the result as JSON (`members` writes the first members), as --show requests, or as
/// `summary`. Returns the exit code.
int answerQuantize(Session& session, const QuantizeRequest& request, const QuantizeAnswer& answer,
                   const std::function<void(fx::JsonWriter&)>& members);

} // namespace app
