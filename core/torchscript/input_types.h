// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/argument.h"
#include "core/ir/type_expr.h"

#include <string>
#include <string_view>
#include <vector>

namespace fx::script {

/// Converts TorchScript's annotation of a parameter to Python's: "Dict[str, Tensor]". Returns null for a plain Tensor,
/// which needs no annotation, and for types that Python's typing lacks.
TypePtr inputType(std::string_view annotation);

/// Converts `typing.Dict[str, torch.Tensor]` to TorchScript's "Dict[str, Tensor]"; returns "Tensor" for null and
/// unknown types.
std::string scriptType(const TypePtr& type);

/// Converts a type as LibTorch prints it in graphs, `(int, int)[]`, to an annotation: "List[Tuple[int, int]]".
std::string annotationOf(std::string_view type);

/// Returns the annotation of a module attribute that holds a literal: "List[Tuple[str, int]]". Empty if TorchScript has
/// no type for it (objects, lists of mixed items). An empty list or dict gets TorchScript's default type.
std::string attributeType(const Argument& value);

/// Returns the annotations of the inputs of a block of script (`BlockText`).
std::vector<std::string> blockInputTypes(std::string_view block);
/// Returns the annotations of the results of a block of script.
std::vector<std::string> blockOutputTypes(std::string_view block);

} // namespace fx::script
