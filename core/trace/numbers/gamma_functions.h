// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace fx::trace {

/// `math.gamma` with the bits of CPython, which does not use that of the C library. Returns NaN at the poles, an
/// infinity at 0 and beyond the range.
double gammaOf(double x);
/// `math.lgamma`, likewise.
double logGammaOf(double x);

} // namespace fx::trace
