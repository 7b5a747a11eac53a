// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

class QDockWidget;

namespace ui {

/// The bar above a panel that stands alone or floats: its name, a button that floats it, one that hides it. A panel
/// among tabs has its name on the tab and no bar.
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
