// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/argument.h"

#include <string_view>

namespace fx {

/// The type name of torch.fx's placeholder marker.
inline constexpr std::string_view kPhType = "torch.fx._symbolic_trace.PHBase";

/// torch.fx `PH` as a value in `concrete_args`: the input stays a placeholder.
inline Argument phArgument() { return Argument(OpaqueObject{std::string(kPhType), "PH", {}}); }
/// Returns true if the value is `PH`.
inline bool isPh(const Argument& value) {
    const auto* object = value.as<OpaqueObject>();
    return object && object->typeName == kPhType;
}

} // namespace fx
