// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/panel_action.h"

#include "ui/shell/panel_room.h"

#include <QAction>
#include <QDockWidget>

namespace ui {

namespace {

/// Gives the keyboard to the first part of a panel that takes it.
void focusFirstOf(QWidget& panel) {
    if (panel.focusProxy() || panel.focusPolicy() & Qt::TabFocus) return panel.setFocus(Qt::ShortcutFocusReason);
    for (QWidget* each = panel.nextInFocusChain(); each && each != &panel; each = each->nextInFocusChain())
        if (panel.isAncestorOf(each) && each->focusPolicy() & Qt::TabFocus && each->isEnabled() && each->isVisible())
            return each->setFocus(Qt::ShortcutFocusReason);
}

} // namespace

/// QMainWindow keeps docks that are behind another one visible, but out of its area.
bool isInFront(const QDockWidget& dock) {
    return dock.isVisible() && (dock.isWindow() || (dock.geometry().right() >= 0 && dock.geometry().bottom() >= 0));
}

void showPanel(QDockWidget& dock) {
    dock.show();
    dock.raise();
}

QAction* makePanelAction(QDockWidget& dock) {
    auto* action = new QAction(dock.windowTitle(), &dock);
    action->setCheckable(true);
    QObject::connect(&dock, &QDockWidget::visibilityChanged, action,
                     [action, &dock] { action->setChecked(isInFront(dock)); });
    QObject::connect(action, &QAction::triggered, &dock, [action, &dock] {
        if (isInFront(dock)) {
            dock.close();
        } else {
            showPanel(dock);
            focusFirstOf(*static_cast<PanelRoom*>(dock.widget())->widget());
        }
        action->setChecked(isInFront(dock)); // whatever the click on it made of that
    });
    return action;
}

} // namespace ui
