// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/base/text_hash.h"
#include "core/ir/argument.h"
#include "core/ir/callable.h"
#include "core/pysrc/syntax.h"

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fx {

/// Converts the arguments in printed code: nodes by name, literals, containers, constants of torch. Text that is not a
/// value is kept as written, such as an object with its address or a function of a user's module.
class PrintedArguments {
public:
    /// Binds a name to a node.
    void bind(std::string_view name, NodeId node) { m_nodes.insert_or_assign(std::string(name), node); }
    /// Returns the node with this name, or `kNoNode`.
    NodeId find(std::string_view name) const;

    /// Converts an expression in `source`.
    Argument value(const py::Expr& expr, std::string_view source);
    /// Converts text that may not be Python: `<torch.ScriptObject object at 0x7f00>`.
    Argument valueOfText(std::string_view text);
    /// Returns the function that code calls by this name: `torch.relu`, `math_sqrt` (torch.fx's alias of math.sqrt).
    const CallablePtr& callable(std::string_view name);

    /// The texts that were kept because they are not values, in order.
    const std::vector<std::string>& kept() const { return m_kept; }

private:
    Argument sequence(const py::Expr& expr, std::string_view source);
    Argument constant(std::string_view text);
    bool isSymbolic(const py::Expr& expr) const;

    std::unordered_map<std::string, NodeId, TextHash, std::equal_to<>> m_nodes;
    std::unordered_map<std::string, Argument, TextHash, std::equal_to<>> m_constants;
    std::unordered_map<std::string, CallablePtr, TextHash, std::equal_to<>> m_callables;
    std::vector<std::string> m_kept;
};

/// Returns the source text of an expression.
std::string_view textOf(const py::Expr& expr, std::string_view source);

/// Returns `a.b.c` for an expression of names and attributes only, else nullopt.
std::optional<std::string_view> dottedName(const py::Expr& expr);

} // namespace fx
