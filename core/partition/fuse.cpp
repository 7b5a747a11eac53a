// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/partition/fuse.h"

#include "core/module/module_editor.h"
#include "core/partition/quotient.h"
#include "core/partition/submodule.h"
#include "core/trace/callables.h"

#include <algorithm>
#include <queue>
#include <unordered_map>
#include <unordered_set>

namespace fx {
namespace {

/// torch.fx fuse_as_graphmodule: the graph of a partition as a module of its own.
class Fused {
public:
    Fused(const GraphModule& model, PathResolver& paths, const std::vector<NodeId>& nodes, const std::string& name)
        : m_outer(model.graph) {
        auto root = std::make_shared<Module>();
        AttributeTree attributes(root);
        const std::unordered_set<NodeId> inside(nodes.begin(), nodes.end());
        const auto map = [&](NodeId id) { return inside.contains(id) ? m_map.at(id) : placeholder(id); };
        for (const NodeId id : nodes) {
            const Node& node = m_outer.node(id);
            m_map[id] = copyNode(m_graph, node, map, node.name());
            if (node.op() == Op::GetAttr || node.op() == Op::CallModule)
                attributes.assign(node.target(), needTarget(paths, node));
        }
        std::vector<Argument> results;
        for (const NodeId id : nodes) {
            const auto& users = m_outer.node(id).users();
            if (std::all_of(users.begin(), users.end(), [&](NodeId user) { return inside.contains(user); })) continue;
            outputs.push_back(id);
            results.emplace_back(m_map.at(id));
        }
        m_graph.output(results.size() == 1 ? results[0] : Argument::tuple(std::move(results)));
        module = asGraphModule(root, std::move(m_graph), name);
    }

    std::shared_ptr<Module> module;
    std::vector<NodeId> inputs, outputs; ///< of the outer graph

private:
    NodeId placeholder(NodeId id) {
        const auto [entry, isNew] = m_map.try_emplace(id, kNoNode);
        if (!isNew) return entry->second;
        const Node& node = m_outer.node(id);
        const NodeId made = m_graph.placeholder(node.name(), {}, node.type());
        m_graph.setMeta(made, std::make_shared<const NodeMeta>(node.meta()));
        inputs.push_back(id);
        return entry->second = made;
    }

    const Graph& m_outer;
    Graph m_graph;
    std::unordered_map<NodeId, NodeId> m_map;
};

/// torch.fx insert_subgm: calls the module and lets the users have its results.
void callFused(Graph& graph, const Fused& fused, const std::string& name, NodeId after) {
    graph.setInsertPoint({InsertPoint::Side::After, after});
    const NodeId call =
        graph.createNode(Op::CallModule, name, std::vector<Argument>(fused.inputs.begin(), fused.inputs.end()));
    if (fused.outputs.size() == 1) {
        const MetaPtr meta = std::make_shared<const NodeMeta>(graph.node(fused.outputs[0]).meta());
        graph.setMeta(call, meta);
        graph.replaceAllUses(fused.outputs[0], call);
        return;
    }
    const CallablePtr getitem = resolveCallable("operator.getitem");
    NodeMeta all;
    NodeId last = call;
    for (std::size_t i = 0; i < fused.outputs.size(); ++i) {
        graph.setInsertPoint({InsertPoint::Side::After, last});
        last = graph.callFunction(getitem, {call, static_cast<std::int64_t>(i)});
        const NodeMeta meta = graph.node(fused.outputs[i]).meta();
        all.values.insert(all.values.end(), meta.values.begin(), meta.values.end());
        graph.setMeta(last, std::make_shared<const NodeMeta>(meta));
        graph.replaceAllUses(fused.outputs[i], last);
    }
    graph.setMeta(call, std::make_shared<const NodeMeta>(std::move(all)));
}

/// torch.fx stable_topological_sort, which makes a new graph: users stand in the order of the nodes, and only names of
/// nodes that are there are taken.
void sortLikeNew(Graph& graph) {
    const std::vector<NodeId> before = graph.order();
    std::vector<std::uint32_t> position(graph.idLimit()), waits(graph.idLimit(), 0);
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
    for (std::uint32_t i = 0; i < before.size(); ++i) {
        position[index(before[i])] = i;
        waits[index(before[i])] = static_cast<std::uint32_t>(graph.node(before[i]).inputs().size());
        if (waits[index(before[i])] == 0) ready.push(i);
    }
    std::vector<NodeId> order;
    while (!ready.empty()) {
        const NodeId id = before[ready.top()];
        ready.pop();
        order.push_back(id);
        for (const NodeId user : graph.node(id).users())
            if (--waits[index(user)] == 0) ready.push(position[index(user)]);
    }
    for (std::size_t i = 1; i < order.size(); ++i)
        if (graph.prev(order[i]) != order[i - 1]) graph.moveAfter(order[i], order[i - 1]);
    Namespace names;
    for (const NodeId id : order) {
        if (std::string name = names.create(graph.node(id).name()); name != graph.node(id).name())
            graph.setNameUnchecked(id, std::move(name));
        std::vector<NodeId> users(graph.node(id).users().begin(), graph.node(id).users().end());
        const auto isBefore = [&](NodeId a, NodeId b) { return graph.isBefore(a, b); };
        if (std::is_sorted(users.begin(), users.end(), isBefore)) continue;
        std::sort(users.begin(), users.end(), isBefore);
        graph.setUsersOrder(id, users);
    }
    graph.names() = std::move(names);
}

} // namespace

std::vector<std::string> fuseByPartitions(GraphModule& model, const std::vector<Partition>& partitions,
                                          const std::string& prefix, const Progress& progress) {
    (void)quotientOrder(model.graph, partitions);
    GraphModule fusedModel = model;
    std::vector<std::string> paths;
    {
        PathResolver resolver(*model.root);
        ModuleEditor editor(fusedModel);
        for (std::size_t i = 0; i < partitions.size(); ++i) {
            progress.check();
            const std::string name = prefix + std::to_string(i);
            if (partitions[i].nodes.empty())
                throw Error(ErrorKind::Refused, Message("partition.only_non_compute", {{"number", i}}));
            if (resolver.resolve(name).kind != PathTarget::Kind::Missing)
                throw Error(ErrorKind::Refused, Message("partition.name_taken", {{"name", name}})).onModule(name);
            const std::vector<NodeId> nodes = topoSorted(model.graph, partitions[i].nodes);
            const Fused fused(fusedModel, resolver, nodes, name);
            editor.add(name, fused.module);
            callFused(fusedModel.graph, fused, name, nodes.back());
            for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) fusedModel.graph.erase(*node);
            paths.push_back(name);
        }
    }
    fusedModel.graph.setInsertPoint({});
    sortLikeNew(fusedModel.graph);
    model = std::move(fusedModel);
    return paths;
}

} // namespace fx
