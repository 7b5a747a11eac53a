// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/widgets/ramp.h"

#include <QColor>
#include <QFont>
#include <QRectF>
#include <QStringList>

#include <vector>

class QPainter;

namespace ui {

/// What colours of nodes mean when they do not tell their kinds: a ramp, or swatches with words.
struct ColourLegend {
    struct Entry {
        QColor fill, line;
        int hatch = -1; ///< as NodeStyle::hatch
        QString text;
    };
    QString title; ///< may have several lines
    std::vector<Entry> entries;
    QStringList ramp;        ///< the texts at start, middle and end of Theme::heat; empty: no ramp
    QString note;            ///< a warning below it; empty: none
    Ramp kind = Ramp::Times; ///< whose colours the ramp has

    bool empty() const { return entries.empty() && ramp.isEmpty(); }
    /// Without the entries that would be more than `most`, and how many these are.
    ColourLegend shortened(std::size_t most) const;
};

/// How high the legend is in that width; entries stand in as many columns as there is room for.
qreal legendHeight(const ColourLegend& legend, qreal width, const QFont& font);
/// Paints it into the upper part of `area`; with shapes and text alone, on any thread.
void paintLegend(QPainter& painter, const QRectF& area, const ColourLegend& legend, const Theme& theme,
                 const QFont& font);

} // namespace ui
