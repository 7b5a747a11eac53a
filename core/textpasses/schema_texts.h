// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ops/catalogue.h"

#include <string>
#include <vector>

namespace fx::python {

/// A schema as torch.fx.operator_schemas makes an `inspect.Signature` of it and Python prints that:
/// "(input: torch.Tensor, dim: List[int], keepdim: bool = False) -> torch.Tensor".
std::string signatureText(const ops::Operator& op);

/// What `normalize_function` says when several overloads take the arguments; `target` as torch.fx names the function.
std::string ambiguityText(const std::string& target, const std::vector<ops::Operator>& overloads);

} // namespace fx::python
