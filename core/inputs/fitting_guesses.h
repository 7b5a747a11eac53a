// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/inputs/input_guess.h"

#include <functional>
#include <optional>

namespace fx {

/// Returns true if a guess assumes the size of an image, volume or signal, so that the model may need a different size.
bool hasAssumedSquare(const std::vector<InputGuess>& guesses);

/// Tries the usual sizes for the assumed squares and returns the guesses with the first size that the model `accepts`;
/// nullopt if it accepts none. A model that flattens its images before a linear layer takes only one size. Call it
/// after the model refused the guesses as they are, because the usual size for the channels is the better guess.
std::optional<std::vector<InputGuess>> withOtherSquares(
    const std::vector<InputGuess>& guesses, const std::function<bool(const std::vector<InputGuess>& guesses)>& accepts);

/// Tries sequences in the place of inputs of which a layer gives the features only, and returns the guesses that the
/// model `accepts`: blocks of a transformer begin with a LayerNorm or a Linear, but take a length, too. Call it after
/// the model refused the guesses as they are.
std::optional<std::vector<InputGuess>> withSequences(
    const std::vector<InputGuess>& guesses, const std::function<bool(const std::vector<InputGuess>& guesses)>& accepts);

/// Returns true if `otherSizes` has something to try.
bool hasOtherSizes(const std::vector<InputGuess>& guesses);

/// Tries `withOtherSquares`, then `withSequences`: the guesses with the sizes that the model `accepts`; nullopt if it
/// accepts none. Call it after the model refused the guesses as they are.
std::optional<std::vector<InputGuess>> otherSizes(
    const std::vector<InputGuess>& guesses, const std::function<bool(const std::vector<InputGuess>& guesses)>& accepts);

} // namespace fx
