// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/verify/inputs/stimulus.h"

#include <map>

/// Values of trials with something altered that the models' own data do not show.
namespace fx::engine {

bool hasFloats(const Value& value);
/// Integers that are more than flags: others than 0 and 1.
bool hasIntegers(const Value& value);

/// `part` of the real floats, at random places, are these numbers in turn: at least `least` in each tensor.
Value sprinkled(const Value& value, const std::vector<double>& numbers, double part, std::int64_t least,
                Random& random);
RunInputs sprinkled(const RunInputs& inputs, const std::vector<double>& numbers, double part, std::int64_t least,
                    Random& random);

/// Integers that are more than flags become these numbers, over and over.
Value renumbered(const Value& value, const std::vector<std::int64_t>& numbers);
RunInputs renumbered(const RunInputs& inputs, const std::vector<std::int64_t>& numbers);

/// Flags, true and false or 1 and 0, that are all the same in `value` and in `own`: a quarter of them is flipped.
Value flipped(const Value& value, const Value& own, Random& random);
/// Whether there are such flags.
bool hasIdleFlags(const Value& value);

/// The relative distance of numbers of a floating-point type.
double roundingOf(at::ScalarType type);
/// That of the coarsest type of some values; 0 without floats.
double roundingOf(const std::vector<Value>& values);
/// A distance so large, as of half and bfloat16, that few roundings are told from a difference.
inline constexpr double kCoarseRounding = 1e-4;
/// All floats are changed by some roundings of their type; zero stays zero.
Value nudged(const Value& value, Random& random, double roundings = 16);

/// The floats of each tensor times a factor, so that their root mean square is `magnitude`.
Value scaledTo(const Value& value, double magnitude);
RunInputs scaledTo(const RunInputs& inputs, double magnitude);
/// Some rows of floats, along the last dimension, are zero: one of four, and at least one.
Value withZeroRows(const Value& value, Random& random);
RunInputs withZeroRows(const RunInputs& inputs, Random& random);

/// The floats between those of two values: at share 0 those of `from`. Where the sizes differ, and all else, is of
/// `from`.
Value blended(const Value& from, const Value& to, double share);

/// By a size: what it becomes.
using SizeMap = std::map<std::int64_t, std::int64_t>;
/// Tensors have other sizes, with elements drawn from theirs; numbers that are such a size become the other.
Value resized(const Value& value, const SizeMap& sizes, Random& random);
RunInputs resized(const RunInputs& inputs, const SizeMap& sizes, Random& random);
/// How many elements its tensors have, with other sizes.
std::int64_t elementCount(const Value& value, const SizeMap& sizes);

} // namespace fx::engine
