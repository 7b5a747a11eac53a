// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/python/python_steps.h"
#include "core/edit/steps/partition_step.h"
#include "core/partition/rule_support.h"

namespace fx {
namespace {

std::string listOf(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names)
        text += (text.empty() ? "" : ", ") + PythonScript::quoted(canonicalTarget(name));
    return "[" + text + "]";
}

/// `partitions`, from the names of the nodes that the rules support.
void writePartitions(const PythonStep& step, const PartitionRequest& request) {
    step.script.imports.insert({"from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner",
                                "from torch.fx.passes.operator_support import create_op_support"});
    const RuleSupport support(*request.rules, step.before);
    std::string names;
    for (const Node& node : step.before.graph.nodes())
        if (support.isNodeSupported(*step.before.root, node))
            names += (names.empty() ? "" : ", ") + PythonScript::quoted(node.name());
    step.script.line("supported = {" + names + "}");
    const auto& options = request.options;
    step.script.line(
        "partitioner = CapabilityBasedPartitioner(gm, create_op_support(lambda _, node: node.name in supported)" +
        std::string(options.allowsSingleNodePartition ? ", allows_single_node_partition=True" : "") +
        (options.nonComputeOps.empty() ? "" : ", non_compute_ops=" + listOf(options.nonComputeOps)) +
        (options.allowedSingleNodePartitionOps.empty()
             ? ""
             : ", allowed_single_node_partition_ops=" + listOf(options.allowedSingleNodePartitionOps)) +
        (options.skipHorizontalFusion ? ", skip_horizontal_fusion=True)" : ")"));
    step.script.line("partitions = partitioner.propose_partitions()");
    if (request.trimEnds) step.script.line("partitioner.remove_bookend_non_compute_ops(partitions)");
}

/// Partitions made by hand, fused as the partitioner does it.
void writeAssignment(const PythonStep& step, const PartitionReport& report) {
    step.script.imports.insert("from torch.fx.passes.utils.fuser_utils import fuse_by_partitions");
    std::string lists;
    for (const Partition& partition : report.partitions) {
        std::string names;
        for (const NodeId id : partition.nodes)
            names += (names.empty() ? "" : ", ") + PythonScript::quoted(step.before.graph.node(id).name());
        lists += (lists.empty() ? "[" : ", [") + names + "]";
    }
    step.script.line("named = {node.name: node for node in gm.graph.nodes}");
    step.script.line("gm = fuse_by_partitions(gm, [{named[name]: None for name in names} for names in [" + lists +
                     "]])");
}

} // namespace

bool writePythonPartition(const PythonStep& step) {
    if (step.before.format == Format::Pt2) return false;
    const PartitionRequest request = partitionRequest(step.json);
    GraphModule copy = step.before;
    const PartitionReport report = partitionModel(copy, request);
    if (report.partitions.empty()) return true;
    if (request.then == PartitionRequest::Then::Fuse) {
        if (request.assignment.empty()) {
            writePartitions(step, request);
            step.script.line("gm = partitioner.fuse_partitions(partitions)");
        } else {
            writeAssignment(step, report);
        }
    } else {
        step.script.imports.insert("from torch.fx.passes.split_module import split_module");
        std::string parts;
        for (const SplitPart& part : report.parts)
            for (const NodeId id : part.nodes)
                parts += (parts.empty() ? "" : ", ") + PythonScript::quoted(step.before.graph.node(id).name()) + ": " +
                         std::to_string(part.number);
        step.script.line("part = {" + parts + "}");
        step.script.line("gm = split_module(gm, gm, lambda node: part[node.name])");
    }
    step.script.line("graph = gm.graph");
    return true;
}

/// torch.fx names the nodes anew and leaves the targets as they are in the module: both are put right.
bool writePythonInline(const PythonStep& step) {
    const Graph& graph = step.before.graph;
    const NodeId call = nodeFromJson(step.json.at("node"), graph);
    const std::string path = graph.node(call).target();
    for (const Node& node : graph.nodes()) {
        if (node.id() == call) break;
        if (node.op() == Op::CallModule && node.target() == path) return false;
    }
    std::string names;
    for (NodeId id = graph.prev(call) == kNoNode ? step.after.graph.first() : step.after.graph.next(graph.prev(call));
         id != kNoNode; id = step.after.graph.next(id)) {
        const Node& node = step.after.graph.node(id);
        if (index(id) < graph.idLimit() && !graph.node(id).erased()) break; // what was made stands in a row
        names += (names.empty() ? "(" : ", (") + PythonScript::quoted(node.name()) + ", " +
                 PythonScript::quoted(node.target()) + ")";
    }
    step.script.imports.insert("from torch.fx.experimental.const_fold import _inline_module");
    step.script.line("made = [new for old, new in _inline_module(gm, " + PythonScript::quoted(path) +
                     ", run_dce=False).items() if old.op != \"placeholder\"]");
    step.script.line("for new, (name, target) in zip(made, [" + names + "]):");
    step.script.line("    new.name = name");
    step.script.line("    new.target = target if new.op in (\"call_module\", \"get_attr\") else new.target");
    if (resolvePath(*step.after.root, path).kind == PathTarget::Kind::Missing)
        step.script.line("gm.delete_submodule(" + PythonScript::quoted(path) + ")");
    return true;
}

} // namespace fx
