// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/texts/texts.h"

namespace fx::texts {

MessageTexts quant() {
    static constexpr MessageText kTexts[] = {
        {"quant.already_quantised", "the model is quantised already", "open the model in floating point"},
        {"quant.below_budget", "the output loses more than the error budget allows, whichever layers are quantised",
         "lower the budget, or leave more operators in floating point"},
        {"quant.embedding_qscheme", "weights of embeddings need the qscheme torch.per_channel_affine_float_qparams",
         "give torch.nn.Embedding the qconfig float_qparams_weight_only_qconfig, or null"},
        {"quant.fused_rules", "the rules for the parts of {module} differ: {part}",
         "give all parts of a fused layer the same qconfig"},
        {"quant.fusion_refused", "{module} cannot be fused with what follows it in this mode"},
        {"quant.fusion_root", "expected a fusion that starts with a module"},
        {"quant.lowering", "cannot make the quantised operator: {reason}"},
        {"quant.missing_input", "a nested module has no value for its input '{input}'"},
        {"quant.missing_module", "no module at '{path}'"},
        {"quant.modes_differ", "the layer and its normalisation are in different modes",
         "set both to eval mode (set_training with value false)"},
        {"quant.nan_in_batch", "input '{input}' contains NaN", "remove the batch, or replace its NaN values"},
        {"quant.no_layers", "no layer with weights would be quantised", "change the rules",
         "pass other rules with --qconfig"},
        {"quant.no_reference", "the backend has no reference form of {module}"},
        {"quant.norm_features", "the layer and its normalisation have different numbers of channels"},
        {"quant.norm_setting", "a normalisation without {setting} cannot be fused"},
        {"quant.not_eval", "a normalisation is folded in eval mode only",
         "set the model to eval mode first (set_training with value false), or use the mode qat"},
        {"quant.not_compared", "the layers could not be compared with those in floating point: {reason}"},
        {"quant.observer_setting", "{type} does not take {setting}={value}"},
        {"quant.order_form", "expected [module name, object type, index, qconfig]"},
        {"quant.other_scan", "the scan is of another model or other rules: this one does not quantise '{layer}'",
         "choose another file", "pass it with --resume"},
        {"quant.output_kind", "the model returns a value that is not a tensor",
         "return tensors and containers of them"},
        {"quant.random_inputs", "the model is calibrated with random inputs: its ranges do not apply to real inputs",
         "give batches of real inputs", "pass --inputs FILE"},
        {"quant.regex", "cannot use the regular expression '{regex}'"},
        {"quant.rule_form", "expected [name, qconfig]"},
        {"quant.scan_form", "cannot scan the layers of {form}",
         "scan a traced model in the mode static, dynamic or weight-only"},
        {"quant.setting_kind", "expected a number, a string, true, false or null"},
        {"quant.tensor_arguments", "expected at most two tensor arguments, got {count}"},
        {"quant.too_deep", "modules are nested too deeply"},
        {"quant.transposed_per_channel", "{module} cannot have per-channel weights",
         "give it a qconfig with per-tensor weights (default_qconfig), or null"},
        {"quant.unknown_base", "unknown base '{name}'", "use \"default\" or \"none\""},
        {"quant.unknown_key", "unknown key '{key}'"},
        {"quant.unknown_observer", "unknown observer '{type}'",
         "use a class of torch.ao.quantization.observer or fake_quantize, or a name such as default_weight_observer"},
        {"quant.unknown_qconfig", "unknown qconfig '{name}'",
         "use a name of torch.ao.quantization such as default_dynamic_qconfig, or {\"activation\": …, \"weight\": …}"},
        {"quant.unknown_setting", "{type} has no setting '{setting}'"},
        {"quant.was_eval", "the model was in eval mode and is quantised in training mode"},
        {"quant.was_training", "the model was in training mode and is quantised in eval mode"},
        {"quant.weight_dtype", "the backend quantises float32 weights only, got {dtype}",
         "convert the model to float32 first, or exclude the layer by a null qconfig"},
        {"quant.weights_dtype", "only float32 and float64 weights can be folded"},
    };
    return kTexts;
}

} // namespace fx::texts
