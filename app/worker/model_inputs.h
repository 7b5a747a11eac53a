// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/interpreter.h"
#include "core/inputs/input_guess.h"
#include "core/remote/run_message.h"

namespace app {

/// True if an input is given for this placeholder.
bool isFor(const fx::InputSpec& input, const fx::Node& placeholder);

/// The inputs of a run, and their origin.
struct ModelInputs {
    fx::engine::RunInputs values;          ///< the inputs
    std::vector<std::string> told;         ///< "x: 1×3×8 float32, normal"; empty if the inputs were given
    std::vector<std::string> guessed;      ///< the guessed inputs, with the reason in brackets
    std::vector<fx::InputSpec> drawn = {}; ///< the inputs in `told`, by the names of the placeholders
    bool isFromLayers = false;             ///< the shape of one is neither given nor in the file
};

/// Returns the inputs of a request. Given inputs are loaded into the store. Others are drawn after seeding LibTorch's
/// generator, and guessed if the guess is safe or the request accepts any guess. `placeholders` are those to which a
/// user gives values. Throws Error{Usage}.
ModelInputs makeInputs(const fx::GraphModule& model, const std::vector<fx::NodeId>& placeholders,
                       const fx::remote::RunRequest& request, fx::engine::TensorStore& tensors);
/// Like `makeInputs`, with known guesses, for several runs of one model.
ModelInputs makeInputs(const fx::GraphModule& model, const std::vector<fx::NodeId>& placeholders,
                       const fx::remote::RunRequest& request, const std::vector<fx::InputGuess>& guesses,
                       fx::engine::TensorStore& tensors);
/// Returns guesses for the inputs that the request does not specify. Assumed sizes are the usual ones if the model
/// accepts them, else others that it accepts according to its shapes, as the window chooses them.
std::vector<fx::InputGuess> guessesFor(const fx::GraphModule& model, const std::vector<fx::NodeId>& placeholders,
                                       const fx::remote::RunRequest& request);

/// Converts the content of a file to inputs: a dict by name, a tuple or list by position, else one value. Throws
/// Error{Usage} for keys that are not names.
fx::engine::RunInputs givenInputs(const fx::ValueTree& tree, fx::engine::TensorStore& tensors);
/// Returns the error about an input that the model does not have. `known` lists its inputs, separated by commas.
fx::Error unknownInput(const std::string& name, const std::string& known);

/// Returns the names of the inputs to which a user gives values, in order; with `needed` only those without a default.
std::vector<std::string> inputNames(const fx::engine::Interpreter& interpreter, bool needed);
/// Returns the inputs of A for B: by name, or if B has no such name by the position in A. Copies the values, because
/// models may change their inputs.
fx::engine::RunInputs forOther(const fx::engine::RunInputs& inputs, const std::vector<std::string>& namesA,
                               const std::vector<std::string>& namesB);
/// Like `forOther` for given inputs. Reads them again and splits them as B expects: an exported program takes the
/// leaves of containers, the other model may not. Throws Error{Usage} if positional inputs do not fit.
fx::engine::RunInputs givenToOther(const fx::ValueTree& tree, const std::vector<std::string>& namesA,
                                   const fx::engine::Interpreter& b, fx::engine::TensorStore& tensors);

} // namespace app
