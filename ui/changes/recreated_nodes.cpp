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
    std::vector<char> isErased(m_originals.size(), 0), isCreated(m_originals.size(), 0);
    std::unordered_map<std::string, std::deque<NodeId>> erased; // by target, in the order of the graph
    for (const NodeId node : effect.erased) {
        isErased[fx::index(node)] = 1;
        erased[targetKey(was.node(node))].push_back(node);
    }
    for (const NodeId node : effect.created) isCreated[fx::index(node)] = 1;
    const auto nameBefore = [&](NodeId input) {
        return isErased[fx::index(input)] && !m_isTaken[fx::index(input)] ? std::string() : was.node(input).name();
    };
    const auto nameAfter = [&](NodeId input) {
        const NodeId id = original(input);
        return id != input ? was.node(id).name() : isCreated[fx::index(id)] ? std::string() : is.node(id).name();
    };
    fx::PathResolver modulesBefore(*before.root), modulesAfter(*after.root);
    for (const NodeId node : effect.created) { // in graph order: inputs are known before
        const auto found = erased.find(targetKey(is.node(node)));
        if (found == erased.end()) continue;
        const std::string call = callText(is, is.node(node), nameAfter);
        std::deque<NodeId>& old = found->second;
        for (std::size_t i = 0; i < std::min(old.size(), kTried); ++i) {
            if (callText(was, was.node(old[i]), nameBefore) != call ||
                moduleOf(was.node(old[i]), modulesBefore) != moduleOf(is.node(node), modulesAfter))
                continue;
            m_originals[fx::index(node)] = old[i];
            m_isTaken[fx::index(old[i])] = 1;
            m_isEmpty = false;
            old.erase(old.begin() + static_cast<std::ptrdiff_t>(i));
            break;
        }
    }
}

/// A node of both versions whose call is the same but for recreated nodes.
bool RecreatedNodes::isUnchanged(NodeId node) const {
    const fx::Node &was = m_before.graph.node(node), &is = m_after.graph.node(node);
    if (was.name() != is.name() || was.type() != is.type()) return false;
    const auto nameAfter = [this](NodeId input) {
        const NodeId id = original(input);
        return id == input ? m_after.graph.node(id).name() : m_before.graph.node(id).name();
    };
    return callText(m_after.graph, is, nameAfter) ==
           callText(m_before.graph, was, [this](NodeId input) { return m_before.graph.node(input).name(); });
}

fx::EditEffect RecreatedNodes::remaining(const fx::EditEffect& effect) const {
    if (m_isEmpty) return effect;
    fx::EditEffect rest = effect;
    std::erase_if(rest.created, [this](NodeId node) { return original(node) != node; });
    std::erase_if(rest.erased, [this](NodeId node) { return m_isTaken[fx::index(node)] != 0; });
    std::erase_if(rest.changed, [this](NodeId node) { return isUnchanged(node); });
    return rest;
}

} // namespace ui
