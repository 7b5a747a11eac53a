// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"
#include "core/quant/pt2e/annotation.h"

namespace fx::quant::pt2e {

/// torchao `_fuse_conv_bn_qat`: replaces convolutions with batch normalisation in training by the form whose weight is
/// scaled before it is quantised:
///
///     weight ─ mul ─────────────── conv ─ div ─ (add bias) ─ batch_norm
///     running_var ─ add eps ─ sqrt ─ div ┘      └ scale
///
/// Annotations move to the new nodes.
void fuseForQat(GraphModule& model, Annotations& annotations);

/// torchao `_fold_conv_bn_qat`: replaces that form, whose weight is quantised meanwhile, by a convolution with the
/// normalisation folded into its weight.
void foldAfterQat(GraphModule& model, Annotations& annotations);

} // namespace fx::quant::pt2e
