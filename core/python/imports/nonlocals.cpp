// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/python/imports/nonlocals.h"

#include "core/pysrc/source_tree.h"

#include <algorithm>

namespace fx::python {
namespace {
using py::ExprKind;
using py::StmtKind;

/// Whether an expression that is assigned to has the name as a target.
bool isTarget(const py::Expr& expr, std::string_view name) {
    if (expr.kind == ExprKind::Name) return expr.text == name;
    if (expr.kind != ExprKind::Tuple && expr.kind != ExprKind::List && expr.kind != ExprKind::Starred) return false;
    return std::any_of(expr.items.begin(), expr.items.end(), [&](const auto* each) { return isTarget(*each, name); });
}

/// Whether `name := ...` stands in an expression, or, in the pattern of a `case`, the name itself.
bool bindsInside(const py::Expr& expr, std::string_view name, bool isPattern) {
    if (expr.kind == ExprKind::Named && expr.text == name) return true;
    if (isPattern && expr.kind == ExprKind::Name && expr.text == name) return true;
    if (expr.kind == ExprKind::Lambda) return false;
    return std::any_of(expr.items.begin(), expr.items.end(),
                       [&](const auto* each) { return each && bindsInside(*each, name, isPattern); }) ||
           std::any_of(expr.arguments.begin(), expr.arguments.end(),
                       [&](const auto& each) { return each.value && bindsInside(*each.value, name, isPattern); });
}

bool declares(const py::Stmt& statement, std::string_view word, std::string_view name) {
    return statement.kind == StmtKind::Global && statement.text == word &&
           std::any_of(statement.imports.begin(), statement.imports.end(),
                       [&](const auto& each) { return each.name == name; });
}

bool binds(const py::Stmt& statement, std::string_view name) {
    if (statement.kind == StmtKind::Def || statement.kind == StmtKind::Class) return statement.text == name;
    if (statement.kind == StmtKind::Unsupported || statement.kind == StmtKind::Invalid)
        return true; // nobody knows what it binds
    if (statement.kind == StmtKind::Import || statement.kind == StmtKind::ImportFrom)
        return std::any_of(statement.imports.begin(), statement.imports.end(), [&](const auto& each) {
            return (each.alias.empty() ? each.name.substr(0, each.name.find('.')) : each.alias) == name;
        });
    if (statement.alias == name || declares(statement, "nonlocal", name)) return true;
    if (std::any_of(statement.targets.begin(), statement.targets.end(),
                    [&](const auto* each) { return each && isTarget(*each, name); }))
        return true;
    const bool isPattern = statement.kind == StmtKind::Case;
    return (statement.value && bindsInside(*statement.value, name, isPattern)) ||
           (statement.annotation && bindsInside(*statement.annotation, name, false));
}

bool isParameter(const py::Stmt& head, std::string_view name) {
    return std::any_of(head.parameters.begin(), head.parameters.end(),
                       [&](const auto& each) { return each.name == name; });
}

} // namespace

bool functionBinds(const SourceFile& file, std::size_t head, std::string_view name) {
    const py::SourceTree& tree = *file.tree;
    bool found = isParameter(tree[head], name);
    for (std::size_t at = head + 1; at < file.ends[head];) {
        const py::Stmt& each = tree[at];
        if (declares(each, "global", name)) return false;
        found = found || binds(each, name);
        at = each.kind == StmtKind::Def || each.kind == StmtKind::Class ? file.ends[at] : at + 1;
    }
    return found;
}

namespace {
/// What is wrong with one name of a `nonlocal`; `around`: the functions and classes that it stands in, the outermost
/// first.
std::optional<Message> problemOf(const SourceFile& file, const std::vector<std::size_t>& around,
                                 std::string_view name) {
    const py::SourceTree& tree = *file.tree;
    if (around.empty()) return Message("python.nonlocal_top");
    if (isParameter(tree[around.back()], name)) return Message("python.nonlocal_parameter", {{"name", name}});
    const bool isBound = std::any_of(around.begin(), around.end() - 1, [&](std::size_t head) {
        return tree[head].kind == StmtKind::Def && functionBinds(file, head, name);
    });
    return isBound ? std::nullopt : std::optional(Message("python.nonlocal_unbound", {{"name", name}}));
}
} // namespace

std::optional<py::SourceError> unboundNonlocal(const SourceFile& file) {
    const py::SourceTree& tree = *file.tree;
    std::vector<std::size_t> around;
    for (std::size_t at = 0; at < tree.size(); ++at) {
        while (!around.empty() && file.ends[around.back()] <= at) around.pop_back();
        const py::Stmt& each = tree[at];
        if (each.kind == StmtKind::Def || each.kind == StmtKind::Class) around.push_back(at);
        if (each.kind != StmtKind::Global || each.text != "nonlocal") continue;
        for (const auto& declared : each.imports)
            if (const auto problem = problemOf(file, around, declared.name))
                return py::sourceError(file.text, each.offset, *problem);
    }
    return std::nullopt;
}

} // namespace fx::python
