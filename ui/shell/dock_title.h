// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

class QDockWidget;

namespace ui {

/// Title bar of a single or floating panel: its name and buttons to float and hide it. A tabbed panel has its name on
/// the tab and no title bar.
class DockTitle final : public QWidget {
    Q_OBJECT
public:
    explicit DockTitle(QDockWidget* dock); ///< `dock` becomes the parent.
    void setTabbed(bool tabbed);           ///< Hides the title bar of a tabbed panel.
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

private:
    bool m_tabbed = false;
};

} // namespace ui
