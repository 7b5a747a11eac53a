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

/// A legend for node colours other than kinds: a ramp, or swatches with labels.
struct ColourLegend {
    /// A swatch with a label.
    struct Entry {
        QColor fill, line;
        int hatch = -1;     ///< as NodeStyle::hatch
        QString text;       ///< the label
        QString about = {}; ///< tooltip
    };
    QString title;              ///< may have several lines
    std::vector<Entry> entries; ///< swatches, in order
    QStringList ramp;           ///< labels at start, middle and end of the ramp; empty: no ramp
    QString note;               ///< a warning below the legend, or empty
    Ramp kind = Ramp::Times;    ///< the colours of the ramp
    QString about = {};         ///< tooltip of the ramp

    bool empty() const { return entries.empty() && ramp.isEmpty(); } ///< True if there is nothing to show.
    /// Returns the legend with at most `most` entries, of which the last counts the omitted ones.
    ColourLegend shortened(std::size_t most) const;
    /// Returns the entry at a position if the legend is painted into `area` with this font.
    std::optional<std::size_t> entryAt(const QRectF& area, const QFont& font, QPointF at) const;
};

/// Returns the height of the legend for a width; entries are arranged in as many columns as fit.
qreal legendHeight(const ColourLegend& legend, qreal width, const QFont& font);
/// Paints the legend into the upper part of `area`, using only shapes and text. Thread-safe.
void paintLegend(QPainter& painter, const QRectF& area, const ColourLegend& legend, const Theme& theme,
                 const QFont& font);

} // namespace ui
