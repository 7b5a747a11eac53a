// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/compile_text/printed_arguments.h"

#include "core/diag/error.h"
#include "core/ops/python_functions.h"
#include "core/pysrc/parser.h"
#include "core/trace/callables.h"
#include "core/trace/value_source.h"

#include <algorithm>

namespace fx {
namespace {
/// Symbols of torch.compile: s77, u0, zuf3.
bool isSymbol(std::string_view name) {
    const std::size_t digits = name.find_first_of("0123456789");
    if (digits == std::string_view::npos || name.find_first_not_of("0123456789", digits) != std::string_view::npos)
        return false;
    const std::string_view letters = name.substr(0, digits);
    return letters == "s" || letters == "u" || letters == "zuf" || letters == "zf" || letters == "ps";
}

/// torch.fx writes a function of a foreign module under an alias: its qualified name with `_` for each dot. The alias
/// of each function that Lancet knows, to its path.
const std::unordered_map<std::string, std::string>& aliases() {
    static const auto kAliases = [] {
        std::unordered_map<std::string, std::string> out;
        for (std::uint32_t i = 0; i < ops::functionCount(); ++i) {
            const ops::PythonFunction function = ops::functionAt(i);
            std::string alias(function.qualifiedName());
            if (function.isFromTorch() || alias.find('.') == std::string::npos) continue;
            std::replace(alias.begin(), alias.end(), '.', '_');
            out.emplace(std::move(alias), function.path());
        }
        return out;
    }();
    return kAliases;
}
} // namespace

std::string_view textOf(const py::Expr& expr, std::string_view source) {
    return source.substr(expr.offset, expr.end - expr.offset);
}

std::optional<std::string_view> dottedName(const py::Expr& expr) {
    const py::Expr* root = &expr;
    while (root->kind == py::ExprKind::Attribute) root = root->items[0];
    if (root->kind != py::ExprKind::Name) return std::nullopt;
    const char* const end = expr.text.data() + expr.text.size();
    return std::string_view(root->text.data(), static_cast<std::size_t>(end - root->text.data()));
}

NodeId PrintedArguments::find(std::string_view name) const {
    const auto found = m_nodes.find(name);
    return found == m_nodes.end() ? kNoNode : found->second;
}

Argument PrintedArguments::value(const py::Expr& expr, std::string_view source) {
    switch (expr.kind) {
    case py::ExprKind::Constant: return *expr.constant;
    case py::ExprKind::Name:
        if (const NodeId node = find(expr.text); node != kNoNode) return node;
        if (isSymbol(expr.text)) return Symbolic{std::string(expr.text)};
        break;
    case py::ExprKind::Tuple:
    case py::ExprKind::List:
    case py::ExprKind::Dict: return sequence(expr, source);
    case py::ExprKind::Call:
        if (expr.items[0]->kind == py::ExprKind::Name && expr.items[0]->text == "slice" && expr.arguments.size() == 3) {
            Argument start = value(*expr.arguments[0].value, source), stop = value(*expr.arguments[1].value, source);
            return Argument::slice(std::move(start), std::move(stop), value(*expr.arguments[2].value, source));
        }
        break;
    case py::ExprKind::Binary:
    case py::ExprKind::Compare:
        if (isSymbolic(expr)) return Symbolic{std::string(textOf(expr, source))};
        break;
    default: break;
    }
    return constant(textOf(expr, source));
}

Argument PrintedArguments::sequence(const py::Expr& expr, std::string_view source) {
    if (expr.depth > kMaxArgumentDepth)
        throw Error(ErrorKind::File, Message("compile.argument_too_deep", {{"limit", kMaxArgumentDepth}}));
    if (expr.kind == py::ExprKind::Dict) {
        std::vector<std::pair<Argument, Argument>> items;
        for (std::size_t i = 0; i + 1 < expr.items.size(); i += 2) {
            if (!expr.items[i]) return constant(textOf(expr, source));
            Argument key = value(*expr.items[i], source);
            items.emplace_back(std::move(key), value(*expr.items[i + 1], source));
        }
        return Argument::dict(std::move(items));
    }
    std::vector<Argument> items;
    items.reserve(expr.items.size());
    for (const py::Expr* item : expr.items) items.push_back(value(*item, source));
    return expr.kind == py::ExprKind::List ? Argument::list(std::move(items)) : Argument::tuple(std::move(items));
}

/// Arithmetic of symbols and numbers: `2*s77 + 1`. Iterative, since sums are deep.
bool PrintedArguments::isSymbolic(const py::Expr& expr) const {
    bool hasSymbol = false;
    std::vector<const py::Expr*> open{&expr};
    while (!open.empty()) {
        const py::Expr& next = *open.back();
        open.pop_back();
        const bool isOperation =
            next.kind == py::ExprKind::Binary || next.kind == py::ExprKind::Compare || next.kind == py::ExprKind::Unary;
        const bool isName = next.kind == py::ExprKind::Name && isSymbol(next.text);
        hasSymbol = hasSymbol || isName;
        if (isOperation) open.insert(open.end(), next.items.begin(), next.items.end());
        else if (next.kind != py::ExprKind::Constant && !isName) return false;
    }
    return hasSymbol;
}

Argument PrintedArguments::constant(std::string_view text) {
    if (const auto known = m_constants.find(text); known != m_constants.end()) return known->second;
    Argument value;
    try {
        value = valueFromSource(text);
    } catch (const Error&) {
        m_kept.emplace_back(text);
        value = OpaqueObject{"", std::string(text), {}};
    }
    return m_constants.emplace(std::string(text), std::move(value)).first->second;
}

Argument PrintedArguments::valueOfText(std::string_view text) {
    try {
        py::Parser parser(text);
        return value(*parser.expression(), text);
    } catch (const Error&) {
        m_kept.emplace_back(text);
        return OpaqueObject{"", std::string(text), {}};
    }
}

const CallablePtr& PrintedArguments::callable(std::string_view name) {
    if (const auto known = m_callables.find(name); known != m_callables.end()) return known->second;
    const auto alias = name.find('.') == std::string_view::npos ? aliases().find(std::string(name)) : aliases().end();
    return m_callables
        .emplace(std::string(name), resolveCallable(alias == aliases().end() ? name : std::string_view(alias->second)))
        .first->second;
}

} // namespace fx
