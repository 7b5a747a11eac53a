// SPDX-License-Identifier: GPL-3.0-or-later
// Decorators that only write documentation: what they decorate is used without them, if they cannot be followed.
#include "core/python/python_interpreter.h"

#include <algorithm>

namespace fx::python {
using py::ExprKind;
using Kind = py::StmtKind;

namespace {

constexpr int kMaxDepth = 8; // functions that pass it on to each other

/// Reads a function: does it give back its first argument, and set nothing of it but `__doc__`?
class Documents {
public:
    Documents(const SourceFile& file, std::size_t head, int depth) : m_file(file), m_head(head), m_depth(depth) {
        const auto parameters = tree()[head].parameters;
        if (!parameters.empty()) m_argument = parameters[0].name;
    }

    bool holds() const {
        if (m_argument.empty() || m_depth > kMaxDepth) return false;
        bool returns = false;
        for (std::size_t at = m_head + 1, end = m_file.ends[m_head]; at < end;) {
            const py::Stmt& each = tree()[at];
            if (each.kind == Kind::Def || each.kind == Kind::Class) {
                at = m_file.ends[at];
                continue;
            }
            if (changes(each)) return false;
            if (each.kind == Kind::Return) {
                if (!each.value || !givesItBack(*each.value)) return false;
                returns = true;
                if (at > m_head + 1 && isAsked(at - 1))
                    return true; // `if argument: return ...`: the rest is for calls without
            }
            ++at;
        }
        return returns;
    }

private:
    const py::SourceTree& tree() const { return *m_file.tree; }
    bool isArgument(const py::Expr& expr) const { return expr.kind == ExprKind::Name && expr.text == m_argument; }
    bool isAsked(std::size_t at) const {
        return tree()[at].kind == Kind::If && tree()[at].indent == tree()[m_head + 1].indent && tree()[at].value &&
               isArgument(*tree()[at].value);
    }

    bool changes(const py::Stmt& statement) const {
        const bool sets = std::any_of(statement.targets.begin(), statement.targets.end(), [&](const auto* target) {
            if (!target) return false;
            const py::Expr* root = target;
            while ((root->kind == ExprKind::Attribute || root->kind == ExprKind::Subscript) && !root->items.empty())
                root = root->items[0];
            if (target->kind == ExprKind::Tuple || target->kind == ExprKind::List)
                return std::any_of(target->items.begin(), target->items.end(),
                                   [&](const auto* each) { return isArgument(*each); });
            return isArgument(*root) && !(target->kind == ExprKind::Attribute && target->text == "__doc__");
        });
        const py::Expr* called = statement.kind == Kind::Expression ? statement.value : nullptr;
        return sets || (called && called->kind == ExprKind::Call && called->items[0]->text == "setattr");
    }

    bool givesItBack(const py::Expr& expr) const {
        if (isArgument(expr)) return true;
        if (expr.kind != ExprKind::Call || expr.items[0]->kind != ExprKind::Name || expr.arguments.empty() ||
            !expr.arguments[0].name.empty() || !isArgument(*expr.arguments[0].value))
            return false;
        const std::string_view name = expr.items[0]->text;
        for (std::size_t at = m_head + 1; at < m_file.ends[m_head]; ++at)
            if (tree()[at].kind == Kind::Def && tree()[at].text == name)
                return Documents(m_file, at, m_depth + 1).holds();
        const Value* found = m_file.globals ? m_file.globals->names.find(name) : nullptr;
        const auto* function = found ? found->as<Function>() : nullptr;
        return function && !function->lambda && !function->yields &&
               Documents(*function->file, function->head, m_depth + 1).holds();
    }

    const SourceFile& m_file;
    std::size_t m_head;
    int m_depth;
    std::string_view m_argument;
};

} // namespace

bool Functions::onlyDocuments(const Value& decorator) {
    const auto* function = decorator.as<Function>();
    return function && !function->lambda && !function->yields && Documents(*function->file, function->head, 0).holds();
}

} // namespace fx::python
