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

/// An input created by the worker: `--input x=1x3x224x224:float32`. Inputs from files must have been read
/// (`readInputFiles`).
using RandomInput = InputSpec;

/// A request to run a model once.
struct RunRequest {
    ModelRef model;
    /// If set: a tensor, a tuple or list of positional inputs, or a dict by name. Otherwise inputs are random.
    std::optional<ValueTree> inputs;
    std::vector<RandomInput> random;
    std::uint64_t seed = 0;
    int threads = 0;       ///< 0 for LibTorch's default
    bool anyGuess = false; ///< guess missing inputs even if a size must be assumed (InputGuess::isSafe)
};

/// What running a model gave.
struct RunResult {
    ValueTree output;
    double millis = 0; ///< for the graph alone, without opening the model
    std::vector<std::string>
        guessed; ///< guessed inputs with the reason: "x: 1×784 float32, normal (fc (Linear) takes 784 features)"
    Warnings warnings = {}; ///< from opening the model
};

/// `local`: the worker sees the same files, so tensors in files are sent as file positions. `verb`: "run", "run_script"
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
