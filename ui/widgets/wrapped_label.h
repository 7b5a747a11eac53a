// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QLabel>

namespace ui {

/// A text that wraps and is as high as its lines, also where a layout has too little room: other widgets shrink first.
class WrappedLabel final : public QLabel {
public:
    explicit WrappedLabel(QWidget* parent = nullptr, const QString& text = {});

    QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;
};

} // namespace ui
