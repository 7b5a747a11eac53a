// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/graph.h"

#include "core/diag/error.h"

#include <algorithm>
#include <cassert>
#include <unordered_set>

namespace fx {
namespace {
constexpr std::size_t kScanUpTo = 16;

/// The distinct node inputs in order of first appearance.
std::vector<NodeId> collectInputs(const std::vector<Argument>& args, const Kwargs& kwargs) {
    std::vector<NodeId> all;
    const auto add = [&](NodeId id) { all.push_back(id); };
    for (const auto& arg : args) {
        if (arg.isNode()) all.push_back(arg.node());
        else forEachNode(arg, add);
    }
    for (const auto& [key, arg] : kwargs) forEachNode(arg, add);
    std::vector<NodeId> distinct;
    if (all.size() <= kScanUpTo) {
        for (const NodeId id : all)
            if (std::find(distinct.begin(), distinct.end(), id) == distinct.end()) distinct.push_back(id);
    } else {
        std::unordered_set<std::uint32_t> seen;
        for (const NodeId id : all)
            if (seen.insert(index(id)).second) distinct.push_back(id);
    }
    return distinct;
}

/// torch.fx `_target_to_str`: what a node is named after.
std::string candidateFor(const std::string& target, const CallablePtr& callable) {
    if (callable) return snakeCase(callable->name);
    const bool magic = target.starts_with("__") && target.ends_with("__");
    return snakeCase(magic ? target.substr(2, std::max<std::size_t>(target.size(), 4) - 4) : target);
}
} // namespace

Graph::Graph() { m_links.push(Link{}); }

NodeId Graph::find(std::string_view name) const {
    const auto place = m_byName.find(name);
    return place == m_byName.kNone ? kNoNode : m_byName[place].node;
}

void Graph::takeName(NodeId id) {
    const auto place = m_byName.enter(node(id).name());
    if (m_byName[place].node != kNoNode) {
        m_namesakes.emplace(node(id).name(), id);
        return;
    }
    m_byName.mut(place).node = id;
    ++m_named;
}

void Graph::releaseName(NodeId id) {
    const auto place = m_byName.find(node(id).name());
    if (place == m_byName.kNone) return;
    if (m_byName[place].node != id) {
        m_namesakes.erase({node(id).name(), id});
        return;
    }
    const auto heir = m_namesakes.lower_bound({node(id).name(), NodeId{}});
    const bool isTaken = heir != m_namesakes.end() && heir->first == node(id).name();
    m_byName.mut(place).node = isTaken ? heir->second : kNoNode;
    if (isTaken) m_namesakes.erase(heir);
    else --m_named;
}

NodeId Graph::outputNode() const {
    const NodeId id = last();
    return id != kNoNode && node(id).op() == Op::Output ? id : kNoNode;
}

std::vector<NodeId> Graph::order() const {
    std::vector<NodeId> ids;
    ids.reserve(m_size);
    for (NodeId id = first(); id != kNoNode; id = next(id)) ids.push_back(id);
    return ids;
}

NodeId Graph::createNode(Op op, std::string target, std::vector<Argument> args, Kwargs kwargs, std::string_view name,
                         TypePtr type) {
    assert(op != Op::CallFunction && "use callFunction");
    Node node;
    node.m_op = op;
    node.m_target = std::move(target);
    node.m_args = std::move(args);
    node.m_kwargs = std::move(kwargs);
    node.m_type = std::move(type);
    const std::string candidate = name.empty() ? candidateFor(node.m_target, nullptr) : std::string(name);
    return insertNew(std::move(node), candidate);
}

NodeId Graph::callFunction(CallablePtr callable, std::vector<Argument> args, Kwargs kwargs, std::string_view name,
                           TypePtr type) {
    assert(callable);
    Node node;
    node.m_op = Op::CallFunction;
    node.m_callable = std::move(callable);
    node.m_args = std::move(args);
    node.m_kwargs = std::move(kwargs);
    node.m_type = std::move(type);
    const std::string candidate = name.empty() ? candidateFor({}, node.m_callable) : std::string(name);
    return insertNew(std::move(node), candidate);
}

NodeId Graph::placeholder(std::string target, std::vector<Argument> defaultValue, TypePtr type, std::string_view name) {
    return createNode(Op::Placeholder, std::move(target), std::move(defaultValue), {}, name, std::move(type));
}

NodeId Graph::output(Argument value, TypePtr type) {
    std::vector<Argument> args;
    args.push_back(std::move(value));
    return createNode(Op::Output, "output", std::move(args), {}, {}, std::move(type));
}

NodeId Graph::insertNew(Node node, std::string_view candidate) {
    const auto id = static_cast<NodeId>(m_nodes.size());
    node.m_id = id;
    node.m_name = m_names.create(candidate);
    node.m_inputs = collectInputs(node.m_args, node.m_kwargs);
    for (const NodeId input : node.m_inputs) m_nodes.mut(index(input)).m_users.add(id);
    m_nodes.push(std::move(node));
    takeName(id);
    m_links.push(Link{});
    link(id, insertAfterLink());
    return id;
}

void Graph::replaceInputs(NodeId id, std::vector<Argument> args, Kwargs kwargs) {
    for (const NodeId input : node(id).m_inputs) m_nodes.mut(index(input)).m_users.remove(id);
    Node& changed = m_nodes.mut(index(id));
    changed.m_args = std::move(args);
    changed.m_kwargs = std::move(kwargs);
    changed.m_inputs = collectInputs(changed.m_args, changed.m_kwargs);
    const std::vector<NodeId> inputs = changed.m_inputs;
    for (const NodeId input : inputs) m_nodes.mut(index(input)).m_users.add(id);
}

void Graph::setArgs(NodeId id, std::vector<Argument> args) { replaceInputs(id, std::move(args), node(id).m_kwargs); }
void Graph::setKwargs(NodeId id, Kwargs kwargs) { replaceInputs(id, node(id).m_args, std::move(kwargs)); }
void Graph::setArgsKwargs(NodeId id, std::vector<Argument> args, Kwargs kwargs) {
    replaceInputs(id, std::move(args), std::move(kwargs));
}

void Graph::setTarget(NodeId id, std::string target) {
    Node& changed = m_nodes.mut(index(id));
    assert(changed.m_op != Op::CallFunction);
    changed.m_target = std::move(target);
}
void Graph::setCallable(NodeId id, CallablePtr callable) {
    assert(callable && node(id).m_op == Op::CallFunction);
    m_nodes.mut(index(id)).m_callable = std::move(callable);
}
void Graph::setCall(NodeId id, Op op, std::string target, CallablePtr callable) {
    assert((op == Op::CallFunction) == (callable != nullptr));
    Node& changed = m_nodes.mut(index(id));
    changed.m_op = op, changed.m_target = std::move(target), changed.m_callable = std::move(callable);
}
void Graph::setType(NodeId id, TypePtr type) { m_nodes.mut(index(id)).m_type = std::move(type); }
void Graph::setMeta(NodeId id, MetaPtr meta) { m_nodes.mut(index(id)).m_meta = std::move(meta); }

std::string Graph::rename(NodeId id, std::string_view candidate) {
    if (node(id).name() == candidate) return node(id).name();
    setNameUnchecked(id, m_names.create(candidate));
    return node(id).name();
}

void Graph::setNameUnchecked(NodeId id, std::string name) {
    releaseName(id);
    m_nodes.mut(index(id)).m_name = std::move(name);
    takeName(id);
}

bool Graph::setUsersOrder(NodeId id, std::span<const NodeId> order) {
    const OrderedIdSet<NodeId>& users = node(id).m_users;
    OrderedIdSet<NodeId> ordered;
    for (const NodeId user : order) {
        if (!users.contains(user) || ordered.contains(user)) return false;
        ordered.add(user);
    }
    if (ordered.size() != users.size()) return false;
    m_nodes.mut(index(id)).m_users = std::move(ordered);
    return true;
}

std::vector<NodeId> Graph::replaceAllUses(NodeId id, NodeId with, const std::function<bool(NodeId)>& keep) {
    const std::vector<NodeId> users(node(id).m_users.begin(), node(id).m_users.end());
    std::vector<NodeId> changed;
    const auto map = [&](NodeId input) { return Argument(input == id ? with : input); };
    for (const NodeId user : users) {
        if (keep && keep(user)) continue;
        std::vector<Argument> args = node(user).m_args;
        Kwargs kwargs = node(user).m_kwargs;
        for (auto& arg : args) arg = mapNodes(arg, map);
        for (auto& [key, arg] : kwargs) arg = mapNodes(arg, map);
        replaceInputs(user, std::move(args), std::move(kwargs));
        changed.push_back(user);
    }
    return changed;
}

void Graph::erase(NodeId id) {
    const Node& victim = node(id);
    if (!victim.m_users.empty()) {
        std::string users;
        for (const NodeId user : victim.m_users) users += (users.empty() ? "" : ", ") + node(user).name() + ": None";
        throw Error(
            ErrorKind::Refused,
            Message("edit.erase_used", {{"node", victim.m_name}, {"count", victim.m_users.size()}, {"users", users}}))
            .onNode(victim.m_name);
    }
    replaceInputs(id, {}, {});
    unlink(id);
    m_nodes.mut(index(id)).m_erased = true;
    releaseName(id);
}

} // namespace fx
