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
    /// How reliable a guess is.
    enum class Sureness : std::uint8_t {
        Known,   ///< the file contains shape and dtype
        Follows, ///< everything except the batch size follows from the layers
        Assumed, ///< the layers leave a size open, which is assumed
        Unknown, ///< the model does not determine the input
        Default, ///< it has a default value and may be omitted
        Unused,  ///< nothing uses it, so any value is valid
    };
    InputSpec input;
    Sureness sureness = Sureness::Unknown;
    std::vector<Message> reasons;
    /// The annotated type if it is neither a tensor nor a number; no values can be generated for it.
    std::string declared = {};

    /// Returns the reasons as one text: "conv1 (Conv2d) takes 3 channels; 224×224 is a usual size".
    std::string reason() const;
    /// True if only the batch size is assumed, so that scripts may use the guess without asking.
    bool isSafe() const { return sureness != Sureness::Assumed && sureness != Sureness::Unknown; }
};

/// Guesses inputs for all placeholders that the user provides, in order. Omits `*args` and `**kwargs`, which stay
/// empty.
///
/// Shapes in the file (the signature of an exported program, tensor_meta) take precedence. Otherwise, the first layer
/// that a placeholder reaches through elementwise operations determines the shape, also inside nested GraphModules. One
/// pass over each graph; reads no values.
std::vector<InputGuess> guessInputs(const GraphModule& model);

/// Returns "int", "float" or "bool" if an input is a Python number by its annotation (also `Optional[int]`) or by the
/// metadata of the file; else an empty text.
std::string declaredNumber(const Node& placeholder);

/// Returns the inputs of a run that specifies none: all guesses except inputs with a default value, which is used.
InputDescription guessedInputs(const std::vector<InputGuess>& guesses);
/// Returns the guesses with batches of two where they assume a batch of one, for comparing models: a slice of one may
/// be empty, and `squeeze` removes more dimensions. Empty if no guess assumes a batch of one.
std::vector<InputGuess> withBatchesOfTwo(std::vector<InputGuess> guesses);
/// Returns the guess for an input; null if the model has no such input.
const InputGuess* guessFor(const std::vector<InputGuess>& guesses, const std::string& input);
/// Returns true if the inputs match the guesses in names and order. Only inputs with a default value may be missing.
bool isForGuesses(const InputDescription& inputs, const std::vector<InputGuess>& guesses);

} // namespace fx
