// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/partition/partition_model.h"

#include "core/partition/fuse.h"
#include "core/partition/rule_support.h"
#include "core/partition/way_back.h"

#include <utility>

namespace fx {
namespace {

PartitionReport::Traffic trafficOf(const Graph& graph, PathResolver& paths, const std::vector<NodeId>& nodes) {
    PartitionReport::Traffic traffic{boundaryOf(graph, topoSorted(graph, nodes))};
    const auto sum = [&](const std::vector<NodeId>& ids, std::int64_t& bytes) {
        for (const NodeId id : ids) {
            const auto known = valueBytes(graph.node(id), paths);
            traffic.bytesKnown &= known.has_value();
            bytes += known.value_or(0);
        }
    };
    sum(traffic.boundary.inputs, traffic.bytesIn);
    sum(traffic.boundary.outputs, traffic.bytesOut);
    return traffic;
}

void addTraffic(const GraphModule& model, PartitionReport& report) {
    PathResolver paths(*model.root);
    for (const Partition& partition : report.partitions) report.traffic.push_back(trafficOf(model.graph, paths, partition.nodes));
}

void split(GraphModule& model, const SplitAssignment& assignment, PartitionReport& report, const Progress& progress) {
    GraphModule result = splitModule(model, assignment, &report.parts, progress);
    for (const SplitPart& part : report.parts) report.modules.push_back(part.name);
    model = std::move(result);
}

PartitionReport cutIntoStages(GraphModule& model, const PartitionRequest& request, const Progress& progress) {
    const SplitAssignment stages = splitIntoStages(model, request.stages, request.balance, request.times);
    PartitionReport report;
    for (std::size_t i = 0; i < request.stages; ++i) report.partitions.push_back({static_cast<std::uint32_t>(i), {}});
    for (const Node& node : model.graph.nodes())
        if (const int part = stages.partOf[index(node.id())]; part != SplitAssignment::kNoPart) report.partitions[static_cast<std::size_t>(part)].nodes.push_back(node.id());
    addTraffic(model, report);
    if (request.then != PartitionRequest::Then::Report) split(model, stages, report, progress);
    return report;
}

/// Partitions made by hand: whatever is in none of them is so because nobody put it there.
PartitionReport takeAssignment(const GraphModule& model, const PartitionRequest& request) {
    PartitionReport report;
    report.partitions = partitionsNamed(model.graph, request.assignment);
    const auto placeOf = partitionPlaces(model.graph, report.partitions);
    for (const Node& node : model.graph.nodes()) {
        if (placeOf[index(node.id())] != Assignment::kNone) ++report.supported;
        else if (node.isCall()) report.unassigned.push_back({node.id(), UnassignedNode::Reason::Unsupported, "the assignment does not name it", kNoNode, {}});
    }
    return report;
}

PartitionReport takeRules(const GraphModule& model, const PartitionRequest& request, const Progress& progress) {
    if (!request.rules) throw Error(ErrorKind::Refused, "partitioning needs rules that say what is supported");
    const RuleSupport support(*request.rules, model);
    PartitionReport report;
    report.warnings = support.warnings();
    report.supported = support.supportedCount();
    CapabilityBasedPartitioner partitioner(model, support, request.options);
    report.partitions = partitioner.proposePartitions(progress);
    if (request.trimEnds) partitioner.removeBookendNonComputeOps(report.partitions);
    report.unassigned = partitioner.unassigned(report.partitions);
    report.notMerged = partitioner.notMerged(report.partitions);
    return report;
}

/// The graphs of higher-order operators become modules of the tree, as they are in torch.fx, so that they move with the nodes that name them.
std::shared_ptr<Module> withSubgraphs(const GraphModule& model) {
    auto root = std::make_shared<Module>(*model.root);
    for (const auto& [name, graph] : model.subgraphs) {
        if (root->child(name)) continue;
        auto child = std::make_shared<Module>(*graph->root);
        child->graphModule = graph;
        root->children.push_back({name, std::move(child)});
    }
    return root;
}

PartitionReport partitioned(GraphModule& model, const PartitionRequest& request, const Progress& progress) {
    if (request.stages > 0) return cutIntoStages(model, request, progress);
    PartitionReport report = request.assignment.empty() ? takeRules(model, request, progress) : takeAssignment(model, request);
    addTraffic(model, report);
    if (report.partitions.empty()) return report;
    if (request.then == PartitionRequest::Then::Fuse) report.modules = fuseByPartitions(model, report.partitions, "fused_", progress);
    if (request.then == PartitionRequest::Then::Split) split(model, splitByPartitions(model.graph, report.partitions), report, progress);
    return report;
}

} // namespace

PartitionReport partitionModel(GraphModule& model, const PartitionRequest& request, const Progress& progress) {
    if (model.subgraphs.empty() || request.then == PartitionRequest::Then::Report) return partitioned(model, request, progress);
    const auto before = std::exchange(model.root, withSubgraphs(model));
    try {
        PartitionReport report = partitioned(model, request, progress);
        if (report.modules.empty()) model.root = before;
        return report;
    } catch (...) {
        model.root = before;
        throw;
    }
}

} // namespace fx
