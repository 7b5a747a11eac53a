// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/layout/layout.h"

#include "core/layout/dot_order.h"
#include "core/layout/shown.h"

#include <algorithm>
#include <chrono>

namespace fx {
namespace {
constexpr std::size_t kShowWhole = 120;  ///< graphs of up to so many nodes are shown open
constexpr std::size_t kShowAtFirst = 60; ///< of larger ones so many items
constexpr std::chrono::milliseconds kDotTime{300};
} // namespace

struct Layout::State {
    std::shared_ptr<const GraphModule> module;
    std::optional<Hierarchy> hierarchy;
    std::set<NodeId> hidden; ///< what the hierarchy was made without
    LayoutCache cache;
    std::set<std::uint32_t> asked; ///< structures that dot was asked about

    const Hierarchy& levels(const std::set<NodeId>& without, const Progress& progress) {
        if (!hierarchy || hidden != without) {
            hierarchy.reset();
            cache = {};
            asked.clear();
            hierarchy = Hierarchy::of(*module, without, progress);
            hidden = without;
        }
        return *hierarchy;
    }
};

Layout::Layout(std::shared_ptr<const GraphModule> module) : m_state(std::make_unique<State>()) {
    m_state->module = std::move(module);
}
Layout::~Layout() = default;

Picture Layout::layered(const LayoutOptions& options, const Progress& progress) {
    const auto start = std::chrono::steady_clock::now();
    const auto& hierarchy = m_state->levels(options.hidden, progress);
    auto picture = compose(*m_state->module, hierarchy, options, m_state->cache, progress);
    picture.millis = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return picture;
}

std::optional<Picture> Layout::refined(const LayoutOptions& options, const Progress& progress) {
    if (options.engine == LayoutOptions::Engine::Layered) return std::nullopt;
    const auto start = std::chrono::steady_clock::now();
    const auto& hierarchy = m_state->levels(options.hidden, progress);
    bool better = false;
    for (std::uint32_t g = 0; g < hierarchy.groups.size(); ++g) {
        const auto spent =
            std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start);
        if (progress.stopRequested() || spent >= kDotTime) break;
        const bool open = g == 0 || options.expandAll || options.expanded.contains(hierarchy.groups[g].path);
        const auto structure = hierarchy.groups[g].structure;
        if (!open || !m_state->asked.insert(structure).second) continue;
        auto plan = planOf(hierarchy, g, m_state->cache, progress);
        auto order = plan.parts.empty() ? std::nullopt : orderByDot(plan.parts[0].order, kDotTime - spent, progress);
        if (!order) continue;
        plan.parts[0].order = std::move(*order);
        m_state->cache.plans[structure] = std::make_shared<const LevelPlan>(std::move(plan));
        better = true;
    }
    progress.check();
    if (!better) return std::nullopt;
    m_state->cache.now.clear(); // places follow from orders
    m_state->cache.before.clear();
    auto picture = layered(options, progress);
    picture.engine = "mixed";
    return picture;
}

/// Opens groups from the outside in, smallest first, while the picture stays small enough to take in.
LayoutOptions LayoutOptions::initialFor(const GraphModule& module) {
    LayoutOptions options;
    options.expandAll = module.graph.size() <= kShowWhole;
    if (options.expandAll) return options;
    const auto hierarchy = Hierarchy::of(module);
    std::size_t shown = hierarchy.groups[0].items.size();
    std::uint32_t depth = 0;
    for (const auto& group : hierarchy.groups) depth = std::max(depth, group.depth);
    for (std::uint32_t level = 1; level <= depth; ++level) {
        std::size_t more = 0;
        std::vector<std::string> paths;
        for (const auto& group : hierarchy.groups) {
            const bool reachable =
                group.depth == level && (level == 1 || options.expanded.contains(hierarchy.groups[group.parent].path));
            if (!reachable) continue;
            more += group.items.size();
            paths.push_back(group.path);
        }
        if (shown + more > kShowAtFirst) break;
        shown += more;
        options.expanded.insert(paths.begin(), paths.end());
    }
    return options;
}

std::vector<std::string> Layout::groupsAround(NodeId node) const {
    const auto& hierarchy = m_state->levels(m_state->hidden, {});
    std::vector<std::string> paths;
    if (index(node) >= hierarchy.groupOf.size()) return paths;
    for (auto group = hierarchy.groupOf[index(node)]; group != kNone && group != 0;
         group = hierarchy.groups[group].parent)
        paths.push_back(hierarchy.groups[group].path);
    std::reverse(paths.begin(), paths.end());
    return paths;
}

std::string Layout::groupOf(NodeId node) const {
    const auto around = groupsAround(node);
    return around.empty() ? std::string() : around.back();
}

std::vector<std::string> Layout::groupPaths() const {
    std::vector<std::string> paths;
    for (const auto& group : m_state->levels(m_state->hidden, {}).groups)
        if (group.parent != kNone) paths.push_back(group.path);
    return paths;
}

GroupMembership Layout::membership() const {
    const auto& hierarchy = m_state->levels(m_state->hidden, {});
    GroupMembership all;
    all.groupOf = hierarchy.groupOf;
    for (std::size_t node = 0; node < hierarchy.chips.size(); ++node)
        for (const NodeId chip : hierarchy.chips[node]) all.groupOf[index(chip)] = hierarchy.groupOf[node];
    for (const auto& group : hierarchy.groups) {
        all.paths.push_back(group.path);
        all.parents.push_back(group.parent);
    }
    return all;
}

std::vector<NodeId> GroupMembership::nodesIn(const Graph& graph, std::string_view path) const {
    std::vector<bool> inside(paths.size());
    for (std::size_t group = 0; group < paths.size(); ++group)
        inside[group] = paths[group] == path || (parents[group] < group && inside[parents[group]]);
    std::vector<NodeId> nodes;
    for (const Node& node : graph.nodes()) {
        const std::size_t id = index(node.id());
        if (id < groupOf.size() && groupOf[id] < inside.size() && inside[groupOf[id]]) nodes.push_back(node.id());
    }
    return nodes;
}

} // namespace fx
