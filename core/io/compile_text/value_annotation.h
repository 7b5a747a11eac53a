// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/node.h"

#include <optional>
#include <string_view>

namespace fx {

/// Parses an annotation of `print_readable()`:
///
///     f32[2, s77]              dtype and sizes
///     f32[2, 8][8, 1]cpu       with strides and device (dynamo and AOT graphs)
///     DTensor(f32[4]cpu, ...)  a tensor subclass: the tensor inside
///     Sym(s77 + 1)             a symbolic number, its expression in `sizes`
///
/// Returns nullopt for anything else.
std::optional<ValueInfo> readAnnotation(std::string_view text);

} // namespace fx
