// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string_view>

namespace fx {

/// Requires that a source, which a script holds as it is, does no more than define its functions and classes when the
/// script runs it: beside definitions it has imports of modules for tensors and numbers, and values that call nothing
/// beyond tensors (`requireComputation`). No name in it, bodies included, may be one that reaches outside
/// (core/ops/reach). Throws Error{Refused} with the line, Error{File} for text that is not Python.
void requireDefinitions(std::string_view source);

} // namespace fx
