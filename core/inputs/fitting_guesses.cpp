// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/inputs/fitting_guesses.h"

#include "core/base/listed.h"
#include "core/inputs/layer_inputs.h"

#include <algorithm>

namespace fx {
namespace {

/// The usual sides, the likeliest first.
constexpr std::int64_t kSides[] = {32, 28, 64, 16, 8, 96, 128, 256, 299, 384, 48, 512};
constexpr std::size_t kSpace = 2; ///< where the sides begin, after batch and channels
/// Trials draw values: a volume of 512 each way is not tried.
constexpr std::int64_t kMostElements = std::int64_t{1} << 26;

std::string causeOf(const InputGuess& guess) {
    return guess.reasons.empty() ? std::string() : guess.reasons.front().argument("cause");
}

/// Images, and volumes and signals of which a layer says the channels only.
bool isAssumedSquare(const InputGuess& guess) {
    const auto& sizes = guess.input.sizes;
    if (guess.isSafe() || sizes.size() <= kSpace) return false;
    const bool areEqual = std::all_of(sizes.begin() + kSpace, sizes.end(), [&](auto side) { return side == sizes[2]; });
    return areEqual && (sizes.size() == 4 || causeOf(guess) == "inputs.takes_channels");
}

std::int64_t elementCount(const std::vector<std::int64_t>& sizes) {
    std::int64_t count = 1;
    for (const std::int64_t size : sizes) // none of these is negative, and few are large
        count = size > 0 && count > kMostElements / size ? kMostElements + 1 : count * size;
    return count;
}

/// The features of a layer, which may take a sequence of them.
bool mayBeSequence(const InputGuess& guess) {
    const std::string cause = causeOf(guess);
    return guess.input.sizes.size() == 2 && (cause == "inputs.takes_features" || cause == "inputs.normalizes");
}

std::string shapeText(const std::vector<std::int64_t>& sizes) { return joined(sizes, "×"); }

} // namespace

bool hasAssumedSquare(const std::vector<InputGuess>& guesses) {
    for (const InputGuess& guess : guesses)
        if (isAssumedSquare(guess)) return true;
    return false;
}

std::optional<std::vector<InputGuess>> withOtherSquares(
    const std::vector<InputGuess>& guesses,
    const std::function<bool(const std::vector<InputGuess>& guesses)>& accepts) {
    if (!hasAssumedSquare(guesses)) return std::nullopt;
    for (const std::int64_t side : kSides) {
        std::vector<InputGuess> other = guesses;
        bool differs = false, isLarge = false;
        for (InputGuess& guess : other) {
            if (!isAssumedSquare(guess) || guess.input.sizes[kSpace] == side) continue;
            std::fill(guess.input.sizes.begin() + kSpace, guess.input.sizes.end(), side);
            guess.reasons.push_back(Message("inputs.accepted_size", {{"shape", shapeText(guess.input.sizes)}}));
            differs = true;
            isLarge = isLarge || elementCount(guess.input.sizes) > kMostElements;
        }
        if (differs && !isLarge && accepts(other)) return other;
    }
    return std::nullopt;
}

std::optional<std::vector<InputGuess>> withSequences(
    const std::vector<InputGuess>& guesses,
    const std::function<bool(const std::vector<InputGuess>& guesses)>& accepts) {
    std::vector<InputGuess> other = guesses;
    bool differs = false;
    for (InputGuess& guess : other) {
        if (!mayBeSequence(guess)) continue;
        guess.input.sizes.insert(guess.input.sizes.begin() + 1, kLength);
        guess.sureness = InputGuess::Sureness::Assumed;
        guess.reasons.push_back(Message("inputs.accepted_size", {{"shape", shapeText(guess.input.sizes)}}));
        differs = true;
    }
    return differs && accepts(other) ? std::optional(std::move(other)) : std::nullopt;
}

bool hasOtherSizes(const std::vector<InputGuess>& guesses) {
    return hasAssumedSquare(guesses) || std::any_of(guesses.begin(), guesses.end(), mayBeSequence);
}

std::optional<std::vector<InputGuess>> otherSizes(
    const std::vector<InputGuess>& guesses,
    const std::function<bool(const std::vector<InputGuess>& guesses)>& accepts) {
    auto squares = withOtherSquares(guesses, accepts);
    return squares ? std::move(squares) : withSequences(guesses, accepts);
}

} // namespace fx
