// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/texts/texts.h"

namespace fx::texts {

MessageTexts match() {
    static constexpr MessageText kTexts[] = {
        {"match.also_result", "{node} is also a result of the graph"},
        {"match.argument_count", "{wanted} {wanted|argument|arguments} in the pattern, {given} in the graph"},
        {"match.cycle", "fusing these nodes would create a cycle"},
        {"match.empty_pattern", "the pattern is empty", "write a function that returns something"},
        {"match.extra_node", "the graph also has {given} after {wanted}"},
        {"match.gave_up",
         "the search gave up at {count} {count|node|nodes} after {combinations} combinations each; a match may be "
         "missing",
         "relax fewer nodes"},
        {"match.input_count",
         "the pattern has {pattern} and the replacement {replacement} (Placeholder count mismatch: {counts})",
         "give both functions the same parameters"},
        {"match.item_count", "{argument} has {wanted} {wanted|item|items} in the pattern, {given} in the graph"},
        {"match.keywords", "keyword arguments in the pattern: {wanted}, in the graph: {given}"},
        {"match.literal_for_value", "the replacement returns a literal where the pattern returns a value of the graph",
         "compute a value: torch.full_like(x, 3) instead of 3"},
        {"match.literal_returned", "the pattern returns an input that stands for a literal here"},
        {"match.missing_attribute",
         "Attempted to create a \"{op}\" node during subgraph rewriting with target {target}, but the referenced "
         "attribute does not exist in the replacement GraphModule"},
        {"match.missing_node", "the pattern also has {wanted} after {given}"},
        {"match.module_input_used", "the replacement must only call its input '{name}', which stands for a module"},
        {"match.no_insert_point",
         "no node in the graph before which to insert the replacement (The insert point can't be None)"},
        {"match.not_an_input", "an input of the pattern must be an input of the graph; here it is {given}"},
        {"match.nothing_like", "no node here is {wanted}"},
        {"match.nothing_selected", "no selected node can be part of a pattern", "select nodes that call something"},
        {"match.other_node", "the pattern has {wanted}, the graph {given}"},
        {"match.other_results", "the pattern and the graph return different values"},
        {"match.other_value", "{argument} is {wanted} in the pattern, {given} in the graph"},
        {"match.output_count",
         "the pattern returns {pattern} and the replacement {replacement} (Returning nodes count mismatch: {counts})",
         "return as many values from both, in the same order"},
        {"match.overlaps", "{node} is part of the match of {match}"},
        {"match.parameter_name",
         "cannot copy the replacement's parameter '{path}': parameter name can't contain \".\""},
        {"match.pattern_without_output", "missing output of the pattern", "end it with `return ...`"},
        {"match.replacement_without_output", "missing output of the replacement", "end it with `return ...`"},
        {"match.returned_value", "the replacement must return values of the graph",
         "return what it computes from its inputs, or a tuple of such values"},
        {"match.same_node", "'{first}' and '{second}' of the pattern are two nodes; here both are {node}"},
        {"match.swapped_operands", "the operands are swapped"},
        {"match.two_modules", "the pattern calls '{name}' twice; here these are two modules, {first} and {second}"},
        {"match.two_values", "the pattern takes '{name}' twice; here that is {first} and {second}"},
        {"match.unknown_pattern_node", "unknown pattern node '{name}'", "use one of {known}"},
        {"match.unknown_relaxation", "unknown relaxation '{text}'",
         "use target:NODE=TARGET, argument:NODE=KEY, users:NODE, optional:NODE, commutative, literals, overlap, inputs "
         "or output"},
        {"match.unused_input", "nothing uses the pattern's input '{name}'", "remove it from the parameters"},
        {"match.unused_value", "nothing uses '{name}' of the pattern", "return it, or remove it"},
        {"match.used_outside", "{node} is also used by {user}, which is not part of the pattern"},
    };
    return kTexts;
}

} // namespace fx::texts
