// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/canvas_look.h"

#include <algorithm>
#include <unordered_map>

namespace ui {
namespace {

/// Whether a scene shows what the other one does, possibly in other places.
bool sameItems(const Scene& a, const Scene& b) {
    const fx::Picture &one = a.picture(), &other = b.picture();
    return &a == &b || (one.nodes.size() == other.nodes.size() && one.edges.size() == other.edges.size() &&
                        std::equal(one.groups.begin(), one.groups.end(), other.groups.begin(), other.groups.end(),
                                   [](const fx::GroupItem& x, const fx::GroupItem& y) {
                                       return x.path == y.path && x.expanded == y.expanded;
                                   }));
}

} // namespace

std::shared_ptr<const CanvasLook> CanvasLook::of(const CanvasState& state) {
    if ((!state.styler && !state.marker) || !state.scene) return nullptr;
    auto look = std::make_shared<CanvasLook>();
    look->scene = state.scene;
    look->hasRegions = state.hasRegions;
    look->wayEdges = state.wayEdges;
    look->bands = state.bands;
    std::unordered_map<const NodeRegion*, const NodeRegion*> copies;
    const auto copied = [&](const NodeRegion* region) -> const NodeRegion* {
        if (!region) return nullptr;
        const auto [known, isNew] = copies.try_emplace(region);
        if (isNew) known->second = &look->regions.emplace_back(*region);
        return known->second;
    };
    std::unordered_map<const NodeStyle*, std::int32_t> places;
    for (const fx::NodeItem& item : state.scene->picture().nodes) {
        if (const NodeMark* mark = state.marker ? state.marker(item.node) : nullptr)
            look->marks.emplace(item.node, *mark);
        const NodeStyle* style = state.styler ? state.styler(item.node) : nullptr;
        if (!style) continue;
        const auto [place, isNew] = places.try_emplace(style, static_cast<std::int32_t>(look->styles.size()));
        if (isNew) look->styles.push_back(*style), look->styles.back().region = copied(style->region);
        const std::size_t id = fx::index(item.node);
        if (id >= look->styleOf.size()) look->styleOf.resize(id + 1, -1);
        look->styleOf[id] = place->second;
    }
    for (const RegionShares& shares : state.regionsIn) {
        RegionShares& own = look->regionsIn.emplace_back();
        for (const auto& [region, count] : shares) own.emplace_back(copied(region), count);
    }
    return look;
}

void CanvasLook::put(const std::shared_ptr<const CanvasLook>& look, CanvasState& state) {
    if (!look) return;
    if (!look->styleOf.empty()) state.styler = [look](fx::NodeId node) { return look->styleAt(node); };
    if (!look->marks.empty())
        state.marker = [look](fx::NodeId node) {
            const auto mark = look->marks.find(node);
            return mark == look->marks.end() ? nullptr : &mark->second;
        };
    state.hasRegions = look->hasRegions;
    state.regionsIn.assign(state.scene->picture().groups.size(), {});
    if (!sameItems(*state.scene, *look->scene)) return; // a part of it: what closed groups hold is of the whole
    if (look->regionsIn.size() == state.regionsIn.size()) state.regionsIn = look->regionsIn;
    state.wayEdges = look->wayEdges;
    state.bands = look->bands;
}

} // namespace ui
