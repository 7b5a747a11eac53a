// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diff/changed_part.h"
#include "core/engine/verify/verify.h"

namespace fx::engine {

/// Returns both models with inputs drawn from a seed. Each call returns fresh tensors.
using SidesOf = std::function<std::pair<VerifySide, VerifySide>(std::uint64_t seed)>;

/// Tries what could show a difference if the outputs cannot: other seeds, and inputs of other scales. Stops at the
/// first difference. A run that fails is an inconclusive probe with the error as its reason. Reports to
/// `options.progress`.
std::vector<Probe> probe(const SidesOf& sides, const VerifyOptions& options, std::uint64_t seed);

} // namespace fx::engine
