// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/compile_text/printed_statement.h"

#include "core/base/python_text.h"
#include "core/ops/parameter_list.h"
#include "core/ops/python_operators.h"

#include <algorithm>

namespace fx {
namespace {
/// The text of `getattr(x, "text")`, or null.
const std::string* getattrName(const py::Expr& expr) {
    const bool isGetattr = expr.kind == py::ExprKind::Call && expr.items[0]->kind == py::ExprKind::Name &&
                           expr.items[0]->text == "getattr" && expr.arguments.size() == 2;
    if (!isGetattr || expr.arguments[1].value->kind != py::ExprKind::Constant) return nullptr;
    return expr.arguments[1].value->constant->as<std::string>();
}

bool isDotted(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return isNamePart(c) || c == '.'; });
}
} // namespace

std::string operatorOf(const py::Expr& expr) {
    if (expr.kind == py::ExprKind::Subscript) return "_operator.getitem";
    const std::string_view name = expr.kind == py::ExprKind::Unary ? ops::unaryOperator(expr.text)
                                  : expr.kind == py::ExprKind::Binary || expr.kind == py::ExprKind::Compare
                                      ? ops::binaryOperator(expr.text)
                                      : std::string_view{};
    return name.empty() ? std::string() : "_operator." + std::string(name);
}

std::optional<std::string> pathOnSelf(const py::Expr& expr, std::string_view self) {
    std::vector<std::string_view> atoms;
    const py::Expr* at = &expr;
    while (at->kind != py::ExprKind::Name) {
        if (at->kind == py::ExprKind::Attribute) {
            atoms.push_back(at->text);
            at = at->items[0];
        } else if (const std::string* name = getattrName(*at)) {
            atoms.push_back(*name);
            at = at->arguments[0].value;
        } else {
            return std::nullopt;
        }
    }
    if (at->text != self || atoms.empty()) return std::nullopt;
    std::string path;
    for (auto atom = atoms.rbegin(); atom != atoms.rend(); ++atom)
        path += (path.empty() ? "" : ".") + std::string(*atom);
    return path;
}

std::string methodName(const py::Expr& called) {
    const std::string* name = getattrName(called);
    return name ? *name : std::string(called.text);
}

const py::Expr* getattrObject(const py::Expr& called) {
    return getattrName(called) ? called.arguments[0].value : nullptr;
}

std::optional<CallText> readCallText(std::string_view line) {
    const std::size_t start = line.find_first_not_of(" \t");
    if (start == std::string_view::npos) return std::nullopt;
    line.remove_prefix(start);
    CallText call;
    const std::size_t equals = line.find(" = ");
    const std::size_t bracket = equals == std::string_view::npos ? equals : line.find('(', equals);
    std::size_t end = line.find(");  ", bracket == std::string_view::npos ? 0 : bracket); // before what is freed
    if (end == std::string_view::npos) end = line.rfind(')');
    if (bracket == std::string_view::npos || end == std::string_view::npos || end < bracket) return std::nullopt;
    call.name = line.substr(0, std::min(line.find(':'), equals));
    if (const std::size_t quote = line.find('"'); quote < equals)
        call.annotation = line.substr(quote + 1, line.find('"', quote + 1) - quote - 1);
    call.function = line.substr(equals + 3, bracket - equals - 3);
    if (!isPythonIdentifier(call.name) || !isDotted(call.function)) return std::nullopt;
    for (const std::string_view argument : ops::splitTopLevel(line.substr(bracket + 1, end - bracket - 1))) {
        const std::size_t key = argument.find(" = ");
        const bool named = key != std::string_view::npos && isPythonIdentifier(argument.substr(0, key));
        call.arguments.emplace_back(named ? argument.substr(0, key) : std::string_view{},
                                    named ? argument.substr(key + 3) : argument);
    }
    return call;
}

} // namespace fx
