// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QScrollArea>

namespace ui {

/// Holds a panel in its dock: a dock that is smaller than the panel needs scrolls it. The content of the panel changes
/// neither the size of the dock nor that of the window.
class PanelRoom final : public QScrollArea {
public:
    /// `least` is the minimum size of the dock in pixels.
    PanelRoom(QWidget* panel, const QSize& least, QWidget* parent);

    QSize sizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void fit();
};

} // namespace ui
