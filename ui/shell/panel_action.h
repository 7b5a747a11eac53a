// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QAction;
class QDockWidget;

namespace ui {

/// Whether a panel is seen: neither closed nor behind another one.
bool isInFront(const QDockWidget& dock);
/// Shows a panel, in front of those that it shares its place with.
void showPanel(QDockWidget& dock);

/// The one action of a panel, owned by it, for menus, palette and shortcut: brings a panel up that is closed or behind
/// another one, and gives it the keyboard; closes the one that is in front. Checked while it is in front.
QAction* makePanelAction(QDockWidget& dock);

} // namespace ui
