// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/canvas/canvas_frame.h"

namespace ui {

class GroupPainter;

/// Paints one frame of a scene: finds the visible items and passes them to the painters of groups, edges and nodes.
class CanvasPainter {
public:
    explicit CanvasPainter(const Frame& frame) : m_frame(frame) {} ///< `frame` must outlive the painter.
    void paint();                                                  ///< Paints the frame.
    /// The number of items drawn by the last `paint`: nodes, groups, edges.
    struct Drawn {
        std::size_t nodes = 0, groups = 0, edges = 0;
    };
    /// The number of items drawn by the last `paint`.
    Drawn drawn() const { return {m_nodes.size() + m_plainNodes, m_groups.size(), m_edges.size()}; }

private:
    void collect();
    void collectMoving();
    void paintLeaving() const;
    void paintClosedAgain(const GroupPainter& groups) const;

    const Frame& m_frame;
    std::vector<ItemIndex> m_nodes, m_groups;
    std::size_t m_plainNodes = 0; ///< painted without being collected
    std::vector<std::uint32_t> m_edges;
};

} // namespace ui
