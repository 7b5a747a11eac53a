// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/texts.h"

namespace fx::texts {

MessageTexts match() {
    static constexpr MessageText kTexts[] = {
        {"match.empty_pattern", "the pattern is empty", "write a function that returns something"},
        {"match.input_count",
         "the pattern has {pattern} and the replacement {replacement} (Placeholder count mismatch: {counts})",
         "give both functions the same parameters"},
        {"match.literal_for_value", "the replacement returns a literal where the pattern returns a value of the graph",
         "compute a value: torch.full_like(x, 3) instead of 3"},
        {"match.literal_returned", "the pattern returns an input that stands for a literal here"},
        {"match.missing_attribute",
         "Attempted to create a \"{op}\" node during subgraph rewriting with target {target}, but the referenced "
         "attribute does not exist in the replacement GraphModule"},
        {"match.module_input_used", "the replacement must only call its input '{name}', which stands for a module"},
        {"match.no_insert_point",
         "no node in the graph before which to insert the replacement (The insert point can't be None)"},
        {"match.nothing_selected", "no selected node can be part of a pattern", "select nodes that call something"},
        {"match.output_count",
         "the pattern returns {pattern} and the replacement {replacement} (Returning nodes count mismatch: {counts})",
         "return as many values from both, in the same order"},
        {"match.parameter_name",
         "cannot copy the replacement's parameter '{path}': parameter name can't contain \".\""},
        {"match.pattern_without_output", "missing output of the pattern", "end it with `return ...`"},
        {"match.replacement_without_output", "missing output of the replacement", "end it with `return ...`"},
        {"match.returned_value", "the replacement must return a value of the graph or several",
         "return what it computes from its inputs, or a tuple of such values"},
        {"match.unknown_pattern_node", "unknown pattern node '{name}'", "use one of {known}"},
        {"match.unknown_relaxation", "unknown relaxation '{text}'",
         "use target:NODE=TARGET, argument:NODE=KEY, users:NODE, optional:NODE, commutative, literals, overlap, inputs "
         "or output"},
        {"match.unused_input", "nothing uses the pattern's input '{name}'", "remove it from the parameters"},
        {"match.unused_value", "nothing uses '{name}' of the pattern", "return it, or remove it"},
    };
    return kTexts;
}

} // namespace fx::texts
