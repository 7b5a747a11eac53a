// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/convert.h"
#include "core/quant/modes.h"

namespace fx::quant {

/// Returns a copy of the model in the mode for quantisation: training for QAT, else eval. Warns if any module was in
/// the other mode.
GraphModule inModeFor(const GraphModule& model, Mode mode, Warnings& warnings);

/// Returns the model with the values of constants that are computed from its own tensors, since their inputs may
/// change or become part of a quantised layer. PyTorch computes them while tracing. Uses `engine` only if there are
/// such constants.
GraphModule withComputedConstants(const GraphModule& model, QuantEngine& engine);

/// True if a prepared model has an observer or a layer that `convert` quantises.
bool quantisesAnything(const PreparedModel& prepared);
/// Warns if `prepared` quantises nothing, and also if layers were fused nevertheless. `model` is the model before
/// preparation.
Warnings nothingQuantised(const GraphModule& model, const PreparedModel& prepared, Mode mode);
/// Returns the warning that a mode found nothing to quantise.
Warnings nothingQuantised(Mode mode);

/// Calls `prepared.eval()` before `convert`, as torch.ao's manual requires: dropout and normalisations that stay in
/// floating point must compute results. Needed for the mode qat; models of other modes are already in eval mode.
void setEval(PreparedModel& prepared);

} // namespace fx::quant
