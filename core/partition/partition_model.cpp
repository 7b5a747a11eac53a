// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/partition/partition_model.h"

#include "core/module/call_semantics.h"
#include "core/partition/fuse.h"
#include "core/partition/rule_support.h"
#include "core/partition/submodule.h"
#include "core/partition/way_back.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>
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

PartitionReport cutIntoStages(const GraphModule& model, const PartitionRequest& request) {
    const SplitAssignment stages = splitIntoStages(model, request.stages, request.balance, request.times);
    PartitionReport report;
    for (std::size_t i = 0; i < request.stages; ++i) report.partitions.push_back({static_cast<std::uint32_t>(i), {}});
    for (const Node& node : model.graph.nodes())
        if (const int part = stages.partOf[index(node.id())]; part != SplitAssignment::kNoPart)
            report.partitions[static_cast<std::size_t>(part)].nodes.push_back(node.id());
    return report;
}

/// The other way round: each stage is a part.
SplitAssignment partsOf(const Graph& graph, const std::vector<Partition>& stages) {
    SplitAssignment result;
    result.partOf.assign(graph.idLimit(), SplitAssignment::kNoPart);
    result.partitions.assign(stages.size(), std::nullopt);
    result.inOrder = true;
    for (std::size_t i = 0; i < stages.size(); ++i)
        for (const NodeId id : stages[i].nodes) result.partOf[index(id)] = static_cast<int>(i);
    return result;
}

/// Partitions made by hand: whatever is in none of them is so because nobody put it there.
PartitionReport takeAssignment(const GraphModule& model, const PartitionRequest& request) {
    PartitionReport report;
    report.partitions = partitionsNamed(model.graph, request.assignment);
    const auto placeOf = partitionPlaces(model.graph, report.partitions);
    for (const Node& node : model.graph.nodes()) {
        if (placeOf[index(node.id())] != Assignment::kNone) ++report.supported;
        else if (node.isCall())
            report.unassigned.push_back(
                {node.id(), UnassignedNode::Reason::Unsupported, Message("partition.not_assigned"), kNoNode, {}});
    }
    return report;
}

PartitionReport takeRules(const GraphModule& model, const PartitionRequest& request, const Progress& progress) {
    if (!request.rules) throw Error(ErrorKind::Refused, Message("partition.no_rules"));
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

/// Nodes that write in place and nodes that read the same value, which now run in another order: as in torch.fx, which
/// says nothing. `rank`: when a node of the model runs now, by its id.
void warnOfReorderedWrites(const GraphModule& model, const std::vector<std::size_t>& rank, Warnings& warnings) {
    constexpr std::size_t kTold = 3;
    const auto runsFirst = [&](NodeId a, NodeId b) { return rank[index(a)] < rank[index(b)]; };
    const CallSemantics semantics(*model.root);
    std::unordered_map<NodeId, bool> keepsOrder; // by value: none of its users runs before one that ran before it
    const auto isInOrder = [&](NodeId value) {
        const auto [found, isNew] = keepsOrder.try_emplace(value, true);
        if (!isNew) return found->second;
        const auto& users = model.graph.node(value).users();
        std::vector<NodeId> calls;
        std::copy_if(users.begin(), users.end(), std::back_inserter(calls),
                     [&](NodeId user) { return model.graph.node(user).isCall(); });
        std::sort(calls.begin(), calls.end(), [&](NodeId a, NodeId b) { return model.graph.isBefore(a, b); });
        return found->second = std::is_sorted(calls.begin(), calls.end(), runsFirst);
    };
    std::size_t told = 0;
    for (const Node& writer : model.graph.nodes())
        for (const NodeId value : semantics.written(writer)) {
            if (told == kTold) return;
            if (isInOrder(value)) continue;
            for (const NodeId user : model.graph.node(value).users()) {
                if (user == writer.id() || !model.graph.node(user).isCall() ||
                    rank[index(user)] == rank[index(writer.id())])
                    continue;
                if (runsFirst(writer.id(), user) == model.graph.isBefore(writer.id(), user) || told == kTold) continue;
                ++told;
                const std::string& name = model.graph.node(user).name();
                warnings.push_back({Message("partition.order_changed",
                                            {{"writer", writer.name()},
                                             {"value", model.graph.node(value).name()},
                                             {"reader", name},
                                             {"was", (model.graph.isBefore(writer.id(), user) ? "after" : "before")},
                                             {"now", (model.graph.isBefore(writer.id(), user) ? "before" : "after")}}),
                                    writer.name(),
                                    {},
                                    {}});
            }
        }
}

/// When the nodes of the model before run in the one that was made of it.
std::vector<std::size_t> ranksOf(const Graph& before, const Graph& after, const PartitionReport& report, bool fused) {
    std::vector<std::size_t> rank(before.idLimit(), 0);
    if (!fused) {
        for (std::size_t i = 0; i < report.parts.size(); ++i)
            for (const NodeId id : report.parts[i].nodes) rank[index(id)] = i;
        return rank;
    }
    std::unordered_map<std::string_view, std::size_t> modules;
    for (std::size_t i = 0; i < report.modules.size(); ++i) modules.emplace(report.modules[i], i);
    std::size_t place = 0;
    for (const Node& node : after.nodes()) {
        ++place;
        if (index(node.id()) < rank.size()) rank[index(node.id())] = place;
        const auto module = node.op() == Op::CallModule ? modules.find(node.target()) : modules.end();
        if (module == modules.end()) continue;
        for (const NodeId id : report.partitions[module->second].nodes) rank[index(id)] = place;
    }
    return rank;
}

void change(GraphModule& model, const PartitionRequest& request, PartitionReport& report, const Progress& progress) {
    const GraphModule before = model;
    if (request.then == PartitionRequest::Then::Fuse && request.stages == 0) {
        report.modules = fuseByPartitions(model, report.partitions, "fused_", progress);
        return warnOfReorderedWrites(before, ranksOf(before.graph, model.graph, report, true), report.warnings);
    }
    const SplitAssignment assignment = request.stages > 0 ? partsOf(model.graph, report.partitions)
                                                          : splitByPartitions(model.graph, report.partitions);
    GraphModule result = splitModule(model, assignment, &report.parts, progress);
    for (const SplitPart& part : report.parts) report.modules.push_back(part.name);
    model = std::move(result);
    warnOfReorderedWrites(before, ranksOf(before.graph, model.graph, report, false), report.warnings);
}

} // namespace

PartitionReport proposePartitions(const GraphModule& model, const PartitionRequest& request, const Progress& progress) {
    PartitionReport report = request.stages > 0           ? cutIntoStages(model, request)
                             : request.assignment.empty() ? takeRules(model, request, progress)
                                                          : takeAssignment(model, request);
    PathResolver paths(*model.root);
    for (const Partition& partition : report.partitions)
        report.traffic.push_back(trafficOf(model.graph, paths, partition.nodes));
    return report;
}

PartitionReport partitionModel(GraphModule& model, const PartitionRequest& request, const Progress& progress) {
    PartitionReport report = proposePartitions(model, request, progress);
    if (report.partitions.empty() || request.then == PartitionRequest::Then::Report) return report;
    const auto before = std::exchange(model.root, rootWithSubgraphs(model));
    try {
        change(model, request, report, progress);
        return report;
    } catch (...) {
        model.root = before;
        throw;
    }
}

} // namespace fx
