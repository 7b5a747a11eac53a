// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/layout/hierarchy.h"

#include "core/layout/level_splitter.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace fx {

/// Makes the levels of a hierarchy out of what the splitter found.
class LevelBuilder {
public:
    LevelBuilder(const GraphModule& module, Grouping grouping, const Progress& progress)
        : m_graph(module.graph), m_progress(progress), m_grouping(std::move(grouping)) {}

    Hierarchy run(std::vector<LevelSplitter::Level> levels) {
        numberGroups(levels);
        countNodes();
        findHubs();
        collectEdges();
        for (std::uint32_t g = 0; g < m_result.groups.size(); ++g) buildLevel(g);
        labelNodes();
        findStructures();
        m_result.chips = std::move(m_grouping.chips);
        return std::move(m_result);
    }

private:
    /// An edge of a level before its ports have numbers. A port is named by the node whose value passes it.
    struct RawEdge {
        std::uint32_t from, to;
        bool fromPort, toPort, drawn;
    };

    /// Groups get their final numbers in preorder, along the items.
    void numberGroups(std::vector<LevelSplitter::Level>& levels) {
        m_result.groupOf.assign(m_graph.idLimit(), kNone);
        m_result.itemOf.assign(m_graph.idLimit(), kNone);
        struct Visit {
            std::uint32_t old, parent, item;
        };
        std::vector<Visit> stack{{0, kNone, kNone}};
        while (!stack.empty()) {
            const auto visit = stack.back();
            stack.pop_back();
            const auto number = static_cast<std::uint32_t>(m_result.groups.size());
            auto& group = m_result.groups.emplace_back();
            group.path = m_grouping.groups[visit.old].path;
            group.title = std::move(levels[visit.old].title);
            group.type = m_grouping.groups[visit.old].type;
            group.artificial = levels[visit.old].artificial;
            group.parent = visit.parent;
            group.depth = visit.parent == kNone ? 0 : m_result.groups[visit.parent].depth + 1;
            group.items = std::move(levels[visit.old].items);
            m_result.itemOfGroup.push_back(visit.item);
            if (visit.parent != kNone) m_result.groups[visit.parent].items[visit.item].id = number;
            for (auto i = static_cast<std::uint32_t>(group.items.size()); i-- > 0;) {
                const auto& item = group.items[i];
                if (item.isGroup) stack.push_back({item.id, number, i});
                else m_result.groupOf[item.id] = number, m_result.itemOf[item.id] = i;
            }
        }
    }

    void countNodes() {
        for (std::uint32_t i = 0; i < m_result.groupOf.size(); ++i) {
            const auto group = m_result.groupOf[i];
            if (group == kNone) continue;
            ++m_result.groups[group].nodeCount;
            for (const auto chip : m_grouping.chips[i])
                if (m_counted.insert(index(chip)).second) ++m_result.groups[group].nodeCount;
        }
        for (std::size_t g = m_result.groups.size(); g-- > 1;)
            m_result.groups[m_result.groups[g].parent].nodeCount += m_result.groups[g].nodeCount;
    }

    bool isDrawn(NodeId id) const { return m_result.groupOf[index(id)] != kNone; }

    void findHubs() {
        m_result.hub.assign(m_graph.idLimit(), false);
        std::uint32_t place = 0;
        m_place.assign(m_graph.idLimit(), 0);
        for (const Node& node : m_graph.nodes()) {
            m_place[index(node.id())] = place++;
            if (!isDrawn(node.id()) || node.users().size() <= kHubUses) continue;
            const auto uses =
                std::count_if(node.users().begin(), node.users().end(), [&](NodeId u) { return isDrawn(u); });
            m_result.hub[index(node.id())] = static_cast<std::size_t>(uses) > kHubUses;
        }
    }

    void collectEdges() {
        m_edges.resize(m_result.groups.size());
        for (const Node& node : m_graph.nodes()) {
            if (++m_ticks % 1024 == 0) m_progress.check();
            if (!isDrawn(node.id())) continue;
            const auto first = firstUser(node);
            const bool hub = m_result.hub[index(node.id())];
            for (const auto user : node.users())
                if (isDrawn(user)) addEdge(node.id(), user, !hub || user == first);
        }
    }
    NodeId firstUser(const Node& node) const {
        auto first = kNoNode;
        for (const auto user : node.users())
            if (isDrawn(user) && (first == kNoNode || m_place[index(user)] < m_place[index(first)])) first = user;
        return first;
    }

    /// Leads an edge out of the groups of its source and into those of its user.
    void addEdge(NodeId source, NodeId user, bool drawn) {
        auto from = m_result.groupOf[index(source)], to = m_result.groupOf[index(user)];
        auto fromItem = m_result.itemOf[index(source)], toItem = m_result.itemOf[index(user)];
        const auto& groups = m_result.groups;
        while (from != to) {
            if (groups[from].depth >= groups[to].depth) {
                if (drawn) m_edges[from].push_back({fromItem, index(source), false, true, true});
                fromItem = m_result.itemOfGroup[from];
                from = groups[from].parent;
            } else {
                if (drawn) m_edges[to].push_back({index(source), toItem, true, false, true});
                toItem = m_result.itemOfGroup[to];
                to = groups[to].parent;
            }
        }
        if (fromItem != toItem) m_edges[from].push_back({fromItem, toItem, false, false, drawn});
    }

    void buildLevel(std::uint32_t g) {
        if (g % 256 == 0) m_progress.check();
        auto& group = m_result.groups[g];
        const auto& raw = m_edges[g];
        group.inPorts = ports(raw, true);
        group.outPorts = ports(raw, false);
        m_result.m_inPorts.push_back(indexOf(group.inPorts));
        m_result.m_outPorts.push_back(indexOf(group.outPorts));
        auto& level = group.level;
        level.kinds.assign(group.inPorts.size(), LevelGraph::Kind::InPort);
        level.kinds.resize(level.kinds.size() + group.items.size(), LevelGraph::Kind::Box);
        level.kinds.resize(level.kinds.size() + group.outPorts.size(), LevelGraph::Kind::OutPort);
        for (const auto& edge : raw) {
            const auto from =
                edge.fromPort ? m_result.inPortOf(g, static_cast<NodeId>(edge.from)) : group.box(edge.from);
            const auto to =
                edge.toPort ? group.outPort(m_result.outPortOf(g, static_cast<NodeId>(edge.to))) : group.box(edge.to);
            level.edges.push_back({from, to, edge.drawn});
        }
        // A drawn edge wins over one that only keeps the order.
        auto& edges = level.edges;
        std::sort(edges.begin(), edges.end(), [](const auto& a, const auto& b) {
            return std::tuple(a.from, a.to, !a.drawn) < std::tuple(b.from, b.to, !b.drawn);
        });
        const auto same = [](const auto& a, const auto& b) { return a.from == b.from && a.to == b.to; };
        edges.erase(std::unique(edges.begin(), edges.end(), same), edges.end());
    }

    /// The ports of a level in an order that is the same in groups of the same structure: by the item inside, then by
    /// node.
    std::vector<NodeId> ports(const std::vector<RawEdge>& raw, bool in) const {
        std::unordered_map<std::uint32_t, std::uint32_t> inner; // node -> first item
        for (const auto& edge : raw) {
            if (in ? !edge.fromPort : !edge.toPort) continue;
            const auto item = in ? edge.to : edge.from;
            auto& first = inner.emplace(in ? edge.from : edge.to, item).first->second;
            first = std::min(first, item);
        }
        std::vector<NodeId> result;
        for (const auto& entry : inner) result.push_back(static_cast<NodeId>(entry.first));
        std::sort(result.begin(), result.end(), [&](NodeId a, NodeId b) {
            return std::pair(inner[index(a)], m_place[index(a)]) < std::pair(inner[index(b)], m_place[index(b)]);
        });
        return result;
    }
    static Hierarchy::PortIndex indexOf(const std::vector<NodeId>& ports) {
        Hierarchy::PortIndex result;
        for (std::uint32_t i = 0; i < ports.size(); ++i) result.byNode.emplace_back(ports[i], i);
        std::sort(result.byNode.begin(), result.byNode.end());
        return result;
    }

    /// Nodes that do the same get the same label: opcode and what is called (for modules their type, else the last
    /// atom).
    void labelNodes() {
        std::unordered_map<std::string, std::uint32_t> labels;
        m_result.label.assign(m_graph.idLimit(), 0);
        for (const Node& node : m_graph.nodes()) {
            if (!isDrawn(node.id())) continue;
            std::string text(opName(node.op()));
            text += ' ';
            if (node.op() == Op::CallModule) text += lastAtom(node.target());
            else if (node.isCall()) text += node.target();
            const auto next = static_cast<std::uint32_t>(labels.size());
            m_result.label[index(node.id())] = labels.emplace(std::move(text), next).first->second;
        }
    }

    /// Numbers structures from the innermost groups outwards, by the full description of each level.
    void findStructures() {
        std::map<std::vector<std::uint32_t>, std::uint32_t> known; // description -> first group
        std::vector<std::uint32_t> first(m_result.groups.size(), kNone);
        for (std::size_t g = m_result.groups.size(); g-- > 0;) {
            if (g % 256 == 0) m_progress.check();
            auto& group = m_result.groups[g];
            std::vector<std::uint32_t> text;
            for (const auto size : {group.inPorts.size(), group.items.size(), group.outPorts.size()})
                text.push_back(static_cast<std::uint32_t>(size));
            for (const auto& item : group.items) {
                text.push_back(item.isGroup ? 1 : 0);
                text.push_back(item.isGroup ? m_result.groups[item.id].structure : m_result.label[item.id]);
                text.push_back(item.isGroup ? 0 : static_cast<std::uint32_t>(m_grouping.chips[item.id].size()));
            }
            for (const auto& edge : group.level.edges)
                text.insert(text.end(), {edge.from, edge.to, edge.drawn ? 1u : 0u});
            group.structure = known.emplace(std::move(text), static_cast<std::uint32_t>(known.size())).first->second;
        }
        for (std::uint32_t g = 0; g < m_result.groups.size(); ++g) {
            auto& group = m_result.groups[g];
            if (first[group.structure] == kNone) first[group.structure] = g;
            else group.sameAs = first[group.structure];
        }
    }

    const Graph& m_graph;
    const Progress& m_progress;
    std::uint32_t m_ticks = 0;
    Grouping m_grouping;
    Hierarchy m_result;
    std::vector<std::uint32_t> m_place; ///< per node id: its place in the graph
    std::unordered_set<std::uint32_t> m_counted;
    std::vector<std::vector<RawEdge>> m_edges;
};

std::uint32_t Hierarchy::PortIndex::find(NodeId source) const {
    const auto at = std::lower_bound(byNode.begin(), byNode.end(), std::pair(source, 0u));
    return at != byNode.end() && at->first == source ? at->second : kNone;
}

Hierarchy Hierarchy::of(const GraphModule& module, const std::set<NodeId>& hidden, const Progress& progress) {
    auto grouping = groupNodes(module, hidden, progress);
    auto levels = LevelSplitter(module, grouping, progress).run();
    return LevelBuilder(module, std::move(grouping), progress).run(std::move(levels));
}

} // namespace fx
