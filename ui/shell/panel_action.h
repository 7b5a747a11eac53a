// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QAction;
class QDockWidget;

namespace ui {

/// True if a panel is visible: neither closed nor behind another panel.
bool isInFront(const QDockWidget& dock);
/// Shows a panel in front of others in the same dock area.
void showPanel(QDockWidget& dock);

/// Creates the action of a panel for menus, palette and shortcut; the panel owns it. It raises and focuses a panel that
/// is closed or behind another panel, and closes a panel in front. It is checked while the panel is in front.
QAction* makePanelAction(QDockWidget& dock);

} // namespace ui
