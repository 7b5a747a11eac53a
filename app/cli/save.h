// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/cli/file_options.h"
#include "app/cli/input_options.h"
#include "app/cli/session.h"
#include "core/inputs/batches.h"
#include "core/model_files/project/project.h"

#include <optional>

namespace app {

/// The output options of a verb that creates a model.
struct SaveRequest {
    std::string model;              ///< the source of the model, as the user wrote it
    std::string output;             ///< the path; empty: none
    bool noVerify = false;          ///< do not read the file back
    RunOptions inputs;              ///< for .ts, whose inputs have types, and which is run before it replaces a file
    bool takesInputs = false;       ///< the verb has --inputs
    std::optional<fx::Batch> batch; ///< input values; take precedence over `inputs`
    bool takesQuantized = false;    ///< no floating-point inputs fit the model
    std::optional<fx::Project> project; ///< the history of the model for .lancet; nullopt: it was not created by steps

    /// Adds the options to a verb. `what` says if the output may replace the source model.
    void declare(CLI::App& cli, Writes what = Writes::ChangedModel);
};

/// Throws Error{Usage} or Error{Refused} if `output` has no format that can be written. Call it before any work.
void checkOutput(const std::string& output);

/// Writes the model in the format of the extension, and reads it back. Returns true if both are equal; false if
/// --no-verify was given. Throws Error{Refused} if it cannot be written or reads differently.
bool saveModel(Session& session, const fx::GraphModule& module, const SaveRequest& request);

/// Returns the content of a `.py` file.
std::string sourceText(const fx::GraphModule& module, const std::string& model);

} // namespace app
