// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pysrc/expression_names.h"

#include "core/base/python_text.h"
#include "core/pysrc/parser.h"

#include <algorithm>
#include <optional>

namespace fx::py {
namespace {

struct Read {
    std::string path; ///< empty of `self`
    std::size_t self; ///< where it stands
};
/// Of `self.a.b` and `getattr(self.a, "b")`; nullopt of other expressions. Reaches as deep as the parser.
std::optional<Read> readIn(const Expr& expr) {
    const auto member = [](const Expr& object, std::string_view name) {
        auto read = readIn(object);
        if (read) read->path += (read->path.empty() ? "" : ".") + std::string(name);
        return read;
    };
    if (expr.kind == ExprKind::Name) return expr.text == "self" ? std::optional(Read{{}, expr.offset}) : std::nullopt;
    if (expr.kind == ExprKind::Attribute) return member(*expr.items[0], expr.text);
    if (expr.kind != ExprKind::Call || expr.items[0]->kind != ExprKind::Name || expr.items[0]->text != "getattr" ||
        expr.arguments.size() != 2)
        return std::nullopt;
    const Expr& name = *expr.arguments[1].value;
    const auto* text = name.kind == ExprKind::Constant ? name.constant->as<std::string>() : nullptr;
    return text ? member(*expr.arguments[0].value, *text) : std::nullopt;
}

void collect(const Expr& expr, ExpressionNames& out) {
    if (auto read = readIn(expr)) {
        out.selves.insert(read->self);
        out.reads.insert(std::move(read->path));
        return;
    }
    if (expr.kind == ExprKind::Name) return void(out.names.insert(std::string(expr.text)));
    for (const Expr* item : expr.items)
        if (item) collect(*item, out);
    for (const CallArgument& argument : expr.arguments) collect(*argument.value, out);
}

} // namespace

ExpressionNames namesIn(std::string_view source) {
    Parser parser(source);
    ExpressionNames out;
    collect(*parser.expression(), out);
    return out;
}

std::string seenFromAbove(std::string source, std::string_view path) {
    const std::set<std::size_t> selves = namesIn(source).selves;
    for (auto self = selves.rbegin(); self != selves.rend(); ++self) source.replace(*self, 4, readText(path));
    return source;
}

std::string readText(std::string_view path) {
    std::string out = "self";
    for (std::size_t start = 0; start <= path.size();) {
        const std::size_t dot = std::min(path.find('.', start), path.size());
        const std::string_view atom = path.substr(start, dot - start);
        if (isPythonIdentifier(atom) && !isPythonKeyword(atom)) {
            (out += '.') += atom;
        } else {
            out.insert(0, "getattr(");
            out += ", ";
            appendPythonString(out, atom);
            out += ')';
        }
        start = dot + 1;
    }
    return out;
}

} // namespace fx::py
