// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QLabel>

class QPainter;

namespace ui {

/// A text that wraps and is as high as its lines, even if a layout has too little room: other widgets shrink first.
/// Plain text breaks within words that are longer than a line.
class WrappedLabel final : public QLabel {
public:
    /// Creates a label with `text`.
    explicit WrappedLabel(QWidget* parent = nullptr, const QString& text = {});

    QSize minimumSizeHint() const override;
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;

protected:
    void resizeEvent(QResizeEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    QRect textRect(const QRect& contents) const;
    double layOut(int width, QPainter* painter, QPoint at) const;
};

/// Returns the text with break opportunities after dots and underscores of long names, for widgets that only break
/// words.
QString breakable(const QString& text);

} // namespace ui
