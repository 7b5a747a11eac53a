// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/graph_walk.h"

#include <limits>
#include <set>

namespace ui::walk {
namespace {

bool opened(const Scene& scene, ItemIndex item) { return scene.isGroup(item) && scene.group(item).expanded; }

double along(const Scene& scene, ItemIndex item) {
    const fx::Point centre = scene.rect(item).center();
    return scene.picture().direction == fx::Direction::TopDown ? centre.y : centre.x;
}

double across(const Scene& scene, ItemIndex item) {
    const fx::Point centre = scene.rect(item).center();
    return scene.picture().direction == fx::Direction::TopDown ? centre.x : centre.y;
}

ItemIndex extreme(const Scene& scene, double sign) {
    ItemIndex best = kNoItem;
    for (ItemIndex item = 0; item < scene.itemCount(); ++item) {
        if (opened(scene, item)) continue;
        if (best == kNoItem || sign * along(scene, item) < sign * along(scene, best)) best = item;
    }
    return best;
}

ItemIndex firstInside(const Scene& scene, ItemIndex group) {
    ItemIndex best = kNoItem;
    for (ItemIndex item = 0; item < scene.itemCount(); ++item) {
        if (scene.parent(item) == group && (best == kNoItem || along(scene, item) < along(scene, best))) best = item;
    }
    return best;
}

std::set<ItemIndex> siblings(const Scene& scene, ItemIndex of) {
    const auto& edges = scene.picture().edges;
    std::set<ItemIndex> result;
    for (std::uint32_t in : scene.edgesInto(of))
        for (std::uint32_t out : scene.edgesFrom(edges[in].from)) result.insert(edges[out].to);
    for (std::uint32_t out : scene.edgesFrom(of))
        for (std::uint32_t in : scene.edgesInto(edges[out].to)) result.insert(edges[in].from);
    result.erase(of);
    return result;
}

ItemIndex sibling(const Scene& scene, ItemIndex from, double sign) {
    ItemIndex best = kNoItem;
    double least = std::numeric_limits<double>::infinity();
    for (ItemIndex item : siblings(scene, from)) {
        const double distance = sign * (across(scene, item) - across(scene, from));
        // Of several straight behind each other the one on the same height.
        const double cost = distance + 0.25 * std::abs(along(scene, item) - along(scene, from));
        if (distance > 1 && cost < least) best = item, least = cost;
    }
    return best;
}

} // namespace

ItemIndex next(const Scene& scene, ItemIndex from, Way way) {
    const auto& edges = scene.picture().edges;
    switch (way) {
    case Way::Input:
        if (!scene.edgesInto(from).empty()) return edges[scene.edgesInto(from).front()].from;
        if (!scene.isGroup(from) && scene.node(from).copy > 0) return scene.itemOf(scene.node(from).node);
        return scene.parent(from);
    case Way::User:
        if (opened(scene, from)) return firstInside(scene, from);
        return scene.edgesFrom(from).empty() ? kNoItem : edges[scene.edgesFrom(from).front()].to;
    case Way::Before: return sibling(scene, from, -1);
    case Way::After: return sibling(scene, from, 1);
    }
    return kNoItem;
}

ItemIndex first(const Scene& scene) { return extreme(scene, 1); }
ItemIndex last(const Scene& scene) { return extreme(scene, -1); }

ItemIndex nearest(const Scene& scene, fx::Point point, const fx::Rect& within,
                  const std::function<bool(ItemIndex)>& accepts) {
    ItemIndex best = kNoItem;
    double least = std::numeric_limits<double>::infinity();
    const auto look = [&](ItemIndex item) {
        if (opened(scene, item) || (accepts && !accepts(item))) return;
        const fx::Point centre = scene.rect(item).center();
        const double distance = std::hypot(centre.x - point.x, centre.y - point.y);
        if (distance < least) best = item, least = distance;
    };
    scene.nodeGrid().query(within, 0, look);
    scene.groupGrid().query(within, 0, [&](std::uint32_t group) { look(scene.groupItem(group)); });
    return best;
}

} // namespace ui::walk
