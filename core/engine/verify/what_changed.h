// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/changed_part.h"
#include "core/engine/verify/verify.h"

namespace fx::engine {

/// The names of the nodes that make some exits differ: those that do something else by themselves, are only in A,
/// or are only in B. If none do, those of the exits themselves.
std::vector<std::string> whatChanged(const VerifySide& a, const VerifySide& b, const ChangedPart& part,
                                     const std::vector<ChangedPart::Pair>& exits);

} // namespace fx::engine
