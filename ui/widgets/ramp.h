// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/widgets/theme.h"

namespace ui {

/// What a ramp of colours measures: times from the canvas towards the accent, errors towards brown. One hue each.
enum class Ramp : std::uint8_t { Times, Errors };
/// A perceptually even ramp for `t` in 0..1, in the colours of the theme.
QColor rampColor(const Theme& theme, Ramp ramp, double t);

} // namespace ui
