// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/error.h"
#include "core/io/json/json_document.h"
#include "core/io/values/value_tree.h"
#include "core/remote/model_ref.h"

#include <variant>

namespace fx::remote {

/// An input that the worker draws: `--input x=1x3x224x224:float32`.
struct RandomInput {
    std::string name;               ///< the placeholder's target or name
    std::vector<std::int64_t> sizes;
    std::string dtype = "torch.float32";
    std::int64_t high = 0;          ///< integers are drawn from [0, high); 0: not given
};

/// Run a model once.
struct RunRequest {
    ModelRef model;
    /// Given: a tensor, a tuple or list of positional inputs, or a dict by name. Else drawn.
    std::optional<ValueTree> inputs;
    std::vector<RandomInput> random;
    std::uint64_t seed = 0;
    int threads = 0; ///< 0: as LibTorch chooses
};

struct RunResult {
    ValueTree output;
    double millis = 0; ///< of the graph alone, without opening the model
};

/// `local`: the worker sees the same files, so tensors in files are named by their place.
Frame toFrame(const RunRequest& request, std::uint32_t number, bool local);
RunRequest runRequest(const Frame& frame);
Frame toFrame(const RunResult& result, std::uint32_t number);
RunResult runResult(const Frame& frame);

Frame toFrame(const Error& error, std::uint32_t number);
Error errorOf(const Frame& frame);

/// The verb of a request: "run", "fault".
std::string verbOf(const Frame& frame);

} // namespace fx::remote
