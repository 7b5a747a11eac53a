// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/layout/grouping.h"

#include "core/layout/calls_between.h"

#include <optional>
#include <unordered_map>

namespace fx {

namespace {

class Grouper {
public:
    Grouper(const GraphModule& module, const std::set<NodeId>& hidden, const Progress& progress)
        : m_module(module), m_graph(module.graph), m_hidden(hidden), m_progress(progress) {
        m_result.groups.push_back({"", module.className, kNone, 0});
        m_result.groupOf.assign(m_graph.idLimit(), kNone);
        m_result.chips.resize(m_graph.idLimit());
        m_isChip.assign(m_graph.idLimit(), false);
        m_fixed.assign(m_graph.idLimit(), false);
    }

    Grouping run() {
        findChips();
        for (const Node& node : m_graph.nodes()) tick(), assignByPath(node);
        nameTypes();
        placeCallsBetween(m_graph, m_result, m_fixed, m_progress);
        return std::move(m_result);
    }

private:
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
        } else if (const auto holder = holderOf(node)) {
            group = groupAt(*holder);
        } else {
            m_fixed[index(node.id())] = !node.isCall();
        }
    }

    /// The only module whose parameters a call reads: the call is made there. Nullopt for several or none.
    std::optional<std::string_view> holderOf(const Node& node) const {
        std::optional<std::string_view> holder;
        if (!node.isCall()) return holder;
        for (const auto input : node.inputs()) {
            const Node& read = m_graph.node(input);
            if (read.op() != Op::GetAttr || !m_isChip[index(input)]) continue;
            const auto dot = read.target().rfind('.');
            const auto path = std::string_view(read.target()).substr(0, dot == std::string::npos ? 0 : dot);
            if (holder && *holder != path) return std::nullopt;
            holder = path;
        }
        return holder;
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

    const GraphModule& m_module;
    const Graph& m_graph;
    const std::set<NodeId>& m_hidden;
    const Progress& m_progress;
    std::uint32_t m_ticks = 0;
    Grouping m_result;
    std::unordered_map<std::string_view, std::uint32_t> m_byPath; ///< views into the graph's targets and stacks
    std::vector<bool> m_isChip, m_fixed;
};

} // namespace

Grouping groupNodes(const GraphModule& module, const std::set<NodeId>& hidden, const Progress& progress) {
    return Grouper(module, hidden, progress).run();
}

} // namespace fx
