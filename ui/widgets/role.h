// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QWidget;

namespace ui {

/// Gives a widget the look of a role in the style sheet ("ok", "warning", "muted"), with its margins.
void setRole(QWidget& widget, const char* role);

} // namespace ui
