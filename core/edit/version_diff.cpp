// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/version_diff.h"

#include "core/diff/tree_diff.h"
#include "core/ir/print.h"

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <unordered_set>

namespace fx {

namespace {

constexpr std::size_t kTried = 4; ///< erased nodes with the same target that may stand next

/// The call as text; `nameOf` says what each node among its arguments is called, an empty name stands for anything new
/// in the place of something erased.
template<class NameOf> std::string callText(const Graph& graph, const Node& node, NameOf nameOf) {
    const auto text = [&](const Argument& argument) {
        return reprOf(graph, mapNodes(argument, [&](NodeId input) { return Argument(nameOf(input)); }));
    };
    std::string call = node.target() + '(';
    for (const Argument& argument : node.args()) call += text(argument) + ", ";
    for (const auto& [name, argument] : node.kwargs()) call += name + '=' + text(argument) + ", ";
    return call;
}

std::string targetKey(const Node& node) { return std::to_string(static_cast<int>(node.op())) + node.target(); }

bool callsOrReads(const Node& node) { return node.op() == Op::CallModule || node.op() == Op::GetAttr; }

std::unique_ptr<TreeDiff> treeDiff(const GraphModule& before, const GraphModule& after, const Progress& progress) {
    static const DiffOptions kOptions{true, DiffScope::Models, true};
    return before.root == after.root ? nullptr : std::make_unique<TreeDiff>(before, after, kOptions, progress);
}

} // namespace

VersionDiff::VersionDiff(const GraphModule& before, const GraphModule& after, const Progress& progress)
    : m_before(before), m_after(after), m_progress(progress), m_effect(compareVersions(before.graph, after.graph)),
      m_tree(treeDiff(before, after, m_progress)) {
    if (m_effect.created.empty() || m_effect.erased.empty()) return;
    findRecreated();
    std::erase_if(m_effect.created, [this](NodeId node) { return original(node) != node; });
    std::erase_if(m_effect.erased, [this](NodeId node) { return m_isTaken[index(node)] != 0; });
    std::erase_if(m_effect.changed, [this](NodeId node) { return isUnchanged(node); });
}

VersionDiff::~VersionDiff() = default;

void VersionDiff::findRecreated() {
    const Graph &was = m_before.graph, &is = m_after.graph;
    m_originals.resize(std::max(was.idLimit(), is.idLimit()));
    for (std::size_t i = 0; i < m_originals.size(); ++i) m_originals[i] = static_cast<NodeId>(i);
    m_isTaken.assign(m_originals.size(), 0);
    m_isErased.assign(m_originals.size(), 0);
    m_isCreated.assign(m_originals.size(), 0);
    std::unordered_map<std::string, std::deque<NodeId>> erased; // by target, in the order of the graph
    for (const NodeId node : m_effect.erased) {
        m_isErased[index(node)] = 1;
        erased[targetKey(was.node(node))].push_back(node);
    }
    for (const NodeId node : m_effect.created) m_isCreated[index(node)] = 1;
    for (const NodeId node : m_effect.created) { // in graph order: inputs are known before
        const auto found = erased.find(targetKey(is.node(node)));
        const std::string& target = is.node(node).target();
        if (found == erased.end() || (callsOrReads(is.node(node)) && !sameTarget(target))) continue;
        const std::string call = textAfter(node);
        std::deque<NodeId>& old = found->second;
        for (std::size_t i = 0; i < std::min(old.size(), kTried); ++i) {
            if (textBefore(old[i]) != call) continue;
            m_originals[index(node)] = old[i];
            m_isTaken[index(old[i])] = 1;
            old.erase(old.begin() + static_cast<std::ptrdiff_t>(i));
            break;
        }
    }
}

/// The call of an erased node, or of one of both versions; erased nodes that are not recreated stand for anything.
std::string VersionDiff::textBefore(NodeId node) const {
    const Graph& was = m_before.graph;
    return callText(was, was.node(node), [&](NodeId input) {
        return m_isErased[index(input)] && !m_isTaken[index(input)] ? std::string() : was.node(input).name();
    });
}

/// The same afterwards; new nodes that recreate nothing stand for anything.
std::string VersionDiff::textAfter(NodeId node) const {
    const Graph& is = m_after.graph;
    return callText(is, is.node(node), [&](NodeId input) {
        const NodeId id = original(input);
        return id != input              ? m_before.graph.node(id).name()
               : m_isCreated[index(id)] ? std::string()
                                        : is.node(id).name();
    });
}

/// A node of both versions that differs in no more than new nodes in the place of erased ones.
bool VersionDiff::isUnchanged(NodeId node) const {
    const Node &was = m_before.graph.node(node), &is = m_after.graph.node(node);
    return was.name() == is.name() && was.type() == is.type() && was.op() == is.op() &&
           textBefore(node) == textAfter(node);
}

bool VersionDiff::sameTarget(const std::string& path) { return !m_tree || m_tree->compare(path, path).empty(); }

std::vector<NodeId> VersionDiff::withOtherModules() {
    std::vector<NodeId> nodes;
    if (!m_tree) return nodes;
    const Graph& was = m_before.graph;
    const std::unordered_set<NodeId> changed(m_effect.changed.begin(), m_effect.changed.end());
    for (const Node& node : m_after.graph.nodes()) {
        const bool isOld = index(node.id()) < was.idLimit() && !was.node(node.id()).erased();
        if (isOld && callsOrReads(node) && !changed.contains(node.id()) && !sameTarget(node.target()))
            nodes.push_back(node.id());
    }
    return nodes;
}

} // namespace fx
