// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/partition/fuse.h"
#include "core/partition/partitioner.h"
#include "core/partition/split.h"
#include "core/textpasses/class_making.h"
#include "core/textpasses/graph_functions.h"
#include "core/textpasses/graph_objects.h"

#include <algorithm>
#include <unordered_set>

namespace fx::python {
namespace {

constexpr int kMostParts = 100'000;

/// torch.fx's split_module and CapabilityBasedPartitioner.
class Splitting {
public:
    explicit Splitting(GraphObjects& objects);

private:
    SplitAssignment assignmentBy(const Value& callback, GraphObject& graph);
    Value splitModule(Values& args, Keywords& kwargs);
    Value proposePartitions(const Values& args);
    Value fusePartitions(const Values& args);

    GraphObjects& m_objects;
    Interpreter& m_in;
};

/// The part that the program's callback gives each call. Only numbers, as of all splitters of torch.fx.
SplitAssignment Splitting::assignmentBy(const Value& callback, GraphObject& graph) {
    SplitAssignment out;
    for (const NodeId id : graph.graph->order()) {
        const Node& node = graph.graph->node(id);
        if (out.partOf.size() <= index(id)) out.partOf.resize(index(id) + 1, SplitAssignment::kNoPart);
        if (!node.isCall()) continue;
        const Value part = m_in.call(callback, {m_objects.node(graph, id)});
        if (!part.isInt() || part.asInt() < 0 || part.asInt() >= kMostParts)
            m_in.raise("NotImplementedError",
                       "split_callback gives " + m_in.repr(part) + " for " + node.name() + ", not a small number");
        out.partOf[index(id)] = static_cast<int>(part.asInt());
        if (out.partitions.size() <= static_cast<std::size_t>(part.asInt()))
            out.partitions.resize(static_cast<std::size_t>(part.asInt()) + 1);
    }
    return out;
}

/// torch.fx `split_module`.
Value Splitting::splitModule(Values& args, Keywords& kwargs) {
    const Value module = argumentAt(args, kwargs, 0, "m");
    if (!m_objects.isGraphModule(module)) m_in.raise("TypeError", "expected a GraphModule, got " + m_in.repr(module));
    static constexpr const char* kUnusual[] = {"keep_original_order", "keep_original_node_name",
                                               "keep_original_input_name", "partition_affix", "tuple_return"};
    for (std::size_t i = 0; i < std::size(kUnusual); ++i) {
        const Value given = argumentAt(args, kwargs, i < 3 ? i + 4 : args.size(), kUnusual[i]);
        if (given.isSet() && m_in.truth(given) != (i == 2))
            m_in.raise("NotImplementedError", std::string("split_module with ") + kUnusual[i]);
    }
    GraphObject& graph = m_objects.graphOf(*module.as<Instance>());
    const SplitAssignment assignment = assignmentBy(argumentAt(args, kwargs, 2, "split_callback"), graph);
    if (auto* names = argumentAt(args, kwargs, 3, "qualname_map").as<Dict>())
        for (const Node& node : graph.graph->nodes()) {
            if (node.op() != Op::CallModule) continue;
            std::string name = node.target();
            std::replace(name.begin(), name.end(), '.', '_');
            const int part = assignment.partOf[index(node.id())];
            names->set(m_in.text("submod_" + std::to_string(part) + "." + name), m_in.text(node.target()));
        }
    GraphModule made;
    m_objects.asModel(graph, [&](GraphModule& model) { made = fx::splitModule(model, assignment); });
    GraphObject* around = m_objects.graphFrom(std::move(made.graph));
    around->className = "GraphModule";
    Instance* out = m_objects.graphModule(made.root, around);
    m_objects.adoptNested(*made.root);
    return out;
}

/// `CapabilityBasedPartitioner.propose_partitions` of (module, supported nodes, allows_single_node_partition,
/// non_compute_ops, allowed_single_node_partition_ops, skip_horizontal_fusion): ids and nodes.
Value Splitting::proposePartitions(const Values& args) {
    if (!m_objects.isGraphModule(args.at(0)))
        m_in.raise("TypeError", "expected a GraphModule, got " + m_in.repr(args[0]));
    GraphObject& graph = m_objects.graphOf(*args.at(0).as<Instance>());
    std::unordered_set<NodeId> supported;
    for (const Value& each : m_in.list(args.at(1))) supported.insert(m_objects.nodeOf(each, "is_node_supported")->id);
    const auto texts = [&](const Value& list) {
        std::vector<std::string> out;
        for (const Value& each : m_in.list(list)) out.push_back(m_in.str(each));
        return out;
    };
    PartitionerOptions options;
    options.allowsSingleNodePartition = m_in.truth(args.at(2));
    options.nonComputeOps = texts(args.at(3));
    options.allowedSingleNodePartitionOps = texts(args.at(4));
    options.skipHorizontalFusion = m_in.truth(args.at(5));
    const OperatorSupportPtr support =
        createOpSupport([&](const Module&, const Node& node) { return supported.contains(node.id()); });
    Values out;
    m_objects.asModel(graph, [&](GraphModule& model) {
        for (const Partition& each : CapabilityBasedPartitioner(model, *support, options).proposePartitions()) {
            Values nodes;
            for (const NodeId id : each.nodes) nodes.push_back(m_objects.node(graph, id));
            out.push_back(m_in.tuple({Value::integerOf(each.id), m_in.listOf(std::move(nodes))}));
        }
    });
    return m_in.listOf(std::move(out));
}

/// torch.fx `fuse_by_partitions` of (module, lists of nodes, prefix), in place.
Value Splitting::fusePartitions(const Values& args) {
    if (!m_objects.isGraphModule(args.at(0)))
        m_in.raise("TypeError", "expected a GraphModule, got " + m_in.repr(args[0]));
    GraphObject& graph = m_objects.graphOf(*args.at(0).as<Instance>());
    std::vector<Partition> partitions;
    for (const Value& list : m_in.list(args.at(1))) {
        Partition& made = partitions.emplace_back();
        made.id = static_cast<std::uint32_t>(partitions.size() - 1);
        for (const Value& each : m_in.list(list)) made.nodes.push_back(m_objects.nodeOf(each, "fuse_partitions")->id);
    }
    m_objects.asModel(graph, [&](GraphModule& model) { fuseByPartitions(model, partitions, m_in.str(args.at(2))); });
    graph.compiled = *graph.graph;
    m_objects.adoptNested(*m_objects.rootOf(graph));
    return args[0];
}

Splitting::Splitting(GraphObjects& objects) : m_objects(objects), m_in(objects.in()) {
    Names& names = m_in.run(*m_in.ownFile("torch.fx")).names;
    Class* functions = makeClass(m_in, "splitting");
    addMethod(m_in, functions, "split_module",
              [this](Values& args, Keywords& kwargs) { return splitModule(args, kwargs); });
    addMethod(m_in, functions, "_propose_partitions",
              [this](Values& args, Keywords&) { return proposePartitions(args); });
    addMethod(m_in, functions, "_fuse_partitions", [this](Values& args, Keywords&) { return fusePartitions(args); });
    for (const char* name : {"split_module", "_propose_partitions", "_fuse_partitions"})
        names.set(name, *functions->find(name));
}

} // namespace

void addSplitting(GraphObjects& objects) { objects.keep(std::make_shared<Splitting>(objects)); }

} // namespace fx::python
