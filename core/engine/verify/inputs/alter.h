// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/verify/inputs/varied_sizes.h"

/// Changes values so that trials cover what the models' own data do not contain.
namespace fx::engine {

/// True if a value has a non-empty dense tensor of real floats.
bool hasFloats(const Value& value);
/// True if a value has an integer tensor with elements other than 0 and 1.
bool hasIntegers(const Value& value);

/// Returns altered copies of some values together: the values at the border of a region, or all inputs of a model.
using Alter = std::function<Values(const Values&)>;
/// Applies `alter` to all inputs.
RunInputs altered(const RunInputs& inputs, const Alter& alter);

/// Replaces a share `part` of the real floats, at random indices, by `numbers` in turn; at least `least` in each
/// tensor.
Alter sprinkled(std::vector<double> numbers, double part, std::int64_t least, Random& random);
/// Replaces all elements of integer tensors, or one of so many, by `numbers` in turn. Skips tensors with only 0 and 1.
Alter renumbered(std::vector<std::int64_t> numbers, std::int64_t oneOf = 1);
/// Adds `by` to numbers that are not tensors, and flips flags that are not tensors.
Alter shifted(std::int64_t by);
/// True for a number or flag that `shifted` changes.
bool isNumberOrFlag(const Value& value);
/// Multiplies all floats by a factor.
Alter scaledBy(double factor);
/// Multiplies the floats of each tensor by a factor that makes their root mean square `magnitude`.
Alter scaledTo(double magnitude);
/// Fills a quarter of the rows of float tensors, along the last dimension, with a number; at least one row in each
/// tensor.
Alter withRowsOf(double number, Random& random);
/// Flips a quarter of the flags in tensors whose elements are all 0 or all 1, and at least one; false and true count as
/// 0 and 1.
Alter flipped(Random& random);
/// True if a value has a tensor that `flipped` changes.
bool hasIdleFlags(const Value& value);
/// Makes tensors of the same type and shape equal to the first of them, in all elements or, if `some`, in half of them.
/// `apart` is a relative distance of floats to the first tensor, for nearly equal values.
Alter equalised(double apart, bool some, Random& random);
/// True if some values have tensors that `equalised` changes.
bool hasAlike(const Values& values);

/// Returns the relative distance of adjacent numbers of a floating-point type.
double roundingOf(at::ScalarType type);
/// Returns the largest n such that a type holds all integers from 0 to n.
std::int64_t exactUpTo(at::ScalarType type);
/// Returns the rounding of the coarsest type among some values; 0 without floats.
double roundingOf(const Values& values);
/// Types with a larger rounding, such as half and bfloat16, barely separate a few roundings from a difference.
inline constexpr double kCoarseRounding = 1e-4;
/// Perturbs all floats by up to `roundings` roundings of their type. Zero stays zero, and floats of the same magnitude
/// remain so in all values with the same salt: decisions by equality stay the same.
Value nudged(const Value& value, std::uint64_t salt, double roundings = 16);

/// Interpolates the floats from `from` (share 0) to `to` (share 1). Takes floats of other sizes, and all other values,
/// from `from`.
Value blended(const Value& from, const Value& to, double share);

/// Gives tensors these sizes, with elements drawn from theirs.
Alter reshaped(Shapes shapes, Random& random);
/// Returns the number of elements of all tensors.
std::int64_t elementCount(const Values& values);

} // namespace fx::engine
