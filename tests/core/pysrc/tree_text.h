// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/print.h"
#include "core/pysrc/source_tree.h"

#include <string>

/// Syntax trees as text, for tests.
namespace tree_text {

using namespace fx::py;

inline std::string dump(const Expr* expr);

/// "x, / y = 1, *args, key k: int, **rest"
inline std::string dump(std::span<const Parameter> parameters) {
    std::string out;
    for (const Parameter& each : parameters) {
        if (!out.empty()) out += ", ";
        switch (each.kind) {
        case Parameter::Kind::Normal: out += each.isPositionalOnly ? "/ " : ""; break;
        case Parameter::Kind::VarArgs: out += "*"; break;
        case Parameter::Kind::KeywordOnly: out += "key "; break;
        case Parameter::Kind::VarKeywords: out += "**"; break;
        }
        out += each.name;
        if (each.annotation) out += ": " + dump(each.annotation);
        if (each.defaultValue) out += " = " + dump(each.defaultValue);
    }
    return out;
}
/// " x k=1 *=a **=b" or, with a separator, as a list.
inline std::string dump(std::span<const CallArgument> arguments, const char* separator = " ") {
    std::string out;
    for (const CallArgument& each : arguments)
        out += (out.empty() && *separator == ',' ? "" : separator) +
               (each.name.empty() ? "" : std::string(each.name) + "=") + dump(each.value);
    return out;
}

/// An expression as an S-expression, so that precedence shows; "_" for null.
inline std::string dump(const Expr* expr) {
    if (!expr) return "_";
    const auto list = [&](std::string head) {
        for (const auto* item : expr->items) head += " " + dump(item);
        return "(" + head + ")";
    };
    switch (expr->kind) {
    case ExprKind::Name: return std::string(expr->text);
    case ExprKind::Constant: return fx::reprOf(fx::Graph(), *expr->constant);
    case ExprKind::Attribute: return list("." + std::string(expr->text));
    case ExprKind::Subscript: return list("[]");
    case ExprKind::Tuple: return list("tuple");
    case ExprKind::List: return list("list");
    case ExprKind::Set: return list("set");
    case ExprKind::Dict: return list("dict");
    case ExprKind::Slice: return list("slice");
    case ExprKind::Unary:
    case ExprKind::Binary:
    case ExprKind::Compare: return list(std::string(expr->text));
    case ExprKind::Conditional: return list("if");
    case ExprKind::Starred: return list("*");
    case ExprKind::Comprehension: return list("all" + std::string(expr->text));
    case ExprKind::Clause: return list("for");
    case ExprKind::Lambda: return "(lambda (" + dump(expr->parameters) + ") " + dump(expr->items[0]) + ")";
    case ExprKind::Named: return list(":= " + std::string(expr->text));
    case ExprKind::Formatted: // a computed format is the second item
        return list("{}" +
                    std::string(expr->items.size() > 1 ? expr->text.substr(0, expr->text.find(':')) : expr->text));
    case ExprKind::Yield: return list("yield" + std::string(expr->text));
    case ExprKind::Joined: {
        std::string out = "(f";
        for (const Expr* item : expr->items)
            if (const std::string part = dump(item); part != "''") out += " " + part;
        return out + ")";
    }
    case ExprKind::Call: return "(call " + dump(expr->items[0]) + dump(expr->arguments) + ")";
    }
    return "?";
}

inline std::string dump(std::span<const ImportedName> names) {
    std::string out;
    for (const ImportedName& each : names) {
        out += (out.empty() ? "" : ", ") + std::string(each.name);
        if (!each.alias.empty()) out += " as " + std::string(each.alias);
    }
    return out;
}
inline std::string dump(std::span<const Expr* const> items, const char* separator = " ") {
    std::string out;
    for (const Expr* each : items) out += (out.empty() ? "" : separator) + dump(each);
    return out;
}

/// The items of a `with`, with their names.
inline std::string dumpWith(const Stmt& statement) {
    std::string out;
    for (std::size_t i = 0; i < statement.targets.size(); ++i) {
        out += (i ? ", " : "") + dump(statement.value->items[i]);
        if (statement.targets[i]) out += " as " + dump(statement.targets[i]);
    }
    return out;
}

/// A statement, or the head of one.
inline std::string dump(const Stmt& s) {
    const auto optional = [](const char* before, const Expr* expr) {
        return expr ? before + dump(expr) : std::string();
    };
    const std::string text(s.text);
    switch (s.kind) {
    case StmtKind::Assign: return "(= " + dump(s.targets) + " " + dump(s.value) + ")";
    case StmtKind::AnnAssign: return "(: " + dump(s.targets) + " " + dump(s.annotation) + " " + dump(s.value) + ")";
    case StmtKind::AugAssign: return "(" + text + "= " + dump(s.targets) + " " + dump(s.value) + ")";
    case StmtKind::Expression: return dump(s.value);
    case StmtKind::Return: return "return" + optional(" ", s.value);
    case StmtKind::Pass: return "pass";
    case StmtKind::Import: return "import " + dump(s.imports);
    case StmtKind::ImportFrom: return "from " + text + " import " + dump(s.imports);
    case StmtKind::Def: return "def " + text + "(" + dump(s.parameters) + ")" + optional(" -> ", s.annotation);
    case StmtKind::If: return "if " + dump(s.value);
    case StmtKind::Elif: return "elif " + dump(s.value);
    case StmtKind::Else: return "else";
    case StmtKind::While: return "while " + dump(s.value);
    case StmtKind::For: return "for " + dump(s.targets) + " in " + dump(s.value);
    case StmtKind::Class: {
        const std::string bases = dump(s.targets, ", "), keywords = dump(s.arguments, ", ");
        return "class " + text + "(" + bases + (bases.empty() || keywords.empty() ? "" : ", ") + keywords + ")";
    }
    case StmtKind::Break: return "break";
    case StmtKind::Continue: return "continue";
    case StmtKind::Assert: return "assert " + dump(s.value);
    case StmtKind::Decorator: return "@ " + dump(s.value);
    case StmtKind::Try: return "try";
    case StmtKind::Except:
        return "except" + optional(" ", s.value) + (s.alias.empty() ? "" : " as " + std::string(s.alias));
    case StmtKind::Finally: return "finally";
    case StmtKind::With: return "with " + dumpWith(s);
    case StmtKind::Global: return "names " + dump(s.imports);
    case StmtKind::Raise: return "raise" + optional(" ", s.value) + optional(" from ", s.annotation);
    case StmtKind::Delete: return "del " + dump(s.targets, ", ");
    case StmtKind::Match: return "match " + dump(s.value);
    case StmtKind::Case: return "case " + dump(s.value);
    case StmtKind::Unsupported: return "unsupported " + text;
    case StmtKind::Invalid: return "invalid";
    }
    return "?";
}

/// A program: one statement a line, with bodies indented.
inline std::string dump(const SourceTree& tree) {
    std::string out;
    std::vector<std::size_t> ends; // of the open bodies
    for (std::size_t i = 0; i < tree.size(); ++i) {
        while (!ends.empty() && ends.back() <= i) ends.pop_back();
        out += std::string(2 * ends.size(), ' ') + dump(tree[i]) + "\n";
        if (tree.bodyEnd(i) > i + 1) ends.push_back(tree.bodyEnd(i));
    }
    return out;
}

} // namespace tree_text
