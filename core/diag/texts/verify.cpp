// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/texts/texts.h"

namespace fx::texts {

MessageTexts verify() {
    static constexpr MessageText kTexts[] = {
        {"verify.and_more", "{first} and {count} more"},
        {"verify.argument", "argument {argument} of {node} is {a} in {A}, {b} in {B}"},
        {"verify.at_load_in_a", "PyTorch traces the saved code of {A} again while it loads the file, and then does not "
                                "run {nodes} as written; this comparison did"},
        {"verify.at_load_in_b", "PyTorch traces the saved code of {B} again while it loads the file, and then does not "
                                "run {nodes} as written; this comparison did"},
        {"verify.at_path", "{path}: {difference}"},
        {"verify.batch_statistics", "{node} normalises by the statistics of the batch (training mode) in {A}, by the "
                                    "running ones in {B}"},
        {"verify.batch_statistics_gone",
         "{node} normalises by the statistics of the batch (training mode) in {A} and is "
         "not in {B}; folding it needs eval mode"},
        {"verify.beyond_tolerance", "{beyond,} of {count,} output values are beyond tolerance; the largest error is "
                                    "{error}"},
        {"verify.both", "{first}; {second}"},
        {"verify.called", "it is {a} in {A}, {b} in {B}"},
        {"verify.cannot_run", "{reason}"},
        {"verify.constant_outputs", "the outputs do not depend on the inputs: other inputs give the same outputs"},
        {"verify.constant_outputs_inside", "the outputs do not depend on the inputs: other inputs give the same "
                                           "outputs; {differing,} of {compared,} nodes before them differ beyond the "
                                           "tolerance"},
        {"verify.default_not_run",
         "the default of input {input} is {a} in {A}, {b} in {B}: callers that leave it out get "
         "other values; verify without this input to compare them"},
        {"verify.dropout_in_a", "dropout is active in {A} ({nodes}) and not in {B}; compare in eval mode"},
        {"verify.dropout_in_b", "dropout is active in {B} ({nodes}) and not in {A}: the module is in training mode"},
        {"verify.dropout_in_both", "dropout is active in both ({nodes}): the values drawn depend on the order and the "
                                   "shapes of all random calls; compare in eval mode"},
        {"verify.dropout_moved", "dropout is active in {A} ({nodes}) and elsewhere in {B} ({others})"},
        {"verify.empty_outputs", "the models return no values"},
        {"verify.largest_error", "the largest error is {error}"},
        {"verify.close_state", "what the runs leave in buffers or inputs agrees, but not bit for bit"},
        {"verify.later_call", "these inputs agree in the first calls, but after {calls,} calls, as far as the buffers "
                              "go on as they begin, {difference}"},
        {"verify.left_inputs", "an input differs after the run: {difference}"},
        {"verify.left_state", "the tensor {buffer} differs after the run: {difference}"},
        {"verify.lost_state",
         "while it runs, {A} writes into {count|a tensor|tensors} that {B} does not have: {buffers}"},
        {"verify.missing_key", "{B} has no {key}"},
        {"verify.model_a", "{A}"},
        {"verify.model_b", "{B}"},
        {"verify.modes", "it is in {a} mode in {A}, in {b} mode in {B}"},
        {"verify.nan_in_both", "{count,} NaN at the same {count|position|positions} in both {count|counts|count} as "
                               "equal"},
        {"verify.nan_in_one", "{count,} NaN {count|is|are} in only one of the models"},
        {"verify.nan_outputs", "all outputs are NaN in both models"},
        {"verify.narrower_sizes", "{B} is for fixed sizes: dimension {dimension} of the input {input} is {a} in {A}, "
                                  "{b} in {B}; export {B} with the same dynamic_shapes"},
        {"verify.not_comparable", "output {output}: {difference}"},
        {"verify.near_ties",
         "integers or booleans of the outputs are decided by floats that differ by rounding: near ties "
         "they may differ"},
        {"verify.not_finite",
         "the data contain no NaN or infinite values, for which what changed ({nodes}) gives other "
         "values"},
        {"verify.not_finite_in_one",
         "{beyond,} of {count,} output values are beyond tolerance: they are NaN or infinite in one model only"},
        {"verify.not_reached", "these inputs do not reach what changed ({nodes}): it gives other values for other "
                               "data"},
        {"verify.no_data", "these inputs give what changed ({nodes}) only tensors without elements"},
        {"verify.node_differs", "{difference}"},
        {"verify.one_value", "at {value} what changed ({nodes}) gives another result"},
        {"verify.only_b_stops", "model A runs on these inputs, model B does not"},
        {"verify.other_attributes", "not compared: the values of attributes differ ({names})"},
        {"verify.other_boundary", "the integers or booleans are the same here, but for other data they change at "
                                  "different points (what changed: {nodes})"},
        {"verify.other_branch", "what changed has branches, loops or comparisons ({nodes}) of which these inputs take "
                                "only one side"},
        {"verify.other_checks",
         "checks of inputs that are not in the graphs: {a} in {A}, {b} in {B}; for other inputs one "
         "model can raise an exception"},
        {"verify.other_call", "these inputs agree in the first call, but in call {call} of the same model the outputs "
                              "differ"},
        {"verify.other_call_inputs", "these inputs agree in the first call, but in call {call} of the same model, with "
                                     "other inputs in each, the outputs differ"},
        {"verify.other_count", "these inputs agree as long as the tensor {buffer}, which each call changes, is not "
                               "near {value}: with that value the outputs differ"},
        {"verify.other_data", "these inputs agree, but others do not: with {inputs} {difference}"},
        {"verify.other_decision", "the integers or booleans are the same here, but the models decide by different "
                                  "values ({nodes}): for other data they can decide differently"},
        {"verify.other_default", "not compared: the default of input {input} is {a} in {A}, {b} in {B}"},
        {"verify.other_extents", "not compared for other sizes: with {inputs} {A} runs, but {B} does not: {reason}"},
        {"verify.other_hooks", "forward hooks are not run, and only one model has them: {a} in {A}, {b} in {B}"},
        {"verify.other_inputs", "the outputs agree, but after the run the input {input} differs: {difference}"},
        {"verify.other_methods", "not compared: methods other than forward differ ({names})"},
        {"verify.other_node", "{input}, an input of {node}, is another node in {B}: {difference}"},
        {"verify.other_sizes", "these inputs show only their own sizes: for inputs of other sizes, what changed "
                               "({nodes}) gives other values or shapes"},
        {"verify.other_structure", "the output: {difference}"},
        {"verify.other_state", "the outputs agree, but after the run the tensor {buffer} differs: {difference}"},
        {"verify.parameters", "its parameters or buffers differ: {names}"},
        {"verify.probed", "with these weights: cannot tell, since {reason}; with {what}: {verdict}, largest error "
                          "{error}"},
        {"verify.probed_different", "with {what} the outputs differ, the largest error is {error}; these inputs do not "
                                    "show it: {reason}"},
        {"verify.probed_not_finite",
         "with {what} the outputs differ in values that are NaN or infinite; these inputs do "
         "not show it: {reason}"},
        {"verify.probed_reason", "with these weights: cannot tell, since {reason}; with {what}: {verdict}, {outcome}"},
        {"verify.quantised", "{model} is quantised: its outputs have a signal-to-noise ratio (SQNR) of {sqnr} dB; the "
                             "tolerances of floating point do not apply to it"},
        {"verify.refused_inputs", "{B} is for fixed sizes: with {inputs} {A} runs, but {B} refuses its inputs: "
                                  "{reason}; export {B} with a symbolic batch, or compare it at its own sizes only"},
        {"verify.refused_integers", "these inputs agree, but with {inputs} {A} runs, and {B} refuses them: {reason}"},
        {"verify.refused_sizes", "{B} is for fixed sizes: with {inputs} {A} runs, but {B} stops at {node}: {reason}; "
                                 "write {node} without a fixed size (`x.size(0)` or -1), or use {B} at its own sizes "
                                 "only"},
        {"verify.rounding",
         "{beyond,} of {count,} output values are beyond tolerance; the largest error is {error}, but "
         "{B} is as near to the results in float64 as {A}: it is rounding"},
        {"verify.saturated_outputs", "the outputs do not depend on the inputs: each is at the end of its range"},
        {"verify.saturated_outputs_inside",
         "the outputs do not depend on the inputs: each is at the end of its range; "
         "{differing,} of {compared,} nodes before them differ beyond the tolerance"},
        {"verify.setting", "{setting} is {a} in {A}, {b} in {B}"},
        {"verify.shape_changes", "the shape changes at {node}; broadcasting can give other values without an error"},
        {"verify.shared_module", "the module {module} is called {count} times ({nodes}); changing it for one call "
                                 "changes it for all"},
        {"verify.sides", "{a} in {A}, {b} in {B}"},
        {"verify.signal_lost", "{differing,} of {compared,} nodes differ beyond the tolerance, but the outputs for "
                               "these inputs do not show it"},
        {"verify.special_values",
         "for {values}, which these inputs do not contain, what changed ({nodes}) gives other results"},
        {"verify.small_against_atol", "the error {error} is within atol {atol}, but the outputs themselves are at most "
                                      "{scale}"},
        {"verify.unread_weights",
         "{count|a tensor differs|tensors differ} in elements that no run has read ({tensors}): "
         "longer inputs or other indices can give other values"},
        {"verify.unused_in_a", "only {B} uses the input {input}"},
        {"verify.unused_in_b", "only {A} uses the input {input}"},
        {"verify.unused_tensors",
         "{count|a tensor differs|tensors differ} that nothing uses ({tensors}): the outputs do "
         "not depend on {count|it|them}"},
        {"verify.values_differ", "its values differ"},
        {"verify.values_not_finite", "values are NaN or infinite in one model only"},
        {"verify.write_only_in_a", "only {A} writes to the tensor {tensor}; no run changed its values, but others may"},
        {"verify.write_only_in_b", "only {B} writes to the tensor {tensor}; no run changed its values, but others may"},
    };
    return kTexts;
}

} // namespace fx::texts
