// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QWidget;

namespace ui {

/// Gives a widget the look that the style sheet has for a role ("ok", "warning", "muted"), with its margins.
void setRole(QWidget& widget, const char* role);

} // namespace ui
