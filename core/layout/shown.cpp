// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/layout/shown.h"

#include <algorithm>

namespace fx {

namespace {

class Shower {
public:
    Shower(const Graph& graph, const Hierarchy& hierarchy, LayoutCache& cache, const Progress& progress)
        : m_graph(graph), m_hierarchy(hierarchy), m_cache(cache), m_progress(progress) {}

    Shown run(const LayoutOptions& options) {
        openGroups(options);
        std::uint32_t count = 0;
        for (const Node& node : m_graph.nodes()) {
            if (count++ % 1024 == 0) m_progress.check();
            if (isDrawn(node.id())) addEdgesOf(node);
        }
        for (const Node& node : m_graph.nodes())
            if (m_hierarchy.hub[index(node.id())]) addCopiesOf(node);
        for (std::uint32_t e = 0; e < m_shown.edges.size(); ++e) finishEdge(e);
        for (auto& wires : m_shown.wires) {
            std::sort(wires.begin(), wires.end());
            wires.erase(std::unique(wires.begin(), wires.end()), wires.end());
        }
        return std::move(m_shown);
    }

private:
    bool isDrawn(NodeId id) const { return m_hierarchy.groupOf[index(id)] != kNone; }

    void openGroups(const LayoutOptions& options) {
        const auto& groups = m_hierarchy.groups;
        m_shown.open.assign(groups.size(), false);
        m_shown.closedIn.assign(groups.size(), kNone);
        m_shown.wires.resize(groups.size());
        for (std::uint32_t g = 0; g < groups.size(); ++g) {
            const auto around = groups[g].parent;
            if (around != kNone && m_shown.closedIn[around] != kNone) {
                m_shown.closedIn[g] = m_shown.closedIn[around];
            } else if (g == 0 || options.expandAll || options.expanded.contains(groups[g].path)) {
                m_shown.open[g] = true;
                planOf(m_hierarchy, g, m_cache, m_progress);
            } else {
                m_shown.closedIn[g] = g;
            }
        }
    }

    std::vector<NodeId> usersOf(const Node& node) const {
        std::vector<NodeId> users;
        for (const auto user : node.users())
            if (isDrawn(user)) users.push_back(user);
        std::sort(users.begin(), users.end(), [&](NodeId a, NodeId b) { return m_graph.isBefore(a, b); });
        return users;
    }

    void addEdgesOf(const Node& node) {
        const auto from = m_shown.drawn(m_hierarchy, node.id());
        for (const auto user : usersOf(node)) {
            addEdge(node.id(), from, m_shown.drawn(m_hierarchy, user));
            if (m_hierarchy.hub[index(node.id())]) break;
        }
    }

    /// A hub is connected to its first use; elsewhere it is drawn again, unless an edge from there leads to the user
    /// anyway.
    void addCopiesOf(const Node& node) {
        const auto from = m_shown.drawn(m_hierarchy, node.id());
        std::unordered_map<std::uint32_t, std::uint32_t> copies; // user -> copy
        const auto users = usersOf(node);
        for (std::size_t i = 1; i < users.size(); ++i) {
            const auto to = m_shown.drawn(m_hierarchy, users[i]);
            if (to == from) continue;
            if (const auto edge = m_edgeOf.find(edgeKey(from, to)); edge != m_edgeOf.end()) {
                ++m_shown.edges[edge->second].weight;
                continue;
            }
            const auto [at, isNew] = copies.emplace(to.code(), static_cast<std::uint32_t>(m_shown.copies.size()));
            if (!isNew) {
                ++m_shown.copies[at->second].weight;
                continue;
            }
            m_shown.docks[to.code()].heads.push_back({true, at->second});
            m_shown.copies.push_back({node.id(), static_cast<std::uint32_t>(copies.size()), to});
        }
    }

    static std::uint64_t edgeKey(DrawnId from, DrawnId to) { return std::uint64_t{from.code()} << 32 | to.code(); }

    void addEdge(NodeId source, DrawnId from, DrawnId to) {
        if (from == to) return;
        const auto [at, isNew] = m_edgeOf.emplace(edgeKey(from, to), static_cast<std::uint32_t>(m_shown.edges.size()));
        if (!isNew) {
            ++m_shown.edges[at->second].weight;
            return;
        }
        m_shown.edges.push_back({from, to, 1, false, static_cast<std::uint32_t>(m_shown.pieces.size()), 0});
        addPieces(source, from, to);
    }

    /// One wire in each open level on the way: out of the groups around the source, across, into those around the user.
    void addPieces(NodeId source, DrawnId fromId, DrawnId toId) {
        const auto& groups = m_hierarchy.groups;
        struct Place {
            std::uint32_t level, item, port = kNone; ///< port: of the open group that `item` is
        };
        const auto placeOf = [&](DrawnId id) -> Place {
            if (id.isGroup()) return {groups[id.value()].parent, m_hierarchy.itemOfGroup[id.value()]};
            return {m_hierarchy.groupOf[id.value()], m_hierarchy.itemOf[id.value()]};
        };
        auto from = placeOf(fromId), to = placeOf(toId);
        std::vector<Shown::Piece> inwards;
        while (from.level != to.level) {
            if (groups[from.level].depth >= groups[to.level].depth) {
                const auto& group = groups[from.level];
                const auto port = m_hierarchy.outPortOf(from.level, source);
                m_shown.pieces.push_back({from.level, {group.box(from.item), group.outPort(port), from.port, kNone}});
                from = {group.parent, m_hierarchy.itemOfGroup[from.level], port};
            } else {
                const auto& group = groups[to.level];
                const auto port = m_hierarchy.inPortOf(to.level, source);
                inwards.push_back({to.level, {port, group.box(to.item), kNone, to.port}});
                to = {group.parent, m_hierarchy.itemOfGroup[to.level], port};
            }
        }
        const auto& group = groups[from.level];
        m_shown.pieces.push_back({from.level, {group.box(from.item), group.box(to.item), from.port, to.port}});
        m_shown.pieces.insert(m_shown.pieces.end(), inwards.rbegin(), inwards.rend());
        auto& edge = m_shown.edges.back();
        edge.pieces = static_cast<std::uint32_t>(m_shown.pieces.size()) - edge.firstPiece;
    }

    /// An edge that is too long in one of its levels is a stub and takes no room in any; the others become wires.
    void finishEdge(std::uint32_t e) {
        auto& edge = m_shown.edges[e];
        const auto begin = m_shown.pieces.begin() + edge.firstPiece, end = begin + edge.pieces;
        edge.stub = std::any_of(begin, end, [&](const Shown::Piece& piece) {
            return planOf(m_hierarchy, piece.group, m_cache, m_progress).isStub(piece.wire.from, piece.wire.to);
        });
        if (!edge.stub) {
            for (auto piece = begin; piece != end; ++piece) m_shown.wires[piece->group].push_back(piece->wire);
            return;
        }
        m_shown.docks[edge.from.code()].tails.push_back({false, e});
        m_shown.docks[edge.to.code()].heads.push_back({false, e});
    }

    const Graph& m_graph;
    const Hierarchy& m_hierarchy;
    LayoutCache& m_cache;
    const Progress& m_progress;
    Shown m_shown;
    std::unordered_map<std::uint64_t, std::uint32_t> m_edgeOf;
};

} // namespace

Shown show(const Graph& graph, const Hierarchy& hierarchy, const LayoutOptions& options, LayoutCache& cache,
           const Progress& progress) {
    return Shower(graph, hierarchy, cache, progress).run(options);
}

const LevelPlan& planOf(const Hierarchy& hierarchy, std::uint32_t group, LayoutCache& cache, const Progress& progress) {
    cache.plans.resize(hierarchy.groups.size());
    auto& plan = cache.plans[hierarchy.groups[group].structure];
    if (!plan) plan = std::make_shared<const LevelPlan>(planLevel(hierarchy.groups[group].level, progress));
    return *plan;
}

} // namespace fx
