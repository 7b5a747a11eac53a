// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diff/changed_part.h"
#include "core/engine/verify/verify.h"

namespace fx::engine {

/// Returns what agreeing runs do not show, or an empty message: forward hooks, which the engine does not run; what
/// PyTorch does once while it loads a file; a buffer that only one model writes to; the default of an input that was
/// given. `givenA` and `givenB` are the user's models, `a` and `b` the normalised ones.
Message notRun(const VerifySide& givenA, const VerifySide& givenB, const VerifySide& a, const VerifySide& b,
               const ChangedPart& part);

} // namespace fx::engine
