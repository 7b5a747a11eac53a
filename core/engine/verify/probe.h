// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/changed_part.h"
#include "core/engine/verify/verify.h"

namespace fx::engine {

/// Both models as they are, with inputs of a seed: each call gives fresh tensors.
using SidesOf = std::function<std::pair<VerifySide, VerifySide>(std::uint64_t seed)>;

/// What else could show a difference where the outputs cannot tell: other seeds, inputs of another scale, and a copy of
/// both models with re-scaled weights. Stops at the first difference that the models' own weights show. A trial that
/// cannot be run is a probe with a reason. Reports to `options.progress`.
std::vector<Probe> probe(const SidesOf& sides, const VerifyOptions& options, std::uint64_t seed);

/// Changes weights so that signals arrive, the same in both models: each layer that did not change is scaled, in the
/// order of A, so that its output has unit variance; running statistics become those of the data; biases larger than
/// that are made smaller. After LSUV (Mishkin and Matas, "All you need is a good init"). The sides' tensors are their
/// own copies.
void rescaleWeights(const VerifySide& a, const VerifySide& b, const VerifyOptions& options);

} // namespace fx::engine
