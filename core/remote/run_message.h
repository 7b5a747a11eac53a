// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/error.h"
#include "core/inputs/input_spec.h"
#include "core/io/values/value_tree.h"
#include "core/json/json_document.h"
#include "core/remote/model_ref.h"
#include "core/remote/tree_json.h"

#include <functional>

namespace fx::remote {

/// An input that the worker generates: `--input x=1x3x224x224:float32`. Inputs from files must be read first
/// (`readInputFiles`).
using RandomInput = InputSpec;

/// A request to run a model once.
struct RunRequest {
    ModelRef model;
    /// A tensor, a tuple or list of positional inputs, or a dict by name. Unset for random inputs.
    std::optional<ValueTree> inputs;
    std::vector<RandomInput> random;
    std::uint64_t seed = 0;
    int threads = 0;       ///< 0 for LibTorch's default
    bool anyGuess = false; ///< guess missing inputs even if a size must be assumed (`InputGuess::isSafe`)
};

/// The result of running a model.
struct RunResult {
    ValueTree output;
    double millis = 0; ///< of the graph alone, without opening the model
    /// Guessed inputs with the reason: "x: 1×784 float32, normal (fc (Linear) takes 784 features)".
    std::vector<std::string> guessed;
    Warnings warnings = {}; ///< from opening the model, and of its mode
    std::string mode = {};  ///< "train" or "eval"; empty for a script that runs without a graph
};

/// Encodes the request. `local`: the worker sees the same files, so tensors in files are sent as file positions.
/// `verb`: "run", "run_script" for a TorchScript file, or another verb that runs models; `more` writes the members of
/// that verb.
Frame toFrame(const RunRequest& request, std::uint32_t number, bool local, std::string_view verb = "run",
              const std::function<void(JsonWriter& json, Frame& frame)>& more = {});
/// Decodes the request. Throws Error for invalid messages.
RunRequest runRequest(const Frame& frame);
/// Encodes the result.
Frame toFrame(const RunResult& result, std::uint32_t number);
/// Decodes the result. Throws Error for invalid messages.
RunResult runResult(const Frame& frame);

/// Encodes an error as a frame of kind Error.
Frame toFrame(const Error& error, std::uint32_t number);
/// Decodes such a frame.
Error errorOf(const Frame& frame);

/// Returns the verb of a request: "run", "fault".
std::string verbOf(const Frame& frame);

} // namespace fx::remote
