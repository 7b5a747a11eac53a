// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/inputs/input_guess.h"

#include <functional>
#include <optional>

namespace fx {

/// Whether the size of an image, volume or signal was assumed: another one may be what the model takes.
bool hasAssumedSquare(const std::vector<InputGuess>& guesses);

/// The guesses with their assumed squares in the first of the usual sizes that the model `accepts`; nothing if there is
/// none. A model whose images are flattened before a linear layer takes one size only. To be asked when the guesses as
/// they are were not accepted: the size that is usual for the channels is the better one.
std::optional<std::vector<InputGuess>> withOtherSquares(
    const std::vector<InputGuess>& guesses, const std::function<bool(const std::vector<InputGuess>& guesses)>& accepts);

} // namespace fx
