// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ops/catalogue.h"

#include <string>
#include <vector>

namespace fx::python {

/// Returns a schema as Python prints the `inspect.Signature` from torch.fx.operator_schemas: "(input: torch.Tensor,
/// dim: List[int], keepdim: bool = False) -> torch.Tensor".
std::string signatureText(const ops::Operator& op);

/// Returns the error of `normalize_function` for several matching overloads. `target` is torch.fx's name of the
/// function.
std::string ambiguityText(const std::string& target, const std::vector<ops::Operator>& overloads);

} // namespace fx::python
