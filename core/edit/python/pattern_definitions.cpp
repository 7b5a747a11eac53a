// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/python/pattern_definitions.h"

#include "core/base/one_of.h"
#include "core/codegen/computed_text.h"
#include "core/ops/reach.h"
#include "core/pysrc/source_tree.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

namespace fx {
namespace {

using py::Expr;
using py::ExprKind;
using py::Stmt;
using py::StmtKind;

class Checker {
public:
    explicit Checker(std::string_view source) : m_source(source), m_tree(source) {}

    void check() {
        for (std::size_t at = 0; at < m_source.size(); ++at) { // Python ends lines, and comments, at more than \n
            const auto c = static_cast<unsigned char>(m_source[at]);
            const bool isEnd = c == '\r' && m_source.substr(at + 1).starts_with('\n');
            if (c < 0x20 && c != '\n' && c != '\t' && !isEnd) refuse(at);
        }
        for (std::size_t at = 0; at < m_tree.size(); ++at)
            if (m_tree[at].kind == StmtKind::Import || m_tree[at].kind == StmtKind::ImportFrom) import(m_tree[at]);
        for (std::size_t at = 0; at < m_tree.size(); ++at) names(m_tree[at]);
        for (std::size_t at = 0; at < m_tree.size();) { // what runs when the definitions are made
            const StmtKind kind = m_tree[at].kind;
            runs(m_tree[at]);
            at = kind == StmtKind::Def ? m_tree.bodyEnd(at) : at + 1; // bodies of classes run
        }
    }

private:
    [[noreturn]] void refuse(std::size_t offset) const {
        const Error place = py::sourceError(m_source, offset, Message("python_script.not_definition"));
        throw Error(ErrorKind::Refused, place.message()).at(place.textPlace).quoting(place.source);
    }

    void import(const Stmt& statement) {
        static constexpr std::string_view kModules[] = {"collections", "enum",        "functools", "itertools",
                                                        "math",        "numbers",     "numpy",     "operator",
                                                        "torch",       "torchvision", "typing",    "warnings"};
        const bool isFrom = statement.kind == StmtKind::ImportFrom;
        for (const py::ImportedName& imported : statement.imports) {
            const std::string object = (isFrom ? std::string(statement.text) + "." : "") + std::string(imported.name);
            const std::string_view top = std::string_view(object).substr(0, object.find('.'));
            const bool isKnown = isOneOf(top, kModules);
            if (!isKnown || imported.name == "*" || ops::reachesOutside(object)) refuse(statement.offset);
            const std::string_view alias = imported.alias.empty() ? imported.name : imported.alias;
            if (isFrom || !imported.alias.empty()) m_imported[alias] = object;
        }
    }

    /// Looks at all expressions of a statement.
    void names(const Stmt& statement) const {
        std::vector<const Expr*> open(statement.targets.begin(), statement.targets.end());
        open.insert(open.end(), {statement.value, statement.annotation});
        for (const py::CallArgument& argument : statement.arguments) open.push_back(argument.value);
        const auto parameters = [&](std::span<const py::Parameter> all) {
            for (const py::Parameter& each : all) open.insert(open.end(), {each.annotation, each.defaultValue});
        };
        parameters(statement.parameters);
        while (!open.empty()) {
            const Expr* expr = open.back();
            open.pop_back();
            if (!expr) continue;
            if (expr->kind == ExprKind::Name || expr->kind == ExprKind::Attribute) name(*expr);
            open.insert(open.end(), expr->items.begin(), expr->items.end());
            for (const py::CallArgument& argument : expr->arguments) open.push_back(argument.value);
            parameters(expr->parameters);
        }
    }

    /// A name, or a name and its members.
    void name(const Expr& expr) const {
        std::vector<std::string_view> parts;
        const Expr* base = &expr;
        for (; base->kind == ExprKind::Attribute; base = base->items[0]) parts.push_back(base->text);
        const bool isAscii = std::all_of(expr.text.begin(), expr.text.end(),
                                         [](char c) { return static_cast<unsigned char>(c) < 0x80; });
        if (!isAscii) refuse(expr.offset); // Python may read another name
        if (expr.text.starts_with("__") && expr.text != "__init__") refuse(expr.offset);
        if (base->kind != ExprKind::Name) return;
        static constexpr std::string_view kByName[] = {"delattr", "getattr", "globals", "locals", "setattr", "vars"};
        if (isOneOf(base->text, kByName)) refuse(expr.offset);
        const auto known = m_imported.find(base->text);
        std::string dotted(known == m_imported.end() ? base->text : std::string_view(known->second));
        for (auto part = parts.rbegin(); part != parts.rend(); ++part) dotted.append(".").append(*part);
        if (ops::reachesOutside(dotted) || ops::reachesOutside("builtins." + dotted)) refuse(expr.offset);
    }

    void runs(const Stmt& statement) const {
        const auto parameters = [&](std::span<const py::Parameter> all) {
            for (const py::Parameter& each : all) value(each.defaultValue), value(each.annotation);
        };
        const Expr* given = statement.value;
        switch (statement.kind) {
        case StmtKind::Import:
        case StmtKind::ImportFrom:
        case StmtKind::Pass: return;
        case StmtKind::Def: parameters(statement.parameters); return value(statement.annotation);
        case StmtKind::Class:
            for (const Expr* each : statement.targets) value(each);
            for (const py::CallArgument& each : statement.arguments) value(each.value);
            return;
        case StmtKind::Assign:
        case StmtKind::AnnAssign:
            for (const Expr* each : statement.targets)
                if (each->kind != ExprKind::Name) refuse(statement.offset);
            value(statement.annotation);
            if (given && given->kind == ExprKind::Lambda) return parameters(given->parameters);
            return value(given);
        case StmtKind::Decorator:
        case StmtKind::Expression: return value(given);
        default: refuse(statement.offset);
        }
    }
    void value(const Expr* expr) const {
        if (!expr || expr->kind == ExprKind::Constant) return;
        try {
            requireComputation(m_source.substr(expr->offset, expr->end - expr->offset));
        } catch (const Error&) { refuse(expr->offset); }
    }

    std::string_view m_source;
    py::SourceTree m_tree;
    std::unordered_map<std::string_view, std::string> m_imported; ///< by the name in the source
};

} // namespace

void requireDefinitions(std::string_view source) { Checker(source).check(); }

} // namespace fx
