// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/widgets/ramp.h"

#include <QColor>
#include <QFont>
#include <QRectF>
#include <QStringList>

#include <optional>
#include <vector>

class QPainter;

namespace ui {

/// Explains node colours that do not show kinds: a ramp, or swatches with labels.
struct ColourLegend {
    struct Entry {
        QColor fill, line;
        int hatch = -1; ///< as NodeStyle::hatch
        QString text;
        QString about = {}; ///< what it means, for a tooltip
    };
    QString title; ///< may have several lines
    std::vector<Entry> entries;
    QStringList ramp;        ///< the labels at start, middle and end of Theme::heat; empty for no ramp
    QString note;            ///< a warning below it, or empty
    Ramp kind = Ramp::Times; ///< the colours of the ramp
    QString about = {};      ///< what the ramp shows, for a tooltip

    bool empty() const { return entries.empty() && ramp.isEmpty(); }
    /// The legend with at most `most` entries, and the number of the others.
    ColourLegend shortened(std::size_t most) const;
    /// The entry at a place, painted into `area` with this font.
    std::optional<std::size_t> entryAt(const QRectF& area, const QFont& font, QPointF at) const;
};

/// The height of the legend for a width; entries are arranged in as many columns as fit.
qreal legendHeight(const ColourLegend& legend, qreal width, const QFont& font);
/// Paints it into the upper part of `area`, using only shapes and text. Any thread.
void paintLegend(QPainter& painter, const QRectF& area, const ColourLegend& legend, const Theme& theme,
                 const QFont& font);

} // namespace ui
