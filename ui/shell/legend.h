// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/canvas/colour_legend.h"

#include <QWidget>

namespace ui {

/// The legend of the canvas: one swatch per node kind, with torch.fx's name; or the legend of a heat map or of
/// partitions. Entries explain themselves on hover.
class Legend final : public QWidget {
    Q_OBJECT
public:
    explicit Legend(QWidget* parent = nullptr); ///< Creates a legend of the node kinds.
    /// Sets a legend to show instead of the kinds; empty for the kinds.
    void setColours(const ColourLegend& colours);
    /// The legend that is shown instead of the kinds.
    const ColourLegend& colours() const { return m_colours; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }
    /// Returns the tooltip of the entry at a position; empty if there is no entry.
    QString tipAt(QPoint at) const;

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void describe();
    int entryWidth(std::size_t first) const;
    bool hasOneColumn() const;
    QRect cell(std::size_t entry) const;
    QFont entryFont() const;
    QRectF colouredArea() const;
    ColourLegend shown() const;

    ColourLegend m_all, m_colours; ///< the whole legend, and a shortened one
};

} // namespace ui
