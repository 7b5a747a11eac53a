// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

namespace fx {

/// Replaces references to equal tensors, and calls of equal modules, by one of each, and removes those without
/// references. Meant for inference: parameters that were trained separately become tied.
Pass deduplicatePass();

} // namespace fx
