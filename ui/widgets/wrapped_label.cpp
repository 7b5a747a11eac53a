// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/wrapped_label.h"

#include <QPainter>
#include <QResizeEvent>
#include <QTextLayout>

#include <cmath>

namespace ui {

namespace {
constexpr int kLeastColumn = 60;    ///< of a column of words
constexpr qsizetype kLongWord = 24; ///< shorter ones fit into any line
} // namespace

QString breakable(const QString& text) {
    constexpr QChar kMayBreak(0x200B);
    QString result;
    result.reserve(text.size() * 5 / 4);
    for (qsizetype start = 0; start < text.size();) {
        qsizetype end = start;
        while (end < text.size() && !text[end].isSpace()) ++end;
        const bool isLong = end - start > kLongWord;
        for (; start < end; ++start) {
            result += text[start];
            if (isLong && (text[start] == u'.' || text[start] == u'_')) result += kMayBreak;
        }
        if (start < text.size()) result += text[start++];
    }
    return result;
}

WrappedLabel::WrappedLabel(QWidget* parent, const QString& text) : QLabel(text, parent) { setWordWrap(true); }

QRect WrappedLabel::textRect(const QRect& contents) const {
    return contents.adjusted(margin() + std::max(0, indent()), margin(), -margin(), -margin());
}

/// Lays the text out, paints it unless `painter` is null, and returns its height.
double WrappedLabel::layOut(int width, QPainter* painter, QPoint at) const {
    QString lines = text();
    QTextLayout layout(lines.replace(u'\n', QChar(QChar::LineSeparator)), font());
    QTextOption option;
    option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    layout.setTextOption(option);
    layout.beginLayout();
    double height = 0;
    for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
        line.setLineWidth(width);
        line.setPosition({0, height});
        height += line.height();
    }
    layout.endLayout();
    if (painter) layout.draw(painter, at);
    return height;
}

int WrappedLabel::heightForWidth(int width) const {
    if (textFormat() != Qt::PlainText) return QLabel::heightForWidth(width);
    const QRect whole(0, 0, width, 10'000);
    const QRect inside = textRect(whole.marginsRemoved(contentsMargins()));
    return whole.height() - inside.height() + static_cast<int>(std::ceil(layOut(inside.width(), nullptr, {})));
}

QSize WrappedLabel::minimumSizeHint() const { return {kLeastColumn, std::max(0, heightForWidth(width()))}; }

/// In another width it has another height.
void WrappedLabel::resizeEvent(QResizeEvent* event) {
    QLabel::resizeEvent(event);
    if (event->oldSize().width() != event->size().width()) updateGeometry();
}

void WrappedLabel::paintEvent(QPaintEvent* event) {
    if (textFormat() != Qt::PlainText) return QLabel::paintEvent(event);
    QPainter painter(this);
    drawFrame(&painter);
    painter.setPen(palette().color(foregroundRole()));
    QRect place = textRect(contentsRect());
    const int spare = place.height() - static_cast<int>(std::ceil(layOut(place.width(), nullptr, {})));
    if (spare > 0 && alignment().testFlag(Qt::AlignVCenter)) place.translate(0, spare / 2);
    layOut(place.width(), &painter, place.topLeft());
}

} // namespace ui
