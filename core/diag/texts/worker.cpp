// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/texts/texts.h"

namespace fx::texts {

MessageTexts worker() {
    static constexpr MessageText kTexts[] = {
        {"timing.few_rounds", "only {count} {count|round|rounds} in the time given", "measure longer"},
        {"timing.governor", "the frequency governor is {governor}, not performance"},
        {"timing.interval", "expected an interval with two ends"},
        {"timing.model_warning", "{model}: {warning}"},
        {"timing.noise", "a model differs from itself by up to {share} here"},
        {"timing.noise_floor", "a model differs from itself by up to {share} here: smaller differences do not show"},
        {"timing.own_calls",
         "{model}: {us} µs of each run are {calls} {calls|call|calls} in the user's Python, with the "
         "transfer of values"},
        {"timing.not_settled", "{model} was still changing its speed when warm-up ended"},
        {"timing.other_load", "other processes kept {busy} of {processors} processors busy during the measurement"},
        {"timing.steal", "the hypervisor took {share} of the processors' time"},
        {"timing.sum_of_nodes", "the nodes of {model} add up to {percent} % of the whole"},
        {"timing.variant", "a ratio or report is of a variant that was not timed"},
        {"timing.wide_interval", "the interval ranges from {low} to {high}"},
        {"worker.cannot_draw", "cannot draw the input {name}", "give the range of integers",
         "pass --input {name}=SHAPE:int64<N>"},
        {"worker.cannot_load_library", "cannot load the operator library {path}: {detail}"},
        {"worker.cannot_load_script", "LibTorch cannot load this TorchScript file: {detail}"},
        {"worker.dict_keys", "expected names of inputs as keys of a dict of inputs"},
        {"worker.failed", "the worker failed: {detail}"},
        {"worker.fewer_dimensions", "it has fewer dimensions"},
        {"worker.files_first", "expected a message that says which files to read"},
        {"worker.fixed_size", "expected the size of dimension {dimension} to stay as it was"},
        {"worker.given_twice", "input '{name}' is given twice"},
        {"worker.greatest_size", "expected {symbol} to be at most {size}"},
        {"worker.input_count", "expected {expected} {expected|input|inputs}, got {got}", "give {known}"},
        {"worker.input_shape", "input '{name}' has shape {given}, but the model was exported for {exported}: {reason}",
         "give that shape, or export the model with dynamic_shapes; PyTorch refuses it as well"},
        {"worker.inputs_too_deep", "the inputs are nested too deeply"},
        {"worker.keeps_evaluation",
         "{count} {count|call stays|calls stay} in evaluation mode, which the graph fixes: the first is {first}",
         "trace, export or script the model again in training mode"},
        {"worker.keeps_training",
         "{count} {count|call stays|calls stay} in training mode, which the graph fixes: the first is {first}",
         "trace, export or script the model again in evaluation mode"},
        {"worker.least_size", "expected {symbol} to be at least {size}"},
        {"worker.no_forward", "missing forward in the TorchScript file"},
        {"worker.no_memory", "out of memory", "run with smaller inputs"},
        {"worker.no_value", "missing value of input '{name}'", "the model's inputs are {known}"},
        {"worker.node_not_run", "the run ended before node '{name}'"},
        {"worker.not_a_tensor", "an expression of the model does not give a tensor"},
        {"worker.other_inputs", "{B} takes an input '{name}' that {A} does not"},
        {"worker.other_size", "expected size {size} of dimension {dimension}, as of dimension {other} of {input}"},
        {"worker.output_too_deep", "the output specification is nested too deeply"},
        {"worker.script_lacks_entry", "the TorchScript file is damaged: its entry '{name}' is missing",
         "save it again with torch.jit.save"},
        {"worker.script_no_value", "missing value of input '{name}'", "give each input of the model",
         "pass --input NAME=SHAPE, or --inputs FILE"},
        {"worker.training_mode",
         "the model runs in training mode, in which {count} {count|call computes|calls compute} something else than in "
         "evaluation mode: the first is {first}",
         "choose evaluation mode", "pass --eval; --train says that training mode is meant"},
        {"worker.unknown_input", "unknown input '{name}'", "use one of {known}"},
        {"worker.unknown_node", "unknown node '{name}'"},
        {"worker.unknown_request", "unknown request '{verb}'", "install the same version of Lancet on both sides"},
    };
    return kTexts;
}

} // namespace fx::texts
