// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/ramp.h"

#include <algorithm>

namespace ui {

QColor rampColor(const Theme& theme, Ramp ramp, double t) {
    if (ramp == Ramp::Times) return theme.heat(t);
    // Like Theme::heat: mixing two colours of one hue linearly gives even steps of CIELAB lightness.
    const QColor low(theme.dark ? "#43281A" : "#FDEEE4"), high(theme.dark ? "#FFC9A8" : "#8E2F0C");
    t = std::clamp(t, 0.0, 1.0);
    const auto mix = [t](double a, double b) { return static_cast<float>(a + (b - a) * t); };
    return QColor::fromRgbF(mix(low.redF(), high.redF()), mix(low.greenF(), high.greenF()),
                            mix(low.blueF(), high.blueF()));
}

} // namespace ui
