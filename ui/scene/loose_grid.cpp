// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/scene/loose_grid.h"

#include <tuple>

namespace ui {
namespace {

constexpr double kFinestCell = 256;
constexpr int kLevels = 24; // 256 * 2^23 is wider than any picture; larger boxes go to the last level

int levelOf(const fx::Rect& box) {
    const double side = std::max(box.w, box.h);
    int level = 0;
    for (double cell = kFinestCell; cell < side && level < kLevels - 1; cell *= 2) ++level;
    return level;
}

} // namespace

LooseGrid::LooseGrid(std::span<const fx::Rect> boxes) : m_levels(kLevels) {
    for (int i = 0; i < kLevels; ++i) m_levels[std::size_t(i)].cell = std::ldexp(kFinestCell, i);
    for (std::uint32_t i = 0; i < boxes.size(); ++i) {
        Level& level = m_levels[std::size_t(levelOf(boxes[i]))];
        const fx::Point centre = boxes[i].center();
        level.entries.push_back({static_cast<std::int32_t>(std::clamp(std::floor(centre.y / level.cell), -2e9, 2e9)),
                                 static_cast<std::int32_t>(std::clamp(std::floor(centre.x / level.cell), -2e9, 2e9)), i,
                                 boxes[i]});
    }
    for (Level& level : m_levels) {
        std::sort(level.entries.begin(), level.entries.end(), [](const Entry& a, const Entry& b) {
            return std::tie(a.row, a.column, a.index) < std::tie(b.row, b.column, b.index);
        });
        for (std::uint32_t i = 0; i < level.entries.size(); ++i) {
            if (level.rows.empty() || level.rows.back().row != level.entries[i].row)
                level.rows.push_back({level.entries[i].row, i});
        }
        level.rows.push_back({0, static_cast<std::uint32_t>(level.entries.size())});
    }
}

} // namespace ui
