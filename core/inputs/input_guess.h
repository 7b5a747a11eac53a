// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/inputs/input_spec.h"
#include "core/module/graph_module.h"

namespace fx {

/// A guessed input for a model, with the reason.
///
///     x    1×3×224×224 float32, normal    assumed: conv1 (Conv2d) takes 3 channels; 224×224 is a usual size
///     ids  1×16 int64, integers 0 to 999  assumed: tok (Embedding) has 1000 rows; 16 of them is a usual number
struct InputGuess {
    enum class Sureness : std::uint8_t {
        Known,   ///< the file says shape and dtype
        Follows, ///< everything except the batch size follows from the layers
        Assumed, ///< a size that the layers leave open is assumed
        Unknown, ///< the model does not determine it
        Default, ///< it has a default value, so it may be omitted
        Unused,  ///< nothing uses it, so any value will do
    };
    InputSpec input;
    Sureness sureness = Sureness::Unknown;
    std::vector<Message> reasons;
    std::string declared = {}; ///< its type if that is neither a tensor nor a number: nothing can be drawn for it

    /// The reasons as one text: "conv1 (Conv2d) takes 3 channels; 224×224 is a usual size".
    std::string reason() const;
    /// Nothing but the batch size is assumed, so scripts may use it without asking.
    bool isSafe() const { return sureness != Sureness::Assumed && sureness != Sureness::Unknown; }
};
/// "known", "follows", "assumed", "unknown", "default", "unused"
std::string_view surenessName(InputGuess::Sureness sureness);

/// Guesses inputs for all placeholders that the user provides, in order; `*args` and `**kwargs` are left empty and not
/// listed.
///
/// Shapes in the file (the signature of an exported program, tensor_meta) take precedence. Otherwise, the first layer
/// that a placeholder reaches through elementwise operations determines the shape, also inside nested GraphModules. One
/// pass over each graph; reads no values.
std::vector<InputGuess> guessInputs(const GraphModule& model);

/// The inputs of a run of which nothing is said: all but those that have a default value, which are left to it.
InputDescription guessedInputs(const std::vector<InputGuess>& guesses);
/// The guess for an input; null: the model has no such input.
const InputGuess* guessFor(const std::vector<InputGuess>& guesses, const std::string& input);
/// Whether the inputs are of the model that the guesses are for: in its order, and only those with a default value are
/// missing.
bool isForGuesses(const InputDescription& inputs, const std::vector<InputGuess>& guesses);

} // namespace fx
