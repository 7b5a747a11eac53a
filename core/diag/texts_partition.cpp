// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/texts.h"

namespace fx::texts {

MessageTexts partition() {
    static constexpr MessageText kTexts[] = {
        {"partition.declined", "its name is one of those that are declined"},
        {"partition.declined_because", "{reason}, {place}"},
        {"partition.declined_by", "unsupported by the rule {rule}, {place}"},
        {"partition.dependency_cycle",
         "the partitions depend on each other in a cycle (Invalid partition, found dependency cycles)"},
        {"partition.dtypes", "{target} is not supported for these dtypes"},
        {"partition.empty", "partition {number} of the assignment has no nodes"},
        {"partition.getitem_loop", "getitem {node} has two inputs that only getitems use and that are in different "
                                   "partitions; torch.fx would reassign it forever"},
        {"partition.group_too_small",
         "its group has {nodes} {nodes|node|nodes}, of which {count} {count|counts|count}: torch.fx counts "
         "call_function nodes that compute and needs two, unless single nodes are allowed"},
        {"partition.in_two", "node {node} is in two partitions"},
        {"partition.input_dtype", "it has an input of {dtype}"},
        {"partition.missing_input", "the call '{node}' gives no value for input '{input}' of its module"},
        {"partition.name_taken", "the model already has '{name}', which the new module would replace"},
        {"partition.never", "placeholders and the output are never in a partition"},
        {"partition.no_parameters", "the model has no parameters to balance stages by", "balance by nodes",
         "pass --balance nodes"},
        {"partition.no_rules", "missing rules that say what is supported"},
        {"partition.no_stages", "expected at least one stage"},
        {"partition.no_times", "missing times of the model's nodes to balance stages by", "balance by nodes",
         "pass --balance nodes"},
        {"partition.node_kind", "node '{node}' is a {op}, which is never in a partition"},
        {"partition.not_a_graph", "the node '{node}' does not call a module with a graph of its own"},
        {"partition.not_in_table", "{target} is not in the table"},
        {"partition.not_named", "no rule of \"supported\" names it, {place}"},
        {"partition.not_sorted", "the graph is not sorted: {node} uses {input}, which does not precede it"},
        {"partition.nothing_supported", "nothing is supported"},
        {"partition.only_non_compute", "partition {number} has no nodes: all were non-compute operators at its ends"},
        {"partition.order_changed", "{writer} writes to {value} in place, and {reader}, which ran {was} it, now runs "
                                    "{now} it: its numbers change"},
        {"partition.other_dtypes", "the rule {rule} is for other dtypes, or those of its inputs are unknown, {place}"},
        {"partition.part_cycle", "cycle exists between partitions!"},
        {"partition.rule_names_nothing", "the rule {rule} names no node of the model"},
        {"partition.rule_overruled",
         "the rule {rule} has no effect: \"unsupported\" names all of its nodes too, and wins"},
        {"partition.rule_without_dtypes", "the rule {rule} names no node of the model, which has no dtypes"},
        {"partition.same_target",
         "the modules '{first}' and '{second}' would both be called '{name}' in submod_{number}"},
        {"partition.self_cycle", "a partition lists a node twice or has a cycle in itself"},
        {"partition.switches_mode",
         "node {node} switches autocast or gradients for those after it; splitting would separate them"},
        {"partition.too_many_inputs", "the call '{node}' gives its module more values than it takes"},
        {"partition.too_many_stages",
         "expected at most {calls} stages, the number of calls of the model, got {stages}"},
        {"partition.trimmed", "it computes nothing and stands at an end of its partition"},
        {"partition.unassigned", "node {node} is in no part"},
        {"partition.unknown_node", "unknown node '{name}' in the assignment"},
        {"pipeline.input_not_tensor",
         "input {name} of the exported program is not a tensor; stages only exchange tensors"},
        {"pipeline.memory_shared",
         "node {node} of stage {stage} writes to {value}, which shares memory with {other} of an earlier stage: "
         "another process gets a copy of each",
         "use another number of stages to keep them together"},
        {"pipeline.no_result", "the model returns no value of its graph"},
        {"pipeline.number_sent", "the number {name} {place}, and stages only exchange tensors",
         "use another number of stages to cut elsewhere"},
        {"pipeline.order", "node {node} of stage {stage} uses {input}, which a later stage computes"},
        {"pipeline.state_shared",
         "node {writer} of stage {writer_stage} writes to {tensor}, which {reader} of stage {reader_stage} reads: each "
         "process has its own copy",
         "use another number of stages to keep them together"},
        {"pipeline.unassigned", "node {node} is in no stage"},
        {"pipeline.unused_stage", "no later stage uses a value of stage {stage}: the stages are not a pipeline"},
    };
    return kTexts;
}

} // namespace fx::texts
