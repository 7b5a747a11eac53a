// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/legend.h"

#include "ui/widgets/theme.h"

#include <QFontInfo>
#include <QPainter>
#include <QtMath>

#include <algorithm>

namespace ui {

namespace {
constexpr int kRow = 22, kMargin = 14;
constexpr fx::Op kOps[] = {fx::Op::Placeholder, fx::Op::CallModule, fx::Op::CallFunction,
                           fx::Op::CallMethod,  fx::Op::GetAttr,    fx::Op::Output};
} // namespace

Legend::Legend(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    describe();
}

void Legend::describe() {
    if (m_colours.empty())
        return setAccessibleName(tr("Legend: green placeholder, blue call_module, amber call_function, violet "
                                    "call_method, teal get_attr, red output"));
    QStringList words{m_colours.title};
    for (const auto& entry : m_colours.entries) words << entry.text;
    words << m_colours.ramp << m_colours.note;
    words.removeAll(QString());
    setAccessibleName(tr("Legend: %1").arg(words.join(QStringLiteral(", "))));
}

void Legend::setColours(const ColourLegend& colours) {
    constexpr std::size_t kMost = 8; // the map below it needs room too
    m_colours = colours.shortened(kMost);
    describe();
    updateGeometry();
    update();
}

QSize Legend::sizeHint() const {
    constexpr int kNarrow = 220;
    return {200, 10 + (m_colours.empty()
                           ? 3 * kRow
                           : qCeil(legendHeight(m_colours, std::max(kNarrow, width()) - 2 * kMargin, font())))};
}

/// Two columns of three.
void Legend::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (!m_colours.empty())
        return paintLegend(painter, QRectF(rect()).adjusted(kMargin, 5, -kMargin, -5), m_colours, theme(),
                           this->font());
    QFont font = monoFont();
    font.setPixelSize(QFontInfo(font).pixelSize() - 1);
    painter.setFont(font);
    // The second column starts where the longest name of the first one ends.
    const int half = std::max(
        width() / 2, kMargin + 24 + painter.fontMetrics().horizontalAdvance(QStringLiteral("call_function")) + 6);
    for (int i = 0; i < 6; ++i) {
        const Theme::Role& role = theme().op(kOps[i]);
        const QRect cell(i < 3 ? kMargin : half + 4, 5 + (i % 3) * kRow, i < 3 ? half - kMargin : width() - half - 4,
                         kRow);
        painter.setPen(role.line);
        painter.setBrush(role.fill);
        painter.drawRoundedRect(QRectF(cell.left() + 0.5, cell.top() + 4.5, 16, 13), 3, 3);
        painter.setPen(theme().muted);
        const auto name = fx::opName(kOps[i]);
        painter.drawText(
            cell.adjusted(24, 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft,
            painter.fontMetrics().elidedText(QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())),
                                             Qt::ElideRight, cell.width() - 24));
    }
}

} // namespace ui
