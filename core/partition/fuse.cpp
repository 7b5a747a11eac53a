// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/partition/fuse.h"

#include "core/module/module_editor.h"
#include "core/partition/quotient.h"
#include "core/partition/submodule.h"
#include "core/trace/callables.h"

#include <algorithm>
#include <queue>

namespace fx {
namespace {

/// What nodes of the outer graph are in the partition that is being fused.
class CopyMap {
public:
    void begin() { ++m_round; }
    /// kNoNode: none.
    NodeId operator[](NodeId id) const {
        return index(id) < m_entries.size() && m_entries[index(id)].round == m_round ? m_entries[index(id)].copy
                                                                                     : kNoNode;
    }
    void set(NodeId id, NodeId copy) {
        if (index(id) >= m_entries.size()) m_entries.resize(index(id) + 1);
        m_entries[index(id)] = {m_round, copy};
    }

private:
    struct Entry {
        std::uint32_t round = 0;
        NodeId copy = kNoNode;
    };
    std::vector<Entry> m_entries; ///< by node id
    std::uint32_t m_round = 0;
};

/// torch.fx fuse_as_graphmodule: the graph of a partition as a module of its own.
class Fused {
public:
    Fused(const GraphModule& model, PathResolver& paths, const std::vector<NodeId>& nodes, const std::string& name,
          CopyMap& copies)
        : m_outer(model.graph), m_copies(copies) {
        auto root = std::make_shared<Module>();
        AttributeTree attributes(root);
        m_copies.begin();
        const auto map = [&](NodeId id) { return m_copies[id] == kNoNode ? placeholder(id) : m_copies[id]; };
        for (const NodeId id : nodes) {
            const Node& node = m_outer.node(id);
            m_copies.set(id, copyNode(m_graph, node, map, node.name()));
            if (node.op() == Op::GetAttr || node.op() == Op::CallModule)
                attributes.assign(node.target(), needTarget(paths, node));
        }
        // Now all of the partition is known; a placeholder stands for a node that is outside.
        for (const NodeId id : inputs) m_copies.set(id, kNoNode);
        std::vector<Argument> results;
        for (const NodeId id : nodes) {
            const auto& users = m_outer.node(id).users();
            const auto isInside = [&](NodeId user) { return m_copies[user] != kNoNode; };
            if (std::all_of(users.begin(), users.end(), isInside)) continue;
            outputs.push_back(id);
            results.emplace_back(m_copies[id]);
        }
        m_graph.output(results.size() == 1 ? results[0] : Argument::tuple(std::move(results)));
        module = asGraphModule(root, std::move(m_graph), name);
    }

    std::shared_ptr<Module> module;
    std::vector<NodeId> inputs, outputs; ///< of the outer graph

private:
    NodeId placeholder(NodeId id) {
        const Node& node = m_outer.node(id);
        const NodeId made = m_graph.placeholder(node.name(), {}, node.type());
        m_graph.setMeta(made, node.sharedMeta());
        inputs.push_back(id);
        m_copies.set(id, made);
        return made;
    }

    const Graph& m_outer;
    Graph m_graph;
    CopyMap& m_copies;
};

/// torch.fx insert_subgm: calls the module and lets the users have its results.
void callFused(Graph& graph, const Fused& fused, const std::string& name, NodeId after) {
    graph.setInsertPoint({InsertPoint::Side::After, after});
    const NodeId call =
        graph.createNode(Op::CallModule, name, std::vector<Argument>(fused.inputs.begin(), fused.inputs.end()));
    if (fused.outputs.size() == 1) {
        graph.setMeta(call, MetaPtr(graph.node(fused.outputs[0]).sharedMeta()));
        graph.replaceAllUses(fused.outputs[0], call);
        return;
    }
    const CallablePtr getitem = resolveCallable("operator.getitem");
    NodeMeta all;
    NodeId last = call;
    for (std::size_t i = 0; i < fused.outputs.size(); ++i) {
        graph.setInsertPoint({InsertPoint::Side::After, last});
        last = graph.callFunction(getitem, {call, static_cast<std::int64_t>(i)});
        const MetaPtr meta = graph.node(fused.outputs[i]).sharedMeta();
        if (meta) all.values.insert(all.values.end(), meta->values.begin(), meta->values.end());
        graph.setMeta(last, meta);
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
        CopyMap copies;
        for (std::size_t i = 0; i < partitions.size(); ++i) {
            progress.check();
            const std::string name = prefix + std::to_string(i);
            if (partitions[i].nodes.empty())
                throw Error(ErrorKind::Refused, Message("partition.only_non_compute", {{"number", i}}));
            if (resolver.resolve(name).kind != PathTarget::Kind::Missing)
                throw Error(ErrorKind::Refused, Message("partition.name_taken", {{"name", name}})).onModule(name);
            const std::vector<NodeId> nodes = topoSorted(model.graph, partitions[i].nodes);
            const Fused fused(fusedModel, resolver, nodes, name, copies);
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
