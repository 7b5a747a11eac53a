// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QIcon>

namespace ui {

/// Returns a line icon of resources/icons, by file name without extension ("fit", "zoom-in"). It has the text colour of
/// the current theme; grey if disabled, the accent colour if checked.
QIcon icon(const QString& name);

} // namespace ui
