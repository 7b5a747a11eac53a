// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/colour_legend.h"

#include "ui/canvas/hatching.h"
#include "ui/canvas/region_painter.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QLinearGradient>

#include <algorithm>

namespace ui {

namespace {

constexpr qreal kRow = 22, kText = 24, kBetween = 18, kRampWidth = 220, kRampHeight = 10;

struct Columns {
    std::size_t count, rows;
    qreal width;
};

Columns columnsOf(const ColourLegend& legend, qreal width, const QFontMetricsF& metrics) {
    qreal widest = 0;
    for (const auto& entry : legend.entries) widest = std::max(widest, metrics.horizontalAdvance(entry.text));
    widest += kText + kBetween;
    const auto fit = static_cast<std::size_t>(std::max<qreal>(1, (width + kBetween) / widest));
    const std::size_t count = std::clamp<std::size_t>(fit, 1, std::max<std::size_t>(1, legend.entries.size()));
    return {count, (legend.entries.size() + count - 1) / count, std::min(widest, width)};
}

void paintEntry(QPainter& painter, const QRectF& cell, const ColourLegend::Entry& entry, const Theme& theme) {
    const QRectF box(cell.left() + 0.5, cell.top() + 4.5, 16, 13);
    painter.setPen(entry.line);
    painter.setBrush(entry.fill);
    painter.drawRoundedRect(box, 3, 3);
    if (entry.hatch >= 0) {
        QPainterPath path;
        path.addRoundedRect(box, 3, 3);
        paintHatching(painter, path, kHatchings[static_cast<std::size_t>(entry.hatch % 8)], entry.line);
    }
    painter.setPen(theme.text);
    const QRectF room = cell.adjusted(kText, 0, 0, 0);
    painter.drawText(room, Qt::AlignVCenter | Qt::AlignLeft,
                     QFontMetricsF(painter.font()).elidedText(entry.text, Qt::ElideRight, room.width()));
}

void paintRamp(QPainter& painter, const QRectF& area, const ColourLegend& legend, const Theme& theme) {
    const QRectF ramp(area.left() + 0.5, area.top() + 3.5, std::min(kRampWidth, area.width() - 1), kRampHeight);
    QLinearGradient colours(ramp.topLeft(), ramp.topRight());
    for (int i = 0; i <= 8; ++i) colours.setColorAt(i / 8.0, rampColor(theme, legend.kind, i / 8.0));
    painter.setPen(theme.border);
    painter.setBrush(colours);
    painter.drawRoundedRect(ramp, 3, 3);
    painter.setPen(theme.muted);
    const QRectF row(ramp.left(), ramp.bottom() + 1, ramp.width(), kRow);
    const Qt::Alignment places[] = {Qt::AlignLeft, Qt::AlignHCenter, Qt::AlignRight};
    for (int i = 0; i < std::min<int>(3, static_cast<int>(legend.ramp.size())); ++i)
        painter.drawText(row, static_cast<int>(places[i] | Qt::AlignVCenter), legend.ramp[i]);
}

/// Of title and ramp, above the entries.
qreal headHeight(const ColourLegend& legend) {
    const qreal titles = legend.title.isEmpty() ? 0 : 1 + static_cast<qreal>(legend.title.count(u'\n'));
    return titles * kRow + (legend.ramp.isEmpty() ? 0 : kRampHeight + 5 + kRow);
}

QRectF entryCell(const ColourLegend& legend, const Columns& columns, const QRectF& area, std::size_t entry) {
    return {area.left() + static_cast<qreal>(entry / columns.rows) * columns.width,
            area.top() + headHeight(legend) + static_cast<qreal>(entry % columns.rows) * kRow, columns.width - 4, kRow};
}

} // namespace

ColourLegend ColourLegend::shortened(std::size_t most) const {
    if (entries.size() <= most) return *this;
    constexpr std::size_t kNamed = 30; // in the tooltip
    ColourLegend result = *this;
    result.entries.resize(most - 1);
    const QString more =
        QCoreApplication::translate("ColourLegend", "and %1 more").arg(entries.size() - result.entries.size());
    QStringList rest;
    for (std::size_t i = result.entries.size(); i < std::min(entries.size(), kNamed); ++i) rest << entries[i].text;
    result.entries.push_back({Qt::transparent, Qt::transparent, -1, more, rest.join(u'\n')});
    return result;
}

std::optional<std::size_t> ColourLegend::entryAt(const QRectF& area, const QFont& font, QPointF at) const {
    const Columns columns = columnsOf(*this, area.width(), QFontMetricsF(font));
    for (std::size_t i = 0; i < entries.size(); ++i)
        if (entryCell(*this, columns, area, i).contains(at)) return i;
    return std::nullopt;
}

qreal legendHeight(const ColourLegend& legend, qreal width, const QFont& font) {
    if (legend.empty()) return 0;
    const auto rows =
        static_cast<qreal>(columnsOf(legend, width, QFontMetricsF(font)).rows) + (legend.note.isEmpty() ? 0 : 1);
    return headHeight(legend) + rows * kRow;
}

void paintLegend(QPainter& painter, const QRectF& area, const ColourLegend& legend, const Theme& theme,
                 const QFont& font) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(font);
    const QFontMetricsF metrics(font);
    QRectF row(area.left(), area.top(), area.width(), kRow);
    const auto line = [&](const QString& text, const QColor& color) {
        if (text.isEmpty()) return;
        painter.setPen(color);
        painter.drawText(row, Qt::AlignVCenter | Qt::AlignLeft, metrics.elidedText(text, Qt::ElideRight, row.width()));
        row.translate(0, kRow);
    };
    for (const QString& part : legend.title.split(u'\n')) line(part, theme.text);
    if (!legend.ramp.isEmpty()) {
        paintRamp(painter, QRectF(row.topLeft(), QSizeF(area.width(), kRow)), legend, theme);
        row.translate(0, kRampHeight + 5 + kRow);
    }
    const Columns columns = columnsOf(legend, area.width(), metrics);
    for (std::size_t i = 0; i < legend.entries.size(); ++i)
        paintEntry(painter, entryCell(legend, columns, area, i), legend.entries[i], theme);
    row.translate(0, static_cast<qreal>(columns.rows) * kRow);
    line(legend.note, theme.warning.line);
    painter.restore();
}

} // namespace ui
