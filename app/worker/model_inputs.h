// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/interpreter.h"
#include "core/remote/message.h"

namespace app {

/// What a model is run with, and how it came to be.
struct ModelInputs {
    fx::engine::RunInputs values;
    std::vector<std::string> told;    ///< "x: 1×3×8 float32, normal"; empty when they were given
    std::vector<std::string> guessed; ///< those that were guessed, with the reason in brackets
};

/// The inputs that a request names: given ones are loaded into the store, others drawn after seeding LibTorch's generator, and guessed where
/// the guess is safe or the request takes any. `placeholders`: those that a user gives values for. Throws Error{Usage}.
ModelInputs makeInputs(const fx::GraphModule& model, const std::vector<fx::NodeId>& placeholders, const fx::remote::RunRequest& request, fx::engine::TensorStore& tensors);

/// The names of the inputs that a user gives values for, in order; with `needed` only those without a default.
std::vector<std::string> inputNames(const fx::engine::Interpreter& interpreter, bool needed);
/// What A gets, for B: by name, where B has no such name by the place that A has it at. Copies, since models may change their inputs.
fx::engine::RunInputs forOther(const fx::engine::RunInputs& inputs, const std::vector<std::string>& namesA, const std::vector<std::string>& namesB);

} // namespace app
