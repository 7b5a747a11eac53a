// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/shell/window/panels.h"

#include <QMap>
#include <QObject>
#include <QSize>

class QDockWidget;
class QMainWindow;
class QMenu;

namespace ui {

class WindowActions;

/// The docks of a window, one for each entry of `panelTable`, with an action in the View menu, the palette and the
/// keyboard, and their arrangement.
class PanelDocks final : public QObject {
    Q_OBJECT
public:
    /// Creates the panels of `panels`.
    PanelDocks(QMainWindow& window, WindowActions& actions, Panels& panels);

    /// The dock of a panel.
    QDockWidget& dock(Panel panel) const { return *m_docks[static_cast<int>(panel)]; }
    QMenu* menu() const { return m_menu; } ///< The menu of the panel actions.
    void show(Panel panel) const;          ///< Shows a panel in front.
    bool isInFront(Panel panel) const;     ///< True if a panel is visible: neither closed nor behind another panel.
    /// Shows a number of nodes or problems beside the title; 0: none.
    void setCount(Panel panel, qsizetype count) const;

    /// Restores the arrangement of the first start.
    void arrange();
    /// Restores the result of `state`. Returns false and arranges the docks if it is invalid or outdated.
    bool restore(const QByteArray& state);
    QByteArray state() const; ///< Returns the arrangement for the settings.
    /// Call it before the window is shown. This and the next two give the first arrangement its sizes.
    void windowWillShow();
    void windowShown();   ///< Call it when the window is shown.
    void windowResized(); ///< Call it when the window was resized.

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void keepWidths();
    void noteWidth(QDockWidget& dock);
    void noteWidths();
    void add(const PanelEntry& entry, QWidget* panel, WindowActions& actions);
    int tabsWidth(const QDockWidget& among) const;
    void needLess();
    void divide(const QSize& asked);
    void updateTitles() const;

    QMainWindow& m_window;
    QMenu* m_menu;
    QList<QDockWidget*> m_docks; ///< by Panel
    QSize m_asked;               ///< requested initial size of the window
    bool m_divides = false;      ///< divide the window when it is shown
    /// The widths of the docks beside the canvas, by area, when the window was `m_width` wide.
    QMap<Qt::DockWidgetArea, int> m_widths;
    int m_width = 0;
};

} // namespace ui
