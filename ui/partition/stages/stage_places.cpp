// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/partition/stages/stage_places.h"

#include <algorithm>

namespace ui {

namespace {

/// By group: the outermost closed group of the picture that holds it, as an item; kNoItem if all are open.
std::vector<ItemIndex> closedItems(const Scene& scene, const DrawnGroups& groups) {
    std::vector<ItemIndex> result(groups.paths.size(), kNoItem);
    for (std::size_t g = 1; g < groups.paths.size(); ++g) {
        const std::int32_t parent = groups.parents[g];
        if (parent >= 0) result[g] = result[static_cast<std::size_t>(parent)];
        if (result[g] != kNoItem) continue;
        const ItemIndex item = scene.groupByPath(groups.paths[g]);
        if (item != kNoItem && !scene.group(item).expanded) result[g] = item;
    }
    return result;
}

} // namespace

StagePlaces::StagePlaces(const Scene& scene, const fx::StageLine& line, const DrawnGroups& groups)
    : m_extents(line.size()), m_closed(line.size(), kNoItem) {
    const bool down = scene.picture().direction == fx::Direction::TopDown;
    const auto extentOf = [down](const fx::Rect& r) { return down ? Extent{r.y, r.bottom()} : Extent{r.x, r.right()}; };
    const Extent all = extentOf(scene.picture().bounds);
    m_begin = all.from, m_end = all.to;
    const std::vector<ItemIndex> closedOf = closedItems(scene, groups);
    std::vector<std::size_t> inside(scene.itemCount(), 0), met(scene.itemCount(), 0);
    for (std::size_t i = 0; i < line.size(); ++i) {
        const std::size_t id = fx::index(line.calls()[i]);
        const std::int32_t group = id < groups.groupOf.size() ? groups.groupOf[id] : -1;
        if (group >= 0) m_closed[i] = closedOf[static_cast<std::size_t>(group)];
        if (m_closed[i] != kNoItem) ++inside[m_closed[i]];
    }
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (const ItemIndex item = m_closed[i]; item != kNoItem) {
            const Extent box = extentOf(scene.rect(item));
            const double slice = (box.to - box.from) / static_cast<double>(inside[item]);
            const double from = box.from + slice * static_cast<double>(met[item]++);
            m_extents[i] = {from, from + slice};
        } else if (const ItemIndex node = scene.itemOf(line.calls()[i]); node != kNoItem) {
            m_extents[i] = extentOf(scene.rect(node));
        }
        if (m_extents[i].isDrawn()) m_order.push_back(i);
    }
    std::stable_sort(m_order.begin(), m_order.end(),
                     [this](std::size_t a, std::size_t b) { return m_extents[a].middle() < m_extents[b].middle(); });
}

double StagePlaces::lineOf(std::size_t cut) const {
    std::ptrdiff_t wrong = 0, least = 0; // relative to a line before everything
    double best = m_begin, gap = -1e300, end = m_begin;
    for (const std::size_t call : m_order) {
        const Extent& extent = m_extents[call];
        if (wrong < least || (wrong == least && extent.from - end > gap))
            least = wrong, gap = extent.from - end, best = (extent.from + end) / 2;
        wrong += call < cut ? -1 : 1;
        end = std::max(end, extent.to);
    }
    return wrong < least ? (end + m_end) / 2 : best;
}

std::size_t StagePlaces::cutAt(double place, std::pair<std::size_t, std::size_t> range) const {
    std::ptrdiff_t wrong = 0, least = 0; // relative to the first cut of the range
    std::size_t best = range.first;
    for (std::size_t call = range.first; call < range.second; ++call) {
        if (!m_extents[call].isDrawn()) continue;
        wrong += m_extents[call].middle() < place ? -1 : 1; // it comes before the cut now
        if (wrong < least) least = wrong, best = call + 1;
    }
    return best;
}

bool StagePlaces::isOutside(std::size_t call, double from, double to) const {
    const Extent& extent = m_extents[call];
    return extent.isDrawn() && (extent.middle() < from || extent.middle() > to);
}

} // namespace ui
