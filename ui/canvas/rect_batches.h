// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QPainter>
#include <QVector>

#include <vector>

namespace ui {

/// Filled rectangles batched by colour, so that each colour is one call of the painter.
class RectBatches {
public:
    /// Adds a rectangle; the alpha channel is ignored.
    void add(const QColor& color, const QRect& rect) {
        const QRgb rgb = color.rgb();
        if (m_last >= m_batches.size() || m_batches[m_last].color != rgb) {
            for (m_last = 0; m_last < m_batches.size() && m_batches[m_last].color != rgb; ++m_last) {}
            if (m_last == m_batches.size()) m_batches.push_back({rgb, {}});
        }
        m_batches[m_last].rects.push_back(rect);
    }
    /// Draws all rectangles, in the order in which colours were added. The painter must not antialias and must have no
    /// pen.
    void draw(QPainter& painter) const {
        for (const Batch& batch : m_batches) {
            painter.setBrush(QColor(batch.color));
            painter.drawRects(batch.rects);
        }
    }

private:
    struct Batch {
        QRgb color;
        QVector<QRect> rects;
    };
    std::vector<Batch> m_batches; ///< few: one per kind of node or step of a heat map
    std::size_t m_last = 0;
};

} // namespace ui
