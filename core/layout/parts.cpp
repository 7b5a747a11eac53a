// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/layout/placement.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace fx {

namespace {

constexpr double kPartGap = 48;

/// Numbers the connected parts by their first items; ports are together.
std::vector<std::uint32_t> connectedParts(const LevelGraph& graph, std::uint32_t& count) {
    std::vector<std::uint32_t> leader(graph.size());
    std::iota(leader.begin(), leader.end(), 0u);
    const auto find = [&](std::uint32_t i) {
        while (leader[i] != i) i = leader[i] = leader[leader[i]];
        return i;
    };
    const auto join = [&](std::uint32_t a, std::uint32_t b) {
        a = find(a), b = find(b);
        leader[std::max(a, b)] = std::min(a, b);
    };
    for (const auto& edge : graph.edges)
        if (edge.drawn) join(edge.from, edge.to);
    auto port = kNone;
    for (std::uint32_t i = 0; i < graph.size(); ++i)
        if (graph.kinds[i] != LevelGraph::Kind::Box) port == kNone ? static_cast<void>(port = i) : join(port, i);
    std::vector<std::uint32_t> part(graph.size());
    count = 0;
    for (std::uint32_t i = 0; i < graph.size(); ++i) part[i] = find(i) == i ? count++ : part[find(i)];
    return part;
}

void orderParts(const LevelGraph& graph, std::vector<LevelPlan::Part>& parts) {
    const auto hasPorts = [&](const LevelPlan::Part& part) {
        return std::any_of(part.items.begin(), part.items.end(),
                           [&](auto i) { return graph.kinds[i] != LevelGraph::Kind::Box; });
    };
    std::stable_sort(parts.begin(), parts.end(), [&](const auto& a, const auto& b) {
        return std::pair(!hasPorts(a), b.items.size()) < std::pair(!hasPorts(b), a.items.size());
    });
    // Beside the first, graph order.
    if (parts.size() > 1)
        std::sort(parts.begin() + 1, parts.end(), [](const auto& a, const auto& b) { return a.items[0] < b.items[0]; });
}

/// Moves what has been placed, and appends it to the level.
void append(Placement& level, const LevelPlan::Part& part, Placement&& placed, const std::vector<std::uint32_t>& wires,
            Point by) {
    for (std::size_t i = 0; i < part.items.size(); ++i)
        level.items[part.items[i]] = {placed.items[i].x + by.x, placed.items[i].y + by.y};
    for (std::size_t w = 0; w < wires.size(); ++w) {
        for (auto& point : placed.wires[w]) point.x += by.x, point.y += by.y;
        level.wires[wires[w]] = std::move(placed.wires[w]);
    }
    level.cross = std::max(level.cross, by.x + placed.cross);
    level.flow = std::max(level.flow, by.y + placed.flow);
}

/// Out-ports lie on the far border of the level, however short their part is.
void extendOutPorts(Placement& level, const LevelPlan& plan, const std::vector<Wire>& wires) {
    const auto leaves = [&](std::uint32_t item) {
        return plan.parts[plan.partOf[item]].graph.kinds[plan.placeIn[item]] == LevelGraph::Kind::OutPort;
    };
    for (std::uint32_t i = 0; i < level.items.size(); ++i)
        if (leaves(i)) level.items[i].y = level.flow;
    for (std::size_t w = 0; w < wires.size(); ++w)
        if (leaves(wires[w].to)) level.wires[w].back().y = level.flow;
}

} // namespace

LevelPlan planLevel(const LevelGraph& graph, const Progress& progress) {
    LevelPlan plan;
    std::uint32_t count = 0;
    const auto part = connectedParts(graph, count);
    plan.parts.resize(count);
    for (std::uint32_t i = 0; i < graph.size(); ++i) plan.parts[part[i]].items.push_back(i);
    orderParts(graph, plan.parts);
    plan.partOf.resize(graph.size());
    plan.placeIn.resize(graph.size());
    for (std::uint32_t p = 0; p < count; ++p)
        for (std::uint32_t i = 0; i < plan.parts[p].items.size(); ++i) {
            const auto item = plan.parts[p].items[i];
            plan.partOf[item] = p, plan.placeIn[item] = i;
            plan.parts[p].graph.kinds.push_back(graph.kinds[item]);
        }
    for (const auto& edge : graph.edges)
        if (const auto p = plan.partOf[edge.from]; p == plan.partOf[edge.to])
            plan.parts[p].graph.edges.push_back({plan.placeIn[edge.from], plan.placeIn[edge.to], edge.drawn});
    for (auto& each : plan.parts) each.order = orderLevel(each.graph, progress);
    return plan;
}

Placement placeLevel(const LevelPlan& plan, const std::vector<BoxShape>& boxes, const std::vector<Wire>& wires,
                     const Progress& progress) {
    Placement level;
    level.items.resize(boxes.size());
    level.wires.resize(wires.size());
    std::vector<std::vector<std::uint32_t>> wiresOf(plan.parts.size());
    for (std::uint32_t w = 0; w < wires.size(); ++w) wiresOf[plan.partOf[wires[w].from]].push_back(w);
    std::vector<Placement> placed;
    double area = 0;
    for (std::size_t p = 0; p < plan.parts.size(); ++p) {
        const auto& part = plan.parts[p];
        std::vector<BoxShape> ownBoxes;
        std::vector<Wire> ownWires;
        for (const auto item : part.items) ownBoxes.push_back(boxes[item]);
        for (const auto w : wiresOf[p])
            ownWires.push_back(
                {plan.placeIn[wires[w].from], plan.placeIn[wires[w].to], wires[w].outPort, wires[w].inPort});
        placed.push_back(placePart(part, ownBoxes, ownWires, progress));
        area += (placed.back().cross + kPartGap) * (placed.back().flow + kPartGap);
    }
    // Columns beside the first part, as long as that or as a square of everything.
    const double limit = placed.empty() ? 0 : std::max(placed[0].flow, std::sqrt(area) * 0.8);
    Point at;
    double column = 0;
    for (std::size_t p = 0; p < placed.size(); ++p) {
        if (p > 0 && (p == 1 || at.y + placed[p].flow > limit)) at = {at.x + column + kPartGap, 0}, column = 0;
        const double cross = placed[p].cross, flow = placed[p].flow;
        append(level, plan.parts[p], std::move(placed[p]), wiresOf[p], at);
        column = std::max(column, cross);
        at.y += flow + kPartGap;
    }
    extendOutPorts(level, plan, wires);
    return level;
}

} // namespace fx
