// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QIcon>

namespace ui {

/// One of the line icons in resources/icons, by file name without ending ("fit", "zoom-in"). Drawn in the text colour
/// of the theme in force at the time of painting, greyed when disabled, in accent when checked.
QIcon icon(const QString& name);

} // namespace ui
