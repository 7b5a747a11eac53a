// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/widgets/theme.h"

namespace ui {

/// The quantity of a colour ramp, each with one hue: times go from the canvas towards the accent, errors towards brown.
enum class Ramp : std::uint8_t { Times, Errors };
/// Returns the colour for `t` in 0..1 on a perceptually even ramp, in the colours of the theme.
QColor rampColor(const Theme& theme, Ramp ramp, double t);

} // namespace ui
