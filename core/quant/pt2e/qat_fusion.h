// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"
#include "core/quant/pt2e/annotation.h"

namespace fx::quant::pt2e {

/// Replaces convolutions followed by batch normalisation in training mode by a form that scales the weight before it
/// is quantised. Mirrors torchao's `_fuse_conv_bn_qat`:
///
///     weight ─ mul ─────────────── conv ─ div ─ (add bias) ─ batch_norm
///     running_var ─ add eps ─ sqrt ─ div ┘      └ scale
///
/// Annotations move to the new nodes.
void fuseForQat(GraphModule& model, Annotations& annotations);

/// Replaces that form, whose weight has since been quantised, by a convolution with the normalisation folded into its
/// weight. Mirrors torchao's `_fold_conv_bn_qat`.
void foldAfterQat(GraphModule& model, Annotations& annotations);

} // namespace fx::quant::pt2e
