// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/convert.h"
#include "core/quant/modes.h"

namespace fx::quant {

/// The mode in which a model is quantised: eval, or training for QAT. Returns a copy with the mode set on all modules,
/// and a warning if any was in the other one.
GraphModule inModeFor(const GraphModule& model, Mode mode, Warnings& warnings);

/// The model with the values of the constants that are computed from its own tensors: what they read may get other
/// values, or be in a quantised layer. PyTorch has computed them when it traced. Asks `engine` only if there are any.
GraphModule withComputedConstants(const GraphModule& model, QuantEngine& engine);

/// Whether a prepared model has anything that is quantised: an observer, or a layer that becomes a quantised one.
bool quantisesAnything(const PreparedModel& prepared);
/// A warning if nothing of `prepared` is quantised, and one if layers were fused all the same. `model` is what it was
/// prepared from.
Warnings nothingQuantised(const GraphModule& model, const PreparedModel& prepared, Mode mode);
/// The warning that a mode found nothing to quantise.
Warnings nothingQuantised(Mode mode);

/// `prepared.eval()` before convert_fx, as in torch.ao's manual: what is converted computes results, also where dropout
/// and normalisations stay in floating point. For the mode qat; models of the others are in eval mode.
void setEval(PreparedModel& prepared);

} // namespace fx::quant
