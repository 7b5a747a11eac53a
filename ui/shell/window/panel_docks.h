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

/// The docks of a window: one for each entry of `panelTable`, with an action in the View menu, the palette and the
/// keyboard, and their arrangement.
class PanelDocks final : public QObject {
    Q_OBJECT
public:
    /// Makes the panels of `panels`.
    PanelDocks(QMainWindow& window, WindowActions& actions, Panels& panels);

    QDockWidget& dock(Panel panel) const { return *m_docks[static_cast<int>(panel)]; }
    QMenu* menu() const { return m_menu; }
    void show(Panel panel) const;
    bool isInFront(Panel panel) const;
    /// A number beside the title: of nodes, of problems; 0: none.
    void setCount(Panel panel, qsizetype count) const;

    /// The arrangement of the first start and of "Reset Panels".
    void arrange();
    bool restore(const QByteArray& state);
    QByteArray state() const;
    /// To be called when the window is about to be shown, is shown, and was resized: a first arrangement gets its
    /// sizes.
    void windowWillShow();
    void windowShown();
    void windowResized();

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
    bool m_divides = false;      ///< when it is shown
    /// How wide the docks beside the canvas are, by area, when the window was `m_width` wide.
    QMap<Qt::DockWidgetArea, int> m_widths;
    int m_width = 0;
};

} // namespace ui
