// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/legend.h"

#include "ui/document/node_facts.h"
#include "ui/document/op_explanation.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/theme.h"

#include <QFontInfo>
#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <QtMath>

#include <algorithm>

namespace ui {

namespace {
constexpr int kRow = 22, kLegendMargin = 14, kSwatch = 24, kBetween = 6;
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
    m_all = colours;
    m_colours = colours.shortened(kMost);
    describe();
    updateGeometry();
    update();
}

QFont Legend::entryFont() const {
    QFont font = monoFont();
    font.setPixelSize(QFontInfo(font).pixelSize() - 1);
    return font;
}

/// How wide the longest of three entries is, from the one at `first`.
int Legend::entryWidth(std::size_t first) const {
    const QFontMetrics metrics(entryFont());
    int widest = 0;
    for (std::size_t i = first; i < first + 3; ++i)
        widest = std::max(widest, metrics.horizontalAdvance(fromCore(fx::opName(kOps[i]))));
    return kSwatch + widest + kBetween;
}

/// Two columns of three, or one where the names would not fit beside each other.
bool Legend::hasOneColumn() const { return kLegendMargin + entryWidth(0) + entryWidth(3) > width(); }

/// The second column starts in the middle, or where the longest name of the first one ends.
QRect Legend::cell(std::size_t entry) const {
    const int end = kLegendMargin + entryWidth(0), rest = width() - entryWidth(3);
    const int second = std::clamp(width() / 2 + 4, end, std::max(end, rest));
    const int row = static_cast<int>(hasOneColumn() ? entry : entry % 3);
    return hasOneColumn() ? QRect(kLegendMargin, 5 + row * kRow, width() - kLegendMargin, kRow)
           : entry < 3    ? QRect(kLegendMargin, 5 + row * kRow, second - kLegendMargin, kRow)
                          : QRect(second, 5 + row * kRow, width() - second, kRow);
}

/// The number of rows follows from the width.
void Legend::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    if (height() != sizeHint().height()) updateGeometry();
}

QRectF Legend::colouredArea() const { return QRectF(rect()).adjusted(kLegendMargin, 5, -kLegendMargin, -5); }

/// A panel that is too low names fewer entries and says how many more there are, instead of cutting one.
ColourLegend Legend::shown() const {
    ColourLegend fitting = m_colours;
    const QRectF area = colouredArea();
    for (std::size_t most = m_colours.entries.size();
         most > 1 && legendHeight(fitting, area.width(), font()) > area.height(); --most)
        fitting = m_all.shortened(most);
    return fitting;
}

QString Legend::tipAt(QPoint at) const {
    if (m_colours.empty()) {
        for (std::size_t i = 0; i < std::size(kOps); ++i)
            if (cell(i).contains(at)) return opExplanation(kOps[i]);
        return {};
    }
    QStringList lines; // also what the row has no room for
    const ColourLegend seen = shown();
    if (const auto entry = seen.entryAt(colouredArea(), font(), at))
        lines << seen.entries[*entry].text << seen.entries[*entry].about;
    else lines << m_colours.title << m_colours.about << m_colours.note;
    lines.removeAll(QString());
    return plainToolTip(lines.join(u'\n'));
}

bool Legend::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    constexpr QSize kNear(16, 16); // farther away another entry may be
    const auto* help = static_cast<QHelpEvent*>(event);
    const QPoint at = help->pos();
    QToolTip::showText(help->globalPos(), tipAt(at), this, {at - QPoint(kNear.width(), kNear.height()) / 2, kNear});
    return true;
}

QSize Legend::sizeHint() const {
    constexpr int kNarrow = 220;
    return {200, 10 + (m_colours.empty()
                           ? (hasOneColumn() ? 6 : 3) * kRow
                           : qCeil(legendHeight(m_colours, std::max(kNarrow, width()) - 2 * kLegendMargin, font())))};
}

void Legend::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (!m_colours.empty()) return paintLegend(painter, colouredArea(), shown(), theme(), this->font());
    painter.setFont(entryFont());
    for (std::size_t i = 0; i < std::size(kOps); ++i) {
        const Theme::Role& role = theme().op(kOps[i]);
        const QRect cell = this->cell(i);
        painter.setPen(role.line);
        painter.setBrush(role.fill);
        painter.drawRoundedRect(QRectF(cell.left() + 0.5, cell.top() + 4.5, 16, 13), 3, 3);
        painter.setPen(theme().muted);
        const auto name = fx::opName(kOps[i]);
        painter.drawText(cell.adjusted(kSwatch, 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft,
                         painter.fontMetrics().elidedText(fromCore(name), Qt::ElideRight, cell.width() - kSwatch));
    }
}

} // namespace ui
