// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QIcon>

namespace ui {

/// One of the line icons in resources/icons, by file name without ending ("fit", "zoom-in"). Drawn in the text colour
/// of the current theme, grey if disabled, in the accent colour if checked.
QIcon icon(const QString& name);

} // namespace ui
