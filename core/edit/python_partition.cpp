// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/partition_step.h"
#include "core/edit/python_steps.h"
#include "core/partition/rule_support.h"

namespace fx {
namespace {

std::string listOf(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + PythonScript::quoted(canonicalTarget(name));
    return "[" + text + "]";
}

/// `partitions`, from the names of the nodes that the rules support.
void writePartitions(const PythonStep& step, const PartitionRequest& request) {
    step.script.imports.insert({"from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner", "from torch.fx.passes.operator_support import create_op_support"});
    const RuleSupport support(*request.rules, step.before);
    std::string names;
    for (const Node& node : step.before.graph.nodes())
        if (support.isNodeSupported(*step.before.root, node)) names += (names.empty() ? "" : ", ") + PythonScript::quoted(node.name());
    step.script.line("supported = {" + names + "}");
    const auto& options = request.options;
    step.script.line("partitioner = CapabilityBasedPartitioner(gm, create_op_support(lambda _, node: node.name in supported)" +
                     std::string(options.allowsSingleNodePartition ? ", allows_single_node_partition=True" : "") +
                     (options.nonComputeOps.empty() ? "" : ", non_compute_ops=" + listOf(options.nonComputeOps)) +
                     (options.allowedSingleNodePartitionOps.empty() ? "" : ", allowed_single_node_partition_ops=" + listOf(options.allowedSingleNodePartitionOps)) +
                     (options.skipHorizontalFusion ? ", skip_horizontal_fusion=True)" : ")"));
    step.script.line("partitions = partitioner.propose_partitions()");
    if (request.trimEnds) step.script.line("partitioner.remove_bookend_non_compute_ops(partitions)");
}

} // namespace

bool writePythonPartition(const PythonStep& step) {
    if (step.before.format == Format::Pt2) return false;
    const PartitionRequest request = partitionRequest(step.json);
    GraphModule copy = step.before;
    const PartitionReport report = partitionModel(copy, request);
    if (report.partitions.empty()) return true;
    if (request.then == PartitionRequest::Then::Fuse) {
        writePartitions(step, request);
        step.script.line("gm = partitioner.fuse_partitions(partitions)");
    } else {
        step.script.imports.insert("from torch.fx.passes.split_module import split_module");
        std::string parts;
        for (const SplitPart& part : report.parts)
            for (const NodeId id : part.nodes) parts += (parts.empty() ? "" : ", ") + PythonScript::quoted(step.before.graph.node(id).name()) + ": " + std::to_string(part.number);
        step.script.line("part = {" + parts + "}");
        step.script.line("gm = split_module(gm, gm, lambda node: part[node.name])");
    }
    step.script.line("graph = gm.graph");
    return true;
}

} // namespace fx
