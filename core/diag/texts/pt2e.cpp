// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/texts/texts.h"

namespace fx::texts {

MessageTexts pt2e() {
    static constexpr MessageText kTexts[] = {
        {"pt2e.backend", "exported programs are quantised for x86 only, not for {backend}",
         "use the backend x86, or quantise the model that was exported, from its source or as a traced model in .pt"},
        {"pt2e.derived_spec", "cannot derive scales from other observers"},
        {"pt2e.keyword_tensor", "cannot observe a tensor that is passed by keyword ('{name}')"},
        {"pt2e.mixed_dynamic", "skipped the rule for {rule}: static and dynamic quantisation cannot be mixed"},
        {"pt2e.mixed_qat", "skipped the rule for {rule}: QAT cannot be mixed with other quantisation"},
        {"pt2e.mode", "exported programs have no mode {mode}", "use static, dynamic or qat"},
        {"pt2e.needs_library", "PyTorch loads this file after `import torch.ao.quantization.fx._decomposed`"},
        {"pt2e.norm_over_other_dimension",
         "did not fold this normalisation: it is over another dimension than the linear layer before it"},
        {"pt2e.not_trained_from_file",
         "PyTorch cannot train a prepared program from this file: it computes the weights' fake quantisation once, "
         "while it loads the file",
         "prepare the program for training in PyTorch, with prepare_qat_pt2e of torchao"},
        {"pt2e.not_an_operator", "left in floating point: expected {operator}"},
        {"pt2e.not_fused_add", "did not fuse this addition with {layer}: its other input is not a tensor of the graph"},
        {"pt2e.output", "torch.load cannot read a program with quantized_decomposed operators",
         "write .pt2, .json or .lancet"},
        {"pt2e.prepared_output", "neither .pt2 nor TorchScript can hold the observers of a prepared program",
         "write .pt, .json or .lancet"},
        {"pt2e.reference", "quantised programs are in the reference form already", "", "leave out --reference"},
        {"pt2e.rule_kind", "X86InductorQuantizer has no rules by '{key}'", "use \"\", object_type or module_name"},
        {"pt2e.several_calls",
         "the nodes of '{module}' have more than one output, which torchao refuses; each is quantised on its own"},
        {"pt2e.shared_with_nothing", "expected an observer to share, got a value that is not observed"},
        {"pt2e.weight_not_attribute", "cannot fold a normalisation into a weight that is computed"},
        {"pt2e.x86_type", "X86InductorQuantizer has no rule for '{type}'",
         "use torch.nn.Conv2d, Linear, MaxPool2d, AvgPool2d or AdaptiveAvgPool2d, or torch.cat, flatten, matmul or "
         "mul"},
    };
    return kTexts;
}

} // namespace fx::texts
