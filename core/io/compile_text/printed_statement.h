// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/pysrc/syntax.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fx {

/// The parts of statements that torch.fx prints.

/// "_operator.add" for `x + y`, "_operator.getitem" for `x[0]`, or empty.
std::string operatorOf(const py::Expr& expr);
/// "layers.0.weight" for `getattr(self.layers, "0").weight`; nullopt for an expression that does not start at `self`.
std::optional<std::string> pathOnSelf(const py::Expr& expr, std::string_view self);
/// "relu" for `x.relu`, "1st" for `getattr(x, "1st")`.
std::string methodName(const py::Expr& called);
/// `x` of `getattr(x, "1st")`, or null.
const py::Expr* getattrObject(const py::Expr& called);

/// `name: "annotation" = function(value, key = value)` as text, for lines whose values are not Python.
struct CallText {
    std::string_view name, annotation, function;
    std::vector<std::pair<std::string_view, std::string_view>> arguments; ///< key, or empty, and value
};
std::optional<CallText> readCallText(std::string_view line);

} // namespace fx
