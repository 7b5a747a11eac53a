// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/argument.h"

#include <string_view>

namespace fx {

inline constexpr std::string_view kPhType = "torch.fx._symbolic_trace.PHBase";

/// torch.fx `PH`, as a value in `concrete_args`: this input stays one.
inline Argument phArgument() { return Argument(OpaqueObject{std::string(kPhType), "PH", {}}); }
inline bool isPh(const Argument& value) {
    const auto* object = value.as<OpaqueObject>();
    return object && object->typeName == kPhType;
}

} // namespace fx
