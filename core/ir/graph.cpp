// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/graph.h"

#include "core/diag/error.h"

#include <algorithm>
#include <cassert>
#include <unordered_set>

namespace fx {
namespace {
constexpr std::size_t kScanUpTo = 16;
constexpr std::size_t kMostNodes = std::size_t{1} << 21; // a few steps can double a graph again and again

/// The distinct node inputs in order of first appearance.
IdList<NodeId> collectInputs(const std::vector<Argument>& args, const Kwargs& kwargs) {
    thread_local std::vector<NodeId> all, distinct; // kept, since they are needed for every node
    all.clear(), distinct.clear();
    const auto add = [&](NodeId id) { all.push_back(id); };
    for (const auto& arg : args) {
        if (arg.isNode()) all.push_back(arg.node());
        else forEachNode(arg, add);
    }
    for (const auto& [key, arg] : kwargs) forEachNode(arg, add);
    if (all.size() <= kScanUpTo) {
        for (const NodeId id : all)
            if (std::find(distinct.begin(), distinct.end(), id) == distinct.end()) distinct.push_back(id);
    } else {
        std::unordered_set<std::uint32_t> seen;
        for (const NodeId id : all)
            if (seen.insert(index(id)).second) distinct.push_back(id);
    }
    return IdList<NodeId>(distinct);
}

/// torch.fx `_target_to_str`: what a node is named after.
std::string candidateFor(const std::string& target, const CallablePtr& callable) {
    if (callable) return snakeCase(callable->name);
    const bool magic = target.starts_with("__") && target.ends_with("__");
    return snakeCase(magic ? target.substr(2, std::max<std::size_t>(target.size(), 4) - 4) : target);
}
} // namespace

Graph::Graph() { m_links.push(Link{}); }

NodeId Graph::find(std::string_view name) const { return m_byName.find(m_nodes, name); }

void Graph::takeName(NodeId id) {
    if (!m_byName.enter(m_nodes, id)) m_namesakes.emplace(node(id).name(), id);
}

void Graph::releaseName(NodeId id) {
    if (m_namesakes.empty()) return m_byName.remove(m_nodes, id, kNoNode); // each node has its name alone
    const std::string& name = node(id).name();
    if (find(name) != id) {
        m_namesakes.erase({name, id});
        return;
    }
    const auto heir = m_namesakes.lower_bound({name, NodeId{}});
    const bool isTaken = heir != m_namesakes.end() && heir->first == name;
    m_byName.remove(m_nodes, id, isTaken ? heir->second : kNoNode);
    if (isTaken) m_namesakes.erase(heir);
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
    const std::string candidate = name.empty() ? candidateFor(target, nullptr) : std::string();
    return insertNew(op, std::move(target), nullptr, std::move(args), std::move(kwargs), std::move(type),
                     name.empty() ? candidate : name);
}

NodeId Graph::callFunction(CallablePtr callable, std::vector<Argument> args, Kwargs kwargs, std::string_view name,
                           TypePtr type) {
    assert(callable);
    const std::string candidate = name.empty() ? candidateFor({}, callable) : std::string();
    return insertNew(Op::CallFunction, {}, std::move(callable), std::move(args), std::move(kwargs), std::move(type),
                     name.empty() ? candidate : name);
}

NodeId Graph::placeholder(std::string target, std::vector<Argument> defaultValue, TypePtr type, std::string_view name) {
    return createNode(Op::Placeholder, std::move(target), std::move(defaultValue), {}, name, std::move(type));
}

NodeId Graph::output(Argument value, TypePtr type) {
    std::vector<Argument> args;
    args.push_back(std::move(value));
    return createNode(Op::Output, "output", std::move(args), {}, {}, std::move(type));
}

namespace {
/// Programs may mix up the nodes of several graphs.
void requireNodes(const IdSpan<NodeId>& nodes, std::size_t limit) {
    for (const NodeId node : nodes)
        if (index(node) >= limit) throw Error(ErrorKind::Refused, Message("ir.foreign_node"));
}
} // namespace

NodeId Graph::insertNew(Op op, std::string target, CallablePtr callable, std::vector<Argument> args, Kwargs kwargs,
                        TypePtr type, std::string_view candidate) {
    if (m_nodes.size() >= kMostNodes)
        throw Error(ErrorKind::Refused, Message("ir.too_many_nodes", {{"most", kMostNodes}}));
    const auto id = static_cast<NodeId>(m_nodes.size());
    IdList<NodeId> inputs = collectInputs(args, kwargs);
    requireNodes(inputs.span(), m_nodes.size());
    Node& node = m_nodes.grow();
    node.m_id = id;
    node.m_op = op;
    node.m_name = m_names.create(candidate);
    node.m_target = std::move(target);
    node.m_callable = std::move(callable);
    node.m_args = std::move(args);
    node.m_kwargs.set(std::move(kwargs));
    node.m_type.set(std::move(type));
    node.m_inputs = std::move(inputs);
    for (const NodeId input : node.inputs()) m_nodes.mut(index(input)).m_users.add(id);
    takeName(id);
    m_links.grow();
    link(id, insertAfterLink());
    return id;
}

void Graph::replaceInputs(NodeId id, std::vector<Argument> args, Kwargs kwargs) {
    IdList<NodeId> inputs = collectInputs(args, kwargs);
    requireNodes(inputs.span(), m_nodes.size());
    requireNodes(IdSpan<NodeId>(&id, 1), m_nodes.size());
    Node& changed = m_nodes.mut(index(id));
    for (const NodeId input : changed.inputs()) m_nodes.mut(index(input)).m_users.remove(id);
    changed.m_args = std::move(args);
    changed.m_kwargs.set(std::move(kwargs));
    changed.m_inputs = std::move(inputs);
    for (const NodeId input : changed.inputs()) m_nodes.mut(index(input)).m_users.add(id);
}

void Graph::setArgs(NodeId id, std::vector<Argument> args) { replaceInputs(id, std::move(args), node(id).kwargs()); }
void Graph::setKwargs(NodeId id, Kwargs kwargs) { replaceInputs(id, node(id).m_args, std::move(kwargs)); }
void Graph::setArgsKwargs(NodeId id, std::vector<Argument> args, Kwargs kwargs) {
    replaceInputs(id, std::move(args), std::move(kwargs));
}

NodeId Graph::createCopy(const Node& node, const std::function<Argument(NodeId)>& map, std::string_view name,
                         const std::string& target) {
    std::vector<Argument> args = mapNodes(node.args(), map);
    Kwargs kwargs = mapNodes(node.kwargs(), map);
    if (node.op() == Op::CallFunction)
        return callFunction(node.callable(), std::move(args), std::move(kwargs), name, node.type());
    return createNode(node.op(), target.empty() ? node.target() : target, std::move(args), std::move(kwargs), name,
                      node.type());
}

void Graph::mapInputs(NodeId id, const std::function<Argument(NodeId)>& map) {
    setArgsKwargs(id, mapNodes(node(id).args(), map), mapNodes(node(id).kwargs(), map));
}

void Graph::replaceInput(NodeId id, NodeId before, NodeId after) {
    mapInputs(id, [&](NodeId input) { return Argument(input == before ? after : input); });
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
void Graph::setType(NodeId id, TypePtr type) { m_nodes.mut(index(id)).m_type.set(std::move(type)); }
void Graph::setMeta(NodeId id, MetaPtr meta) { m_nodes.mut(index(id)).m_meta = std::move(meta); }

std::string Graph::rename(NodeId id, std::string_view candidate) {
    if (node(id).name() == candidate) return node(id).name();
    setNameUnchecked(id, m_names.create(candidate));
    return node(id).name();
}

void Graph::setNameUnchecked(NodeId id, std::string name) {
    const bool isNamed = !node(id).erased(); // an erased one has given its name up
    if (isNamed) releaseName(id);
    m_nodes.mut(index(id)).m_name = std::move(name);
    if (isNamed) takeName(id);
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
    for (const NodeId each : {id, with}) requireNodes(IdSpan<NodeId>(&each, 1), m_nodes.size());
    std::vector<NodeId> users(node(id).m_users.begin(), node(id).m_users.end());
    std::size_t done = 0; // of `users`: they come to its front
    const auto replace = [&](Argument& arg) {
        if (!arg.isNode()) arg = mapNodes(arg, [&](NodeId input) { return Argument(input == id ? with : input); });
        else if (arg.node() == id) arg = Argument(with);
    };
    for (const NodeId user : users) {
        if (keep && keep(user)) continue;
        Node& changed = m_nodes.mut(index(user));
        for (const NodeId input : changed.inputs()) m_nodes.mut(index(input)).m_users.remove(user);
        for (auto& arg : changed.m_args) replace(arg);
        if (!changed.kwargs().empty()) {
            Kwargs kwargs = changed.kwargs();
            for (auto& [key, arg] : kwargs) replace(arg);
            changed.m_kwargs.set(std::move(kwargs));
        }
        changed.m_inputs = collectInputs(changed.m_args, changed.m_kwargs.get());
        for (const NodeId input : changed.inputs()) m_nodes.mut(index(input)).m_users.add(user);
        users[done++] = user;
    }
    users.resize(done);
    return users;
}

Graph Graph::withOnly(const std::function<bool(const Node&)>& keeps) const {
    Graph out;
    for (std::size_t i = 0; i < m_nodes.size(); ++i) {
        const Node& from = m_nodes[i];
        Node& to = out.m_nodes.grow();
        to.m_id = from.m_id;
        to.m_op = from.m_op;
        to.m_erased = true;
        to.m_name = from.m_name;
        to.m_target = from.m_target;
        to.m_callable = from.m_callable;
        out.m_links.grow();
    }
    for (const Node& from : nodes()) {
        if (!keeps(from)) continue;
        assert(from.inputs().empty());
        Node& to = out.m_nodes.mut(index(from.id()));
        to.m_erased = false;
        to.m_args = from.m_args;
        to.m_kwargs = from.m_kwargs;
        to.m_type = from.m_type;
        to.m_meta = from.m_meta;
        out.takeName(from.id());
        out.link(from.id(), out.m_links[0].prev);
    }
    return out;
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
    Node& erased = m_nodes.mut(index(id));
    for (const NodeId input : erased.inputs()) m_nodes.mut(index(input)).m_users.remove(id);
    erased.m_args = {};
    erased.m_kwargs.set({});
    erased.m_inputs = {};
    erased.m_erased = true;
    unlink(id);
    releaseName(id);
}

} // namespace fx
