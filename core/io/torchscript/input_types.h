// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/argument.h"
#include "core/ir/type_expr.h"

#include <string>
#include <string_view>
#include <vector>

namespace fx::script {

/// TorchScript's annotation of a parameter as Python's: "Dict[str, Tensor]". Null for a plain Tensor, which needs none,
/// and for types that Python's typing does not have.
TypePtr inputType(std::string_view annotation);

/// The other way round: `typing.Dict[str, torch.Tensor]` as "Dict[str, Tensor]"; "Tensor" for null and unknown types.
std::string scriptType(const TypePtr& type);

/// A type as LibTorch prints it in graphs, `(int, int)[]`, as an annotation: "List[Tuple[int, int]]".
std::string annotationOf(std::string_view type);

/// The annotation with which an attribute of a module holds a literal: "List[Tuple[str, int]]"; empty if TorchScript
/// has no type for it (objects, lists of unlike items). An empty list or dict gets the type that TorchScript gives it.
std::string attributeType(const Argument& value);

/// The annotations of the inputs of a block of script (`BlockText`).
std::vector<std::string> blockInputTypes(std::string_view block);
/// Likewise of its results.
std::vector<std::string> blockOutputTypes(std::string_view block);

} // namespace fx::script
