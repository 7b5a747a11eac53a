// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/layout/picture.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace ui {

/// Spatial index of boxes of very different sizes: one grid per power of two of size.
///
///     level 0: boxes up to 256, cells of 256      a box is only in the cell of its centre,
///     level 1: boxes up to 512, cells of 512      so a query extends half a cell on each side
///
/// Building is O(n log n). A query costs as much as it finds, reads boxes in memory order, and skips whole levels of
/// boxes that are too small to be visible.
class LooseGrid {
public:
    /// An empty index.
    LooseGrid() = default;
    /// Indexes copies of `boxes`.
    explicit LooseGrid(std::span<const fx::Rect> boxes);

    /// Calls `visit(index, box)` or `visit(index)` for each box that touches `area` and whose longer side is at least
    /// `minSize`.
    template<class Visit> void query(const fx::Rect& area, double minSize, Visit&& visit) const;

private:
    struct Entry {
        std::int32_t row, column;
        std::uint32_t index;
        fx::Rect box;
    };
    struct Row {
        std::int32_t row;
        std::uint32_t begin;
    };
    struct Level {
        double cell = 0;
        std::vector<Row> rows; ///< non-empty rows, and an end marker
        std::vector<Entry> entries;
    };
    std::vector<Level> m_levels;
};

/// True if the boxes share a point.
inline bool touches(const fx::Rect& a, const fx::Rect& b) {
    return a.x <= b.right() && b.x <= a.right() && a.y <= b.bottom() && b.y <= a.bottom();
}

template<class Visit> void LooseGrid::query(const fx::Rect& area, double minSize, Visit&& visit) const {
    const auto cellOf = [](double at, double cell) {
        return static_cast<std::int32_t>(std::clamp(std::floor(at / cell), -2e9, 2e9));
    };
    for (const Level& level : m_levels) {
        if (level.entries.empty() || level.cell < minSize) continue;
        const double reach = level.cell / 2;
        const std::int32_t top = cellOf(area.y - reach, level.cell), bottom = cellOf(area.bottom() + reach, level.cell);
        const std::int32_t left = cellOf(area.x - reach, level.cell), right = cellOf(area.right() + reach, level.cell);
        auto row = std::lower_bound(level.rows.begin(), level.rows.end() - 1, top,
                                    [](const Row& r, std::int32_t y) { return r.row < y; });
        for (; row != level.rows.end() - 1 && row->row <= bottom; ++row) {
            const auto end = level.entries.begin() + (row + 1)->begin;
            auto entry = std::lower_bound(level.entries.begin() + row->begin, end, left,
                                          [](const Entry& e, std::int32_t x) { return e.column < x; });
            for (; entry != end && entry->column <= right; ++entry) {
                const fx::Rect& box = entry->box;
                if (!touches(box, area) || std::max(box.w, box.h) < minSize) continue;
                if constexpr (std::is_invocable_v<Visit&, std::uint32_t, const fx::Rect&>) visit(entry->index, box);
                else visit(entry->index);
            }
        }
    }
}

} // namespace ui
