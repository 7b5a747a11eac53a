// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

namespace ui {

/// What the colours of the canvas mean: one swatch a node kind, with torch.fx's word.
class Legend final : public QWidget {
    Q_OBJECT
public:
    explicit Legend(QWidget* parent = nullptr);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;
};

} // namespace ui
