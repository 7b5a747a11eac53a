// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/pysrc/syntax.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fx {

/// Parts of statements that torch.fx prints.

/// Returns "_operator.add" for `x + y`, "_operator.getitem" for `x[0]`; empty for other expressions.
std::string operatorOf(const py::Expr& expr);
/// Returns "layers.0.weight" for `getattr(self.layers, "0").weight`; nullopt for an expression that does not start at
/// `self`.
std::optional<std::string> pathOnSelf(const py::Expr& expr, std::string_view self);
/// Returns "relu" for `x.relu`, "1st" for `getattr(x, "1st")`.
std::string methodName(const py::Expr& called);
/// Returns the `x` of `getattr(x, "1st")`, or null.
const py::Expr* getattrObject(const py::Expr& called);

/// The parts of `name: "annotation" = function(value, key = value)` as text, for lines with values that are not Python.
struct CallText {
    std::string_view name, annotation, function;
    std::vector<std::pair<std::string_view, std::string_view>> arguments; ///< key (may be empty) and value
};
/// Splits such a line; nullopt for other lines.
std::optional<CallText> readCallText(std::string_view line);

} // namespace fx
