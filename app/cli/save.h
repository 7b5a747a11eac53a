// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/cli/file_options.h"
#include "app/cli/input_options.h"
#include "app/cli/session.h"
#include "core/inputs/batches.h"
#include "core/model_files/project/project.h"

#include <optional>

namespace app {

/// What a verb that makes a model writes, and how.
struct SaveRequest {
    std::string model; ///< where it came from, as the user named it
    std::string output;
    bool noVerify = false;
    RunOptions inputs;              ///< for .ts, whose inputs have types, and which is run before it replaces a file
    bool takesInputs = false;       ///< the verb has --inputs
    std::optional<fx::Batch> batch; ///< the same as values, before `inputs`
    bool takesQuantized = false;    ///< no inputs in floating point fit the model
    std::optional<fx::Project> project; ///< how the model came about, for .lancet; none: by something else than steps

    /// `what`: whether the output may take the place of the model that it was made of.
    void declare(CLI::App& cli, Writes what = Writes::ChangedModel);
};

/// Throws Error{Usage} or Error{Refused} when `output` names no format that can be written: before any work is done.
void checkOutput(const std::string& output);

/// Writes the model in the format that the extension names, and reads it back. True when what was read is the same;
/// false when that was not asked for. Throws Error{Refused} when it cannot be written or reads differently.
bool saveModel(Session& session, const fx::GraphModule& module, const SaveRequest& request);

/// What a `.py` file gets.
std::string sourceText(const fx::GraphModule& module, const std::string& model);

} // namespace app
