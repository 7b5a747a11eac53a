// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/layout/grouping.h"

#include <algorithm>
#include <unordered_map>

namespace fx {

namespace {

constexpr std::size_t kNeighboursLookedAt = 64;

bool isContainer(std::string_view type) { return type == "Sequential" || type == "ModuleList" || type == "ModuleDict"; }

std::string_view lastAtom(std::string_view dotted) { return dotted.substr(dotted.rfind('.') + 1); }

class Grouper {
public:
    Grouper(const GraphModule& module, const std::set<NodeId>& hidden, const Progress& progress)
        : m_module(module), m_graph(module.graph), m_hidden(hidden), m_progress(progress) {
        m_result.groups.push_back({"", module.className, kNone, 0});
        m_result.groupOf.assign(m_graph.idLimit(), kNone);
        m_result.chips.resize(m_graph.idLimit());
        m_place.assign(m_graph.idLimit(), 0);
        m_isChip.assign(m_graph.idLimit(), false);
        m_fixed.assign(m_graph.idLimit(), false);
    }

    Grouping run() {
        std::uint32_t place = 0;
        for (const Node& node : m_graph.nodes()) m_place[index(node.id())] = place++;
        findChips();
        for (const Node& node : m_graph.nodes()) tick(), assignByPath(node);
        nameTypes();
        assignBetween();
        return std::move(m_result);
    }

private:
    using Ids = std::vector<std::uint32_t>;
    void tick() {
        if (++m_ticks % 1024 == 0) m_progress.check();
    }
    bool isDrawn(NodeId id) const { return !m_isChip[index(id)] && !m_hidden.contains(id); }

    /// Parameters, buffers and constants that something uses are drawn on their users.
    void findChips() {
        for (const auto& input : m_module.lifted)
            if (input.kind == LiftedInput::Kind::Parameter || input.kind == LiftedInput::Kind::Buffer ||
                input.kind == LiftedInput::Kind::Constant)
                if (index(input.node) < m_isChip.size()) markChip(m_graph.node(input.node));
        for (const Node& node : m_graph.nodes())
            if (node.op() == Op::GetAttr) markChip(node);
        for (const Node& node : m_graph.nodes())
            for (const auto input : node.inputs())
                if (m_isChip[index(input)] && !m_hidden.contains(input))
                    m_result.chips[index(node.id())].push_back(input);
    }
    void markChip(const Node& node) {
        if (!node.erased() && !node.users().empty()) m_isChip[index(node.id())] = true;
    }

    std::uint32_t groupAt(std::string_view path) {
        if (path.empty()) return 0;
        if (const auto found = m_byPath.find(path); found != m_byPath.end()) return found->second;
        std::uint32_t group = 0;
        for (std::size_t end = 0; end != std::string_view::npos && m_result.groups[group].depth < kMaxGroupDepth;) {
            end = path.find('.', end + (end == 0 ? 0 : 1));
            const auto prefix = path.substr(0, end);
            if (prefix.empty()) continue;
            const auto [at, isNew] = m_byPath.emplace(prefix, static_cast<std::uint32_t>(m_result.groups.size()));
            if (isNew) m_result.groups.push_back({std::string(prefix), "", group, m_result.groups[group].depth + 1});
            group = at->second;
        }
        return group;
    }

    void assignByPath(const Node& node) {
        if (!isDrawn(node.id())) return;
        const auto& target = node.target();
        const auto& stack = node.meta().moduleStack;
        auto& group = m_result.groupOf[index(node.id())];
        group = 0;
        m_fixed[index(node.id())] = true;
        if (node.op() == Op::CallModule) {
            const auto dot = target.rfind('.');
            group = groupAt(std::string_view(target).substr(0, dot == std::string::npos ? 0 : dot));
        } else if (node.isCall() && !stack.empty()) {
            group = groupAt(stack.back().path);
            for (const auto& frame : stack)
                if (const auto found = m_byPath.find(frame.path); found != m_byPath.end())
                    m_result.groups[found->second].type = lastAtom(frame.type);
        } else {
            m_fixed[index(node.id())] = !node.isCall();
        }
    }

    /// Class names from the module tree, following only the branches that are groups.
    void nameTypes() {
        std::unordered_map<std::string, std::uint32_t> childOf; // "parent/atom"
        const auto& groups = m_result.groups;
        const auto key = [](std::uint32_t parent, std::string_view atom) {
            return std::to_string(parent) + '/' + std::string(atom);
        };
        for (std::uint32_t g = 1; g < groups.size(); ++g)
            childOf.emplace(key(groups[g].parent, lastAtom(groups[g].path)), g);
        std::vector<std::pair<std::uint32_t, const Module*>> stack{{0, m_module.root.get()}};
        while (!stack.empty()) {
            const auto [group, module] = stack.back();
            stack.pop_back();
            if (module == nullptr) continue;
            if (group != 0 && m_result.groups[group].type.empty()) m_result.groups[group].type = module->className;
            for (const auto& child : module->children)
                if (const auto found = childOf.find(key(group, child.name)); found != childOf.end())
                    stack.emplace_back(found->second, child.module.get());
        }
    }

    std::uint32_t common(std::uint32_t a, std::uint32_t b) const {
        const auto& groups = m_result.groups;
        while (a != b)
            (groups[a].depth >= groups[b].depth ? a : b) = groups[groups[a].depth >= groups[b].depth ? a : b].parent;
        return a;
    }
    /// The child of `ancestor` that holds `group`, or kNone when they are the same or not related.
    std::uint32_t childToward(std::uint32_t ancestor, std::uint32_t group) const {
        if (group == kNone) return kNone;
        const auto depth = m_result.groups[ancestor].depth;
        std::uint32_t child = kNone;
        for (; m_result.groups[group].depth > depth; group = m_result.groups[group].parent) child = group;
        return group == ancestor ? child : kNone;
    }

    /// Carries groups along the data to calls that have none: from the last input downwards, from the first user
    /// upwards.
    void assignBetween() {
        const auto order = m_graph.order();
        m_before = m_after = m_result.groupOf;
        for (std::size_t i = 0; i < m_fixed.size(); ++i)
            if (!m_fixed[i]) m_before[i] = m_after[i] = kNone;
        for (const auto id : order)
            if (tick(); isDrawn(id) && !m_fixed[index(id)])
                m_before[index(id)] = nearest(m_graph.node(id).inputs(), m_before, true);
        for (auto id = order.rbegin(); id != order.rend(); ++id)
            if (tick(); isDrawn(*id) && !m_fixed[index(*id)])
                m_after[index(*id)] = nearest(m_graph.node(*id).users(), m_after, false);
        m_mark.assign(m_result.groups.size(), kNone);
        for (const auto id : order)
            if (tick(); isDrawn(id) && !m_fixed[index(id)])
                m_result.groupOf[index(id)] = groupBetween(m_graph.node(id));
    }

    template<class Range> std::uint32_t nearest(const Range& neighbours, const Ids& groups, bool last) const {
        std::uint32_t best = kNone, place = 0;
        for (const auto id : neighbours) {
            const auto i = index(id);
            if (!isDrawn(id) || groups[i] == kNone) continue;
            if (best == kNone || (last ? m_place[i] > place : m_place[i] < place)) best = groups[i], place = m_place[i];
        }
        return best;
    }

    template<class Range> Ids knownGroups(const Range& neighbours, const Ids& groups) const {
        Ids known;
        for (const auto id : neighbours)
            if (isDrawn(id) && groups[index(id)] != kNone && known.size() < kNeighboursLookedAt)
                known.push_back(groups[index(id)]);
        return known;
    }

    std::uint32_t groupBetween(const Node& node) {
        const auto before = knownGroups(node.inputs(), m_before), after = knownGroups(node.users(), m_after);
        if (before.empty() && after.empty()) return 0;
        if (before.empty() || after.empty()) {
            const auto& known = before.empty() ? after : before;
            auto group = known[0];
            for (const auto other : known) group = common(group, other);
            return group;
        }
        const auto& groups = m_result.groups;
        const auto mark = index(node.id());
        for (auto group : before)
            for (; group != kNone && m_mark[group] != mark; group = groups[group].parent) m_mark[group] = mark;
        std::uint32_t best = 0;
        for (auto group : after) {
            while (m_mark[group] != mark) group = groups[group].parent;
            if (groups[group].depth > groups[best].depth) best = group;
        }
        return outOfContainer(node, best);
    }

    /// Containers compute nothing, and hand one child's result to the next: the call ends the child before it.
    std::uint32_t outOfContainer(const Node& node, std::uint32_t group) const {
        while (group != 0 && isContainer(m_result.groups[group].type)) {
            const auto from = childToward(group, nearest(node.inputs(), m_before, true));
            const auto next = from != kNone ? from : childToward(group, nearest(node.users(), m_after, false));
            if (next == kNone) break;
            group = next;
        }
        return group;
    }

    const GraphModule& m_module;
    const Graph& m_graph;
    const std::set<NodeId>& m_hidden;
    const Progress& m_progress;
    std::uint32_t m_ticks = 0;
    Grouping m_result;
    std::unordered_map<std::string_view, std::uint32_t> m_byPath; ///< views into the graph's targets and stacks
    Ids m_place, m_before, m_after, m_mark;
    std::vector<bool> m_isChip, m_fixed;
};

} // namespace

Grouping groupNodes(const GraphModule& module, const std::set<NodeId>& hidden, const Progress& progress) {
    return Grouper(module, hidden, progress).run();
}

} // namespace fx
