// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/texts.h"

namespace fx::texts {

MessageTexts passes() {
    static constexpr MessageText kTexts[] = {
        {"passes.arguments_mismatch", "the arguments do not fit the parameters and stay as they are"},
        {"passes.batch_norm_eps", "a batch normalization has no eps"},
        {"passes.broken_before", "the model fails before the first pass: {reason}"},
        {"passes.channels", "the layer has {channels} channels, its normalization {features}"},
        {"passes.cycle", "the constraints on passes form a cycle: {cycle}", "remove one of these constraints"},
        {"passes.differs", "the outputs differ from those of the model before: {reason}"},
        {"passes.dropout_arguments", "Expected 1 arg for Dropout, got {count}",
         "pass the input by position (set_args)"},
        {"passes.endless", "the pass still changes something after {times} runs", "give a number of times"},
        {"passes.exported_modules", "an exported program has no modules", "save it as .pt first"},
        {"passes.failed", "pass {pass}: {reason}"},
        {"passes.keyword_arguments", "{target} has keyword arguments and stays as it is"},
        {"passes.merge_cycle", "merging these products would create a cycle"},
        {"passes.missing_attribute", "Node {node} target {target} references nonexistent attribute"},
        {"passes.mkldnn", "MKL-DNN tensors and modules cannot be made here", "leave mkldnn_layout_optimize out"},
        {"passes.module_shared", "module {module} is also used elsewhere and stays as it is"},
        {"passes.needs_worker", "it needs lancet-worker", "", "run it with `lancet pass`"},
        {"passes.not_a_tensor", "the value of '{node}' is no tensor and cannot become a parameter",
         "name the node in the setting skip"},
        {"passes.not_eval", "Fusion only for eval!",
         "set the model to eval mode first (set_training with value false)"},
        {"passes.onednn_dense",
         "operators of oneDNN take the weights as they are: packing is lost, so that each run packs them again",
         "leave operators out for the packed kernels of Lancet"},
        {"passes.onednn_dtype", "oneDNN has no kernel for weights of {dtype}"},
        {"passes.onednn_fused", "{nodes}: {kernel}, {millis} ms instead of {plain}"},
        {"passes.onednn_impossible", "no kernel takes these values: {detail}"},
        {"passes.onednn_kernel", "{kernel} is not faster: {millis} ms, as written {plain}"},
        {"passes.onednn_padding", "only padding by numbers of zeros can be fused"},
        {"passes.onednn_settings", "the settings of the layer are not numbers"},
        {"passes.onednn_slower", "the whole model is not faster ({after} ms, before {before}), so it stays as it is"},
        {"passes.onednn_training", "module {module} is in training mode",
         "call eval() on the model, or use the step set_training"},
        {"passes.onednn_unmeasured", "{nodes}: {kernel}"},
        {"passes.onednn_users", "'{node}' has other users too, so both stay apart"},
        {"passes.onednn_view", "a view of its values is written to, which needs their order in memory"},
        {"passes.onednn_weights", "the weights are not tensors of the model"},
        {"passes.onednn_whole",
         "the whole model: {after} ms instead of {before}, {factor} times as fast (95 %: {low} to {high})"},
        {"passes.onednn_writes", "it writes to '{node}', which others may read"},
        {"passes.onednn_written", "'{node}' is written to before it could be read"},
        {"passes.order", "expected '{first}' before '{then}'"},
        {"passes.pipeline_count", "expected a number from 1 to {most}, got {count}"},
        {"passes.pipeline_key", "unknown key '{key}' of a pipeline", "known here: {known}"},
        {"passes.unavailable", "it cannot run here: {reason}"},
        {"passes.unknown", "unknown pass '{name}'", "did you mean {near}", "see `lancet passes` for the list"},
        {"passes.unknown_operator", "no pattern for '{name}'", "there are patterns for {known}"},
        {"passes.unknown_setting", "unknown setting '{name}' of the pass", "{known}"},
        {"passes.unknown_shapes", "the shapes are not known, so the product stays as it is", "run shape_prop first"},
        {"passes.unstable", "the failure does not occur again when the pass runs alone"},
        {"passes.value_count", "the worker returned another number of values than there are"},
        {"passes.weights_dtype", "unsupported dtypes of weights: expected all float32 or all float64"},
    };
    return kTexts;
}

} // namespace fx::texts
