// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/recreated_nodes.h"

#include "core/ir/print.h"

#include <algorithm>
#include <deque>
#include <unordered_map>

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

const Module* moduleOf(const Node& node, PathResolver& modules) {
    return node.op() == Op::CallModule ? modules.resolve(node.target()).module : nullptr;
}

} // namespace

RecreatedNodes::RecreatedNodes(const GraphModule& before, const GraphModule& after, const EditEffect& effect)
    : m_before(before), m_after(after) {
    if (effect.created.empty() || effect.erased.empty()) return;
    const Graph &was = before.graph, &is = after.graph;
    m_originals.resize(std::max(was.idLimit(), is.idLimit()));
    for (std::size_t i = 0; i < m_originals.size(); ++i) m_originals[i] = static_cast<NodeId>(i);
    m_isTaken.assign(m_originals.size(), 0);
    m_isErased.assign(m_originals.size(), 0);
    m_isCreated.assign(m_originals.size(), 0);
    std::unordered_map<std::string, std::deque<NodeId>> erased; // by target, in the order of the graph
    for (const NodeId node : effect.erased) {
        m_isErased[index(node)] = 1;
        erased[targetKey(was.node(node))].push_back(node);
    }
    for (const NodeId node : effect.created) m_isCreated[index(node)] = 1;
    PathResolver modulesBefore(*before.root), modulesAfter(*after.root);
    for (const NodeId node : effect.created) { // in graph order: inputs are known before
        const auto found = erased.find(targetKey(is.node(node)));
        if (found == erased.end()) continue;
        const std::string call = textAfter(node);
        std::deque<NodeId>& old = found->second;
        for (std::size_t i = 0; i < std::min(old.size(), kTried); ++i) {
            if (textBefore(old[i]) != call ||
                moduleOf(was.node(old[i]), modulesBefore) != moduleOf(is.node(node), modulesAfter))
                continue;
            m_originals[index(node)] = old[i];
            m_isTaken[index(old[i])] = 1;
            old.erase(old.begin() + static_cast<std::ptrdiff_t>(i));
            break;
        }
    }
}

/// The call of an erased node, or of one of both versions; erased nodes that are not recreated stand for anything.
std::string RecreatedNodes::textBefore(NodeId node) const {
    const Graph& was = m_before.graph;
    return callText(was, was.node(node), [&](NodeId input) {
        return m_isErased[index(input)] && !m_isTaken[index(input)] ? std::string() : was.node(input).name();
    });
}

/// The same afterwards; new nodes that recreate nothing stand for anything.
std::string RecreatedNodes::textAfter(NodeId node) const {
    const Graph& is = m_after.graph;
    return callText(is, is.node(node), [&](NodeId input) {
        const NodeId id = original(input);
        return id != input              ? m_before.graph.node(id).name()
               : m_isCreated[index(id)] ? std::string()
                                        : is.node(id).name();
    });
}

/// A node of both versions that differs in no more than new nodes in the place of erased ones.
bool RecreatedNodes::isUnchanged(NodeId node) const {
    const Node &was = m_before.graph.node(node), &is = m_after.graph.node(node);
    return was.name() == is.name() && was.type() == is.type() && was.op() == is.op() &&
           textBefore(node) == textAfter(node);
}

EditEffect RecreatedNodes::remaining(const EditEffect& effect) const {
    if (m_originals.empty()) return effect;
    EditEffect rest = effect;
    std::erase_if(rest.created, [this](NodeId node) { return original(node) != node; });
    std::erase_if(rest.erased, [this](NodeId node) { return m_isTaken[index(node)] != 0; });
    std::erase_if(rest.changed, [this](NodeId node) { return isUnchanged(node); });
    return rest;
}

} // namespace fx
