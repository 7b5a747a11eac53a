// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/texts.h"

namespace fx::texts {

MessageTexts passes() {
    static constexpr MessageText kTexts[] = {
        {"passes.arguments_mismatch", "the arguments do not fit the parameters and stay as they are"},
        {"passes.batch_norm_eps", "a batch normalization has no eps"},
        {"passes.channels", "the layer has {channels} channels, its normalization {features}"},
        {"passes.dropout_arguments", "Expected 1 arg for Dropout, got {count}",
         "pass the input by position (set_args)"},
        {"passes.failed", "pass {pass}: {reason}"},
        {"passes.keyword_arguments", "{target} has keyword arguments and stays as it is"},
        {"passes.missing_attribute", "Node {node} target {target} references nonexistent attribute"},
        {"passes.module_shared", "module {module} is also used elsewhere and stays as it is"},
        {"passes.needs_worker", "it needs lancet-worker", "", "run it with `lancet pass`"},
        {"passes.not_eval", "Fusion only for eval!",
         "set the model to eval mode first (set_training with value false)"},
        {"passes.unavailable", "it cannot run here: {reason}"},
        {"passes.unknown", "unknown pass '{name}'", "did you mean {near}", "see `lancet passes` for the list"},
        {"passes.unknown_setting", "unknown setting '{name}' of the pass", "{known}"},
        {"passes.weights_dtype", "unsupported dtypes of weights: expected all float32 or all float64"},
    };
    return kTexts;
}

} // namespace fx::texts
