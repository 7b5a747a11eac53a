// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/partition/stages/balance_bar.h"

#include "ui/canvas/canvas_frame.h"
#include "ui/canvas/region_painter.h"
#include "ui/partition/partition_table_model.h"
#include "ui/widgets/theme.h"

#include <QFontMetricsF>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ui {

namespace {
constexpr double kSegmentGap = 3, kLeastWidth = 12, kBarInset = 3.5;
constexpr double kStrip = 14, kNarrow = 2, kRight = 4; // beside the label: the hatching, or nothing

QFont boldOf(QFont font) {
    font.setWeight(QFont::DemiBold);
    return font;
}
constexpr double kGrabReach = 6, kDragStart = 3; // pixels
} // namespace

BalanceBar::BalanceBar(QWidget* parent) : QWidget(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Balance of the stages"));
    setMouseTracking(true); // the pointer tells where a cut can be taken
}

void BalanceBar::setSegments(std::vector<Segment> segments, std::size_t largest, int current) {
    m_segments = std::move(segments);
    m_before.assign(1, 0);
    for (const Segment& each : m_segments) m_before.push_back(m_before.back() + each.weight);
    m_largest = largest;
    m_current = current;
    if (m_dragged + 1 >= static_cast<int>(m_segments.size())) m_dragged = -1; // there is no such cut any more
    QStringList texts;
    for (std::size_t i = 0; i < m_segments.size() && i < 100; ++i)
        texts << tr("stage %1: %2").arg(i).arg(m_segments[i].text);
    setAccessibleDescription(texts.join(QStringLiteral(", ")));
    update();
}

/// At most half of the room: the rest shows the proportions.
double BalanceBar::leastWidth() const {
    return std::min(kLeastWidth, (width() - 2 * kBarInset) / static_cast<double>(2 * m_segments.size()));
}

/// Proportional to the weights, beside a width that each one has.
QRectF BalanceBar::segmentRect(std::size_t segment) const {
    const double room = width() - 2 * kBarInset, count = static_cast<double>(m_segments.size()), all = m_before.back();
    const double least = leastWidth(), shared = room - least * count;
    const auto at = [&](std::size_t border) {
        const double number = static_cast<double>(border);
        return kBarInset + least * number + (all > 0 ? shared * m_before[border] / all : shared * number / count);
    };
    const double from = at(segment), to = at(segment + 1);
    const double gap = std::min(kSegmentGap, (to - from) / 3);
    return {from, kBarInset, to - from - (segment + 1 < m_segments.size() ? gap : 0), height() - 2 * kBarInset};
}

void BalanceBar::paintSegment(QPainter& painter, std::size_t segment) const {
    const QRectF box = segmentRect(segment);
    const QColor color = partitionColor(segment);
    const bool largest = segment == m_largest && m_segments.size() > 1;
    painter.setPen(QPen(color, largest ? 2.5 : 1));
    painter.setBrush(Frame::mixed(theme().panel, color, 0.14));
    painter.drawRoundedRect(box, 4, 4);
    const QStringList label = labelOf(segment);
    const QFont bold = boldOf(font());
    const double number = label.isEmpty() ? 0 : QFontMetricsF(bold).horizontalAdvance(label.front());
    const bool isNarrow = number > box.width() - kStrip - kRight; // the number stands in place of the hatching
    const QRectF strip(box.left() + 2, box.top() + 2, std::min(8.0, box.width() - 4), box.height() - 4);
    if (strip.width() > 1 && (!isNarrow || label.isEmpty()))
        painter.fillRect(strip, QBrush(color, kHatchings[static_cast<std::size_t>(partitionHatch(segment))]));
    painter.setPen(theme().text);
    painter.setFont(bold);
    if (label.size() == 1 && isNarrow) return painter.drawText(box, Qt::AlignCenter, label.front());
    const QRectF room = box.adjusted(kStrip, 0, -kRight, 0);
    if (label.size() == 1) painter.drawText(room, Qt::AlignVCenter | Qt::AlignLeft, label.front());
    if (label.size() != 2) return;
    painter.drawText(room.adjusted(0, 2, 0, -room.height() / 2), Qt::AlignVCenter | Qt::AlignLeft, label[0]);
    painter.setFont(font());
    painter.drawText(room.adjusted(0, room.height() / 2 - 2, 0, -2), Qt::AlignVCenter | Qt::AlignLeft, label[1]);
}

std::size_t BalanceBar::segmentAt(double x) const {
    std::size_t segment = 0;
    while (segment + 1 < m_segments.size() && segmentRect(segment + 1).left() <= x) ++segment;
    return segment;
}

QStringList BalanceBar::labelOf(std::size_t segment) const {
    const double width = segmentRect(segment).width();
    const QFontMetricsF bold(boldOf(font())), plain(font());
    const QString number = QString::number(segment),
                  marked = segment == m_largest && m_segments.size() > 1 ? number + QStringLiteral(" ▲") : number;
    const QString& text = m_segments[segment].text;
    const double room = width - kStrip - kRight;
    const QString first = bold.horizontalAdvance(marked) <= room ? marked : number;
    if (std::max(bold.horizontalAdvance(first), plain.horizontalAdvance(text)) <= room) return {first, text};
    return bold.horizontalAdvance(first) <= std::max(room, width - 2 * kNarrow) ? QStringList{first} : QStringList();
}

QString BalanceBar::toolTipOf(std::size_t segment) const {
    const double all = m_before.back(), share = all > 0 ? 100 * m_segments[segment].weight / all : 0;
    return tr("Stage %1: %2 (%3 %)")
        .arg(segment)
        .arg(m_segments[segment].text, QLocale().toString(share, 'f', share < 10 ? 1 : 0));
}

void BalanceBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    for (std::size_t i = 0; i < m_segments.size(); ++i) paintSegment(painter, i);
    if (m_current >= 0 && static_cast<std::size_t>(m_current) + 1 < m_segments.size()) {
        const double at = segmentRect(static_cast<std::size_t>(m_current)).right() + kSegmentGap / 2;
        painter.setPen(QPen(theme().accent, 3));
        painter.drawLine(QPointF(at, 1), QPointF(at, height() - 1));
    }
    if (hasFocus()) {
        painter.setPen(QPen(theme().accent, 1, Qt::DotLine));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
    }
}

int BalanceBar::nearestCut(double x) const {
    int nearest = -1;
    double least = 1e300;
    for (std::size_t i = 0; i + 1 < m_segments.size(); ++i)
        if (const double distance = std::abs(segmentRect(i).right() - x); distance < least)
            least = distance, nearest = static_cast<int>(i);
    return nearest;
}

/// The inverse of where `segmentRect` puts the border.
double BalanceBar::shareAt(int cut, double x) const {
    const double room = width() - 2 * kBarInset, count = static_cast<double>(m_segments.size());
    const double least = leastWidth(), shared = room - least * count;
    return shared > 0 ? std::clamp((x - kBarInset - least * (cut + 1)) / shared, 0.0, 1.0) : 0.0;
}

void BalanceBar::mousePressEvent(QMouseEvent* event) {
    m_dragged = event->button() == Qt::LeftButton ? nearestCut(event->position().x()) : -1;
    if (m_dragged < 0) return;
    m_pressed = event->position().x();
    m_grabbed = segmentRect(static_cast<std::size_t>(m_dragged) + 1).left() - m_pressed;
    m_isMoving = false;
    Q_EMIT cutChosen(m_dragged);
}

void BalanceBar::mouseMoveEvent(QMouseEvent* event) {
    const double x = event->position().x();
    if (m_dragged < 0) {
        const int cut = nearestCut(x);
        const bool near = cut >= 0 && std::abs(segmentRect(static_cast<std::size_t>(cut)).right() - x) <= kGrabReach;
        return setCursor(near ? Qt::SplitHCursor : Qt::ArrowCursor);
    }
    if (!m_isMoving && std::abs(x - m_pressed) < kDragStart) return;
    m_isMoving = true;
    setCursor(Qt::SplitHCursor);
    Q_EMIT cutDragged(m_dragged, shareAt(m_dragged, x + m_grabbed));
}

void BalanceBar::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || m_dragged < 0) return;
    const int cut = std::exchange(m_dragged, -1);
    if (std::exchange(m_isMoving, false)) Q_EMIT cutReleased(cut);
}

void BalanceBar::keyPressEvent(QKeyEvent* event) {
    const int cuts = static_cast<int>(m_segments.size()) - 1;
    if (cuts < 1 || event->modifiers() & ~Qt::KeypadModifier) return QWidget::keyPressEvent(event);
    switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
        if (m_current < 0) Q_EMIT cutChosen(0);
        else Q_EMIT cutStepped(m_current, event->key() == Qt::Key_Left ? -1 : 1);
        break;
    case Qt::Key_Up: Q_EMIT cutChosen(std::max(m_current - 1, 0)); break;
    case Qt::Key_Down: Q_EMIT cutChosen(std::min(m_current + 1, cuts - 1)); break;
    default: QWidget::keyPressEvent(event);
    }
}

bool BalanceBar::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    QString text = tr("Drag the borders to move calls between stages. Left and Right move the current cut; Up and Down "
                      "choose another one.");
    if (!m_segments.empty()) text = toolTipOf(segmentAt(help->pos().x())) + u'\n' + text;
    QToolTip::showText(help->globalPos(), text, this);
    return true;
}

} // namespace ui
