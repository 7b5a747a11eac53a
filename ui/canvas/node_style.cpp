// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/node_style.h"

#include "ui/widgets/theme.h"

namespace ui {

QColor readableOn(const QColor& fill, const QColor& wanted) {
    constexpr double kEnough = 4.5; // WCAG 2 AA
    if (contrastRatio(wanted, fill) >= kEnough) return wanted;
    const QColor dark(0x0B, 0x0E, 0x14);
    const QColor& better = contrastRatio(Qt::white, fill) > contrastRatio(dark, fill) ? QColor(Qt::white) : dark;
    return contrastRatio(better, fill) >= kEnough ? better : QColor(Qt::black);
}

} // namespace ui
