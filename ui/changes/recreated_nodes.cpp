// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/changes/recreated_nodes.h"

#include "core/ir/print.h"

#include <algorithm>
#include <deque>
#include <unordered_map>

namespace ui {

namespace {

using fx::NodeId;

constexpr std::size_t kTried = 4; ///< erased nodes with the same target that may stand next

/// The call as text; `nameOf` says what each node among its arguments is called, an empty name stands for anything new
/// in the place of something erased.
template<class NameOf> std::string callText(const fx::Graph& graph, const fx::Node& node, NameOf nameOf) {
    const auto text = [&](const fx::Argument& argument) {
        return fx::reprOf(graph, fx::mapNodes(argument, [&](NodeId input) { return fx::Argument(nameOf(input)); }));
    };
    std::string call = node.target() + '(';
    for (const fx::Argument& argument : node.args()) call += text(argument) + ", ";
    for (const auto& [name, argument] : node.kwargs()) call += name + '=' + text(argument) + ", ";
    return call;
}

std::string targetKey(const fx::Node& node) { return std::to_string(static_cast<int>(node.op())) + node.target(); }

const fx::Module* moduleOf(const fx::Node& node, fx::PathResolver& modules) {
    return node.op() == fx::Op::CallModule ? modules.resolve(node.target()).module : nullptr;
}

} // namespace

RecreatedNodes::RecreatedNodes(const fx::GraphModule& before, const fx::GraphModule& after,
                               const fx::EditEffect& effect)
    : m_before(before), m_after(after) {
    if (effect.created.empty() || effect.erased.empty()) return;
    const fx::Graph &was = before.graph, &is = after.graph;
    m_originals.resize(std::max(was.idLimit(), is.idLimit()));
    for (std::size_t i = 0; i < m_originals.size(); ++i) m_originals[i] = static_cast<NodeId>(i);
    m_isTaken.assign(m_originals.size(), 0);
    m_isErased.assign(m_originals.size(), 0);
    m_isCreated.assign(m_originals.size(), 0);
    std::unordered_map<std::string, std::deque<NodeId>> erased; // by target, in the order of the graph
    for (const NodeId node : effect.erased) {
        m_isErased[fx::index(node)] = 1;
        erased[targetKey(was.node(node))].push_back(node);
    }
    for (const NodeId node : effect.created) m_isCreated[fx::index(node)] = 1;
    fx::PathResolver modulesBefore(*before.root), modulesAfter(*after.root);
    for (const NodeId node : effect.created) { // in graph order: inputs are known before
        const auto found = erased.find(targetKey(is.node(node)));
        if (found == erased.end()) continue;
        const std::string call = textAfter(node);
        std::deque<NodeId>& old = found->second;
        for (std::size_t i = 0; i < std::min(old.size(), kTried); ++i) {
            if (textBefore(old[i]) != call ||
                moduleOf(was.node(old[i]), modulesBefore) != moduleOf(is.node(node), modulesAfter))
                continue;
            m_originals[fx::index(node)] = old[i];
            m_isTaken[fx::index(old[i])] = 1;
            old.erase(old.begin() + static_cast<std::ptrdiff_t>(i));
            break;
        }
    }
}

/// The call of an erased node, or of one of both versions; erased nodes that are not recreated stand for anything.
std::string RecreatedNodes::textBefore(NodeId node) const {
    const fx::Graph& was = m_before.graph;
    return callText(was, was.node(node), [&](NodeId input) {
        return m_isErased[fx::index(input)] && !m_isTaken[fx::index(input)] ? std::string() : was.node(input).name();
    });
}

/// The same afterwards; new nodes that recreate nothing stand for anything.
std::string RecreatedNodes::textAfter(NodeId node) const {
    const fx::Graph& is = m_after.graph;
    return callText(is, is.node(node), [&](NodeId input) {
        const NodeId id = original(input);
        return id != input                  ? m_before.graph.node(id).name()
               : m_isCreated[fx::index(id)] ? std::string()
                                            : is.node(id).name();
    });
}

/// A node of both versions that differs in no more than new nodes in the place of erased ones.
bool RecreatedNodes::isUnchanged(NodeId node) const {
    const fx::Node &was = m_before.graph.node(node), &is = m_after.graph.node(node);
    return was.name() == is.name() && was.type() == is.type() && was.op() == is.op() &&
           textBefore(node) == textAfter(node);
}

fx::EditEffect RecreatedNodes::remaining(const fx::EditEffect& effect) const {
    if (m_originals.empty()) return effect;
    fx::EditEffect rest = effect;
    std::erase_if(rest.created, [this](NodeId node) { return original(node) != node; });
    std::erase_if(rest.erased, [this](NodeId node) { return m_isTaken[fx::index(node)] != 0; });
    std::erase_if(rest.changed, [this](NodeId node) { return isUnchanged(node); });
    return rest;
}

} // namespace ui
