// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QColor>

#include <string>
#include <vector>

namespace ui {

/// Bands across the whole picture in the direction of its flow, and the cuts between them. Positions are in picture
/// units along the flow: y from top to bottom, or x from left to right. Immutable once the canvas has it.
struct CanvasBands {
    /// The area between two cuts.
    struct Band {
        QColor color;      ///< of tint and title
        int hatch = 0;     ///< 0..7: one of the hatchings for Theme::partitions
        std::string title; ///< "Stage 2 · 3.1 ms (estimated)"
    };
    /// The boundary between two bands.
    struct Cut {
        double place = 0;  ///< position along the flow
        std::string title; ///< "2 tensors · 1.2 MB"
    };
    std::vector<Band> bands; ///< in the direction of the flow
    std::vector<Cut> cuts;   ///< one fewer than bands, ascending
    int current = -1;        ///< the cut that the keyboard moves, or -1
};

} // namespace ui
