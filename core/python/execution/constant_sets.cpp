// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/python/execution/constant_sets.h"

#include "core/python/python_interpreter.h"

#include <algorithm>
#include <cmath>

namespace fx::python {
using py::ExprKind;

namespace {
/// Whether CPython's compiler makes a constant of an expression.
bool isFolded(const py::Expr* expr) {
    const bool isOperator = expr->kind == ExprKind::Unary || expr->kind == ExprKind::Tuple ||
                            expr->kind == ExprKind::Subscript ||
                            (expr->kind == ExprKind::Binary && expr->text != "and" && expr->text != "or");
    return expr->kind == ExprKind::Constant ||
           (isOperator && std::all_of(expr->items.begin(), expr->items.end(), isFolded));
}

/// Equality of constants to the compiler, to which `1`, `True` and `1.0` differ.
bool isSameConstant(const Value& a, const Value& b) {
    if (a.kind != b.kind) return false;
    if (a.kind == Value::Kind::Float) return a.sameAs(b) && std::signbit(a.real) == std::signbit(b.real);
    const auto *one = a.as<Tuple>(), *other = b.as<Tuple>();
    if (!one || !other) return a.sameAs(b) || (!one && !other && equalValues(a, b));
    return std::equal(one->items.begin(), one->items.end(), other->items.begin(), other->items.end(), isSameConstant);
}

bool areSameConstants(const Set& a, const Set& b) {
    if (a.items.size() != b.items.size()) return false;
    const Values mine = a.keys(), others = b.keys();
    trace::charge(mine.size() * mine.size() / 8);
    return std::all_of(mine.begin(), mine.end(), [&](const Value& each) {
        return std::any_of(others.begin(), others.end(),
                           [&](const Value& other) { return isSameConstant(each, other); });
    });
}
} // namespace

bool ConstantSets::isConstant(const py::Expr& display) {
    return display.kind == ExprKind::Set && std::all_of(display.items.begin(), display.items.end(), isFolded);
}

/// Adds the members one by one, and then again in the order of their table, as the compiler does.
Set* ConstantSets::made(const py::Expr& display) {
    Set *first = heap().make<Set>(), *again = heap().make<Set>();
    for (const auto* each : display.items) first->add(m_in.expressions().evaluateIn(*each));
    if (!first->order.isKnown()) return nullptr;
    for (const Value& key : first->keys()) again->add(key);
    again->isFrozen = true;
    return again;
}

/// Notes the constant displays in an expression: those of three and more members, and those that a `for` or `in` takes.
void ConstantSets::collect(const py::Expr* expr, Displays& out, bool isTaken) {
    if (!expr) return;
    const trace::Deeper deeper;
    trace::charge(1);
    for (const auto& argument : expr->arguments) collect(argument.value, out);
    for (const auto& parameter : expr->parameters) collect(parameter.defaultValue, out);
    if (!isConstant(*expr)) {
        const bool takes =
            expr->kind == ExprKind::Clause || (expr->kind == ExprKind::Compare && expr->text.ends_with("in"));
        for (std::size_t i = 0; i < expr->items.size(); ++i) collect(expr->items[i], out, takes && i == 1);
        return;
    }
    if (!isTaken && expr->items.size() < 3) return;
    try {
        Set* const own = made(*expr);
        if (!own) return;
        const auto known = std::find_if(m_known.begin(), m_known.end(),
                                        [&](const Set* each) { return areSameConstants(*each, *own); });
        out.emplace(expr, known == m_known.end() ? own : *known);
        if (known == m_known.end()) m_known.push_back(own);
    } catch (const Raised&) { // CPython leaves `1 // 0` to the run
        stack().forgetFailure();
    } catch (const trace::PythonError&) { stack().forgetFailure(); }
}

const ConstantSets::Displays& ConstantSets::displaysOf(const SourceFile& file) {
    const auto known = m_displays.find(&file);
    if (known != m_displays.end()) return known->second;
    const Place here = stack().here;
    m_known.clear();
    Displays out;
    for (std::size_t i = 0; i < file.tree->size(); ++i) {
        const py::Stmt& statement = (*file.tree)[i];
        for (const auto& parameter : statement.parameters) collect(parameter.defaultValue, out);
        collect(statement.value, out, statement.kind == py::StmtKind::For);
        for (const auto* target : statement.targets) collect(target, out);
        collect(statement.annotation, out);
        for (const auto& argument : statement.arguments) collect(argument.value, out);
    }
    stack().here = here;
    return m_displays.emplace(&file, std::move(out)).first->second;
}

Set* ConstantSets::of(const py::Expr& display) {
    const SourceFile* const file = stack().frame->file;
    if (!file || !file->tree) return nullptr;
    const Displays& all = displaysOf(*file);
    const auto found = all.find(&display);
    return found == all.end() ? nullptr : found->second;
}

} // namespace fx::python
