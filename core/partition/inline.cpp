// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/partition/inline.h"

#include "core/module/module_editor.h"
#include "core/partition/submodule.h"

#include <algorithm>
#include <unordered_map>

namespace fx {
namespace {

Error refusal(const Node& call, const Message& what) { return Error(ErrorKind::Refused, what).onNode(call.name()); }

/// What stands for each input of the module: an argument of the call, or the default.
std::unordered_map<NodeId, Argument> boundInputs(const Graph& inner, const Node& call) {
    std::unordered_map<NodeId, Argument> bound;
    std::size_t next = 0;
    for (const Node& node : inner.nodes()) {
        if (node.op() != Op::Placeholder) continue;
        if (const Argument* given = call.kwarg(node.name())) bound[node.id()] = *given;
        else if (next < call.args().size()) bound[node.id()] = call.args()[next++];
        else if (!node.args().empty()) bound[node.id()] = node.args().front();
        else throw refusal(call, Message("partition.missing_input", {{"input", node.name()}, {"node", call.name()}}));
    }
    if (next < call.args().size()) throw refusal(call, Message("partition.too_many_inputs", {{"node", call.name()}}));
    return bound;
}

/// The path of the model at which something of the module stands.
std::string outerPath(PathResolver& outer, PathResolver& inner, const Node& node, const std::string& prefix) {
    const PathTarget there = outer.resolve(node.target()), here = inner.resolve(node.target());
    const bool same = there.kind == here.kind && there.kind != PathTarget::Kind::Missing &&
                      there.module == here.module && there.tensor == here.tensor && (here.module || here.tensor);
    return same ? node.target() : prefix + '.' + node.target();
}

std::optional<std::size_t> indexOf(const Node& user, NodeId call) {
    if (user.op() != Op::CallFunction || user.target() != "_operator.getitem" || user.args().size() != 2 ||
        !user.kwargs().empty())
        return std::nullopt;
    if (!user.args()[0].isNode() || user.args()[0].node() != call || !user.args()[1].as<std::int64_t>())
        return std::nullopt;
    const std::int64_t index = *user.args()[1].as<std::int64_t>();
    return index < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(index));
}

/// Users of the call use what it stands for.
void handOver(Graph& graph, NodeId call, const Argument& result) {
    if (result.isNode()) {
        graph.replaceAllUses(call, result.node());
        return;
    }
    const Sequence* items = result.as<Sequence>();
    const std::vector<NodeId> users(graph.node(call).users().begin(), graph.node(call).users().end());
    for (const NodeId user : users) {
        const auto place = indexOf(graph.node(user), call);
        if (place && items && *place < items->items.size() && items->items[*place].isNode()) {
            graph.replaceAllUses(user, items->items[*place].node());
            graph.erase(user);
            continue;
        }
        graph.mapInputs(user, [&](NodeId id) { return id == call ? result : Argument(id); });
    }
}

/// The names that the nodes had in the module, as far as no other node has them.
void restoreNames(Graph& graph, const std::vector<NodeId>& made, const std::vector<std::string>& wanted) {
    std::vector<bool> isMade(graph.idLimit(), false);
    for (const NodeId id : made) isMade[index(id)] = true;
    Namespace names;
    for (const Node& node : graph.nodes())
        if (!isMade[index(node.id())]) names.reserve(node.name());
    std::vector<std::string> given;
    for (const std::string& name : wanted) given.push_back(names.create(name));
    // First out of each other's way: names are looked up by the node that has them.
    for (std::size_t i = 0; i < made.size(); ++i)
        if (graph.node(made[i]).name() != given[i]) graph.setNameUnchecked(made[i], "__inlined_" + std::to_string(i));
    for (std::size_t i = 0; i < made.size(); ++i)
        if (graph.node(made[i]).name() != given[i]) graph.setNameUnchecked(made[i], given[i]);
    graph.names() = std::move(names);
}

} // namespace

std::vector<NodeId> inlineModule(GraphModule& model, NodeId callId) {
    const Node& call = model.graph.node(callId);
    const std::string path = call.op() == Op::CallModule ? call.target() : std::string();
    const PathTarget target = path.empty() ? PathTarget() : resolvePath(*model.root, path);
    if (!target.module || !target.module->graphModule)
        throw refusal(call, Message("partition.not_a_graph", {{"node", call.name()}}));
    GraphModule result = model;
    Graph& graph = result.graph;
    const std::shared_ptr<const GraphModule> inner = target.module->graphModule;
    std::unordered_map<NodeId, Argument> values = boundInputs(inner->graph, call);
    const auto map = [&](NodeId id) { return values.at(id); };
    PathResolver outerPaths(*model.root), innerPaths(*target.module);
    std::vector<NodeId> made;
    std::vector<std::string> wanted;
    Argument returned;
    graph.setInsertPoint({InsertPoint::Side::Before, callId});
    bool refersInside = false;
    for (const Node& node : inner->graph.nodes()) {
        if (node.op() == Op::Placeholder) continue;
        if (node.op() == Op::Output) {
            returned = node.args().empty() ? Argument() : mapNodes(node.args().front(), map);
            continue;
        }
        const bool named = node.op() == Op::CallModule || node.op() == Op::GetAttr;
        const std::string at = named ? outerPath(outerPaths, innerPaths, node, path) : std::string();
        refersInside |= named && at != node.target();
        made.push_back(copyNode(graph, node, map, node.name(), at));
        wanted.push_back(node.name());
        values[node.id()] = made.back();
    }
    graph.setInsertPoint({});
    handOver(graph, callId, returned);
    graph.erase(callId);
    restoreNames(graph, made, wanted);
    for (const Node& node : graph.nodes())
        refersInside |= (node.op() == Op::CallModule || node.op() == Op::GetAttr) &&
                        (node.target() == path || node.target().starts_with(path + '.'));
    if (!refersInside) ModuleEditor(result).remove(path);
    model = std::move(result);
    return made;
}

} // namespace fx
