// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/interpreter.h"
#include "core/inputs/input_guess.h"
#include "core/remote/message.h"

namespace app {

/// Whether an input is given for this placeholder.
bool isFor(const fx::InputSpec& input, const fx::Node& placeholder);

/// What a model is run with, and how it came to be.
struct ModelInputs {
    fx::engine::RunInputs values;
    std::vector<std::string> told;         ///< "x: 1×3×8 float32, normal"; empty when they were given
    std::vector<std::string> guessed;      ///< those that were guessed, with the reason in brackets
    std::vector<fx::InputSpec> drawn = {}; ///< what `told` tells, by the names of the placeholders
};

/// The inputs that a request names: given ones are loaded into the store, others drawn after seeding LibTorch's
/// generator, and guessed where the guess is safe or the request takes any. `placeholders`: those that a user gives
/// values for. Throws Error{Usage}.
ModelInputs makeInputs(const fx::GraphModule& model, const std::vector<fx::NodeId>& placeholders,
                       const fx::remote::RunRequest& request, fx::engine::TensorStore& tensors);
/// The same with known guesses, for several runs of one model.
ModelInputs makeInputs(const fx::GraphModule& model, const std::vector<fx::NodeId>& placeholders,
                       const fx::remote::RunRequest& request, const std::vector<fx::InputGuess>& guesses,
                       fx::engine::TensorStore& tensors);
/// The guesses for the inputs that the request does not name. Assumed sizes of images are the usual ones if the model
/// takes them, else others that it takes, as its shapes tell.
std::vector<fx::InputGuess> guessesFor(const fx::GraphModule& model, const std::vector<fx::NodeId>& placeholders,
                                       const fx::remote::RunRequest& request);

/// What a file gives: a dict by name, a tuple or list by position, else one value. Throws Error{Usage} for keys that
/// are no names.
fx::engine::RunInputs givenInputs(const fx::ValueTree& tree, fx::engine::TensorStore& tensors);
/// The error about an input that the model does not have. `known`: those that it has, with commas.
fx::Error unknownInput(const std::string& name, const std::string& known);

/// The names of the inputs that a user gives values for, in order; with `needed` only those without a default.
std::vector<std::string> inputNames(const fx::engine::Interpreter& interpreter, bool needed);
/// What A gets, for B: by name, where B has no such name by the place that A has it at. Copies, since models may change
/// their inputs.
fx::engine::RunInputs forOther(const fx::engine::RunInputs& inputs, const std::vector<std::string>& namesA,
                               const std::vector<std::string>& namesB);
/// The same for inputs that were given. They are read again and taken apart as B wants them: an exported program takes
/// the leaves of containers, the other one may not. Throws Error{Usage} when those by position do not fit.
fx::engine::RunInputs givenToOther(const fx::ValueTree& tree, const std::vector<std::string>& namesA,
                                   const fx::engine::Interpreter& b, fx::engine::TensorStore& tensors);

} // namespace app
