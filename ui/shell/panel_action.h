// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QAction;
class QDockWidget;

namespace ui {

/// Whether a panel is visible: neither closed nor behind another one.
bool isInFront(const QDockWidget& dock);
/// Shows a panel in front of others in the same dock area.
void showPanel(QDockWidget& dock);

/// The action of a panel, owned by it, for menus, palette and shortcut: raises and focuses a panel that is closed or
/// behind another one; closes it if it is in front. Checked while it is in front.
QAction* makePanelAction(QDockWidget& dock);

} // namespace ui
