// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/canvas/colour_legend.h"

#include <QWidget>

namespace ui {

/// What the colours of the canvas mean: one swatch a node kind, with torch.fx's word; or what a heat map or partitions
/// mean.
class Legend final : public QWidget {
    Q_OBJECT
public:
    explicit Legend(QWidget* parent = nullptr);
    /// What the colours mean instead of the kinds; empty: the kinds.
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
