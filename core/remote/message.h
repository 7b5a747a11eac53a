// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/error.h"
#include "core/inputs/input_spec.h"
#include "core/io/values/value_tree.h"
#include "core/json/json_document.h"
#include "core/remote/model_ref.h"
#include "core/remote/tree_json.h"

#include <functional>
#include <variant>

namespace fx::remote {

/// An input that the worker draws: `--input x=1x3x224x224:float32`. Those from files must have been read
/// (`readInputFiles`).
using RandomInput = InputSpec;

/// Run a model once.
struct RunRequest {
    ModelRef model;
    /// Given: a tensor, a tuple or list of positional inputs, or a dict by name. Else drawn.
    std::optional<ValueTree> inputs;
    std::vector<RandomInput> random;
    std::uint64_t seed = 0;
    int threads = 0; ///< 0: as LibTorch chooses
    bool anyGuess =
        false; ///< inputs that are not given are guessed even when a size must be made up (InputGuess::isSafe)
};

struct RunResult {
    ValueTree output;
    double millis = 0; ///< of the graph alone, without opening the model
    std::vector<std::string>
        guessed; ///< inputs that were guessed and why: "x: 1×784 float32, normal (fc (Linear) takes 784 features)"
    Warnings warnings = {}; ///< of opening the model
};

/// `local`: the worker sees the same files, so tensors in files are named by their place. `verb`: "run", "run_script"
/// for a TorchScript file, or another verb that runs models, whose own members `more` writes.
Frame toFrame(const RunRequest& request, std::uint32_t number, bool local, std::string_view verb = "run",
              const std::function<void(JsonWriter& json, Frame& frame)>& more = {});
RunRequest runRequest(const Frame& frame);
Frame toFrame(const RunResult& result, std::uint32_t number);
RunResult runResult(const Frame& frame);

Frame toFrame(const Error& error, std::uint32_t number);
Error errorOf(const Frame& frame);

/// The verb of a request: "run", "fault".
std::string verbOf(const Frame& frame);

} // namespace fx::remote
