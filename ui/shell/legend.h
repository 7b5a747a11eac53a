// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/canvas/colour_legend.h"

#include <QWidget>

namespace ui {

/// The legend of the canvas: one swatch per node kind, with torch.fx's name; or the legend of a heat map or of
/// partitions.
class Legend final : public QWidget {
    Q_OBJECT
public:
    explicit Legend(QWidget* parent = nullptr);
    /// Sets a legend to show instead of the kinds; empty for the kinds.
    void setColours(const ColourLegend& colours);
    const ColourLegend& colours() const { return m_colours; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void describe();

    ColourLegend m_colours;
};

} // namespace ui
