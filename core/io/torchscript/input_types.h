// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/type_expr.h"

#include <string_view>

namespace fx::script {

/// TorchScript's annotation of a parameter as Python's: "Dict[str, Tensor]". Null for a plain Tensor, which needs none,
/// and for types that Python's typing does not have.
TypePtr inputType(std::string_view annotation);

/// The other way round: `typing.Dict[str, torch.Tensor]` as "Dict[str, Tensor]"; "Tensor" for null and unknown types.
std::string scriptType(const TypePtr& type);

} // namespace fx::script
