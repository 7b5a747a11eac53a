// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

class QDockWidget;

namespace ui {

/// The title bar of a single or floating panel: its name and buttons to float and hide it. A tabbed panel has its name
/// on the tab and no title bar.
class DockTitle final : public QWidget {
    Q_OBJECT
public:
    explicit DockTitle(QDockWidget* dock);
    void setTabbed(bool tabbed);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

private:
    bool m_tabbed = false;
};

} // namespace ui
