// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/argument.h"

#include <cstdint>
#include <deque>
#include <memory_resource>
#include <span>
#include <string_view>

/// The syntax tree of Python text, for the symbolic evaluator.
namespace fx::py {

/// The kinds of expressions, and the fields of Expr that each uses.
enum class ExprKind : std::uint8_t {
    Name,        ///< text
    Constant,    ///< constant
    Attribute,   ///< items[0] . text
    Subscript,   ///< items[0] [ items[1] ]
    Call,        ///< items[0] ( arguments )
    Tuple,       ///< items
    List,        ///< items
    Set,         ///< items
    Dict,        ///< key, value, key, value...; a null key marks `**value`
    Slice,       ///< start, stop, step; null if omitted
    Unary,       ///< text is one of + - ~ not
    Binary,      ///< items[0] text items[1]; `and` and `or` included
    Compare,     ///< items[0] text items[1]; a chain is an `and` of comparisons
    Conditional, ///< items[0] if items[1] else items[2]
    Starred,     ///< * items[0]
    // Only in Grammar::Full:
    Comprehension, ///< text is the bracket: [ ( { or set; items: the element, or key and value, then the Clauses
    Clause,        ///< for items[0] in items[1], if each of the further items
    Lambda,        ///< parameters; items[0]
    Named,         ///< text := items[0]; in a pattern `items[0] as text`
    Joined,        ///< an f-string: items are strings (Constant) and Formatted values
    /// items[0] formatted; text is the suffix: "!r", ":.2f" or empty; items[1] is a computed format specification
    Formatted,
    Yield, ///< items[0] is the value, if any; text is "from" or empty
};

struct Expr;
struct Parameter;

/// An argument of a call. `name` is empty for positional arguments, and "*" or "**" for unpacked ones.
struct CallArgument {
    std::string_view name; ///< see above
    const Expr* value = nullptr;
};

/// An expression, owned by its SyntaxArena. `text` views into the source.
struct Expr {
    ExprKind kind = ExprKind::Name;
    std::uint16_t depth = 1;                 ///< height of the tree below, including this node
    std::uint32_t offset = 0;                ///< start offset in the source
    std::uint32_t end = 0;                   ///< end offset
    std::string_view text;                   ///< see ExprKind
    const Argument* constant = nullptr;      ///< value of a Constant
    std::span<const Expr* const> items;      ///< see ExprKind
    std::span<const CallArgument> arguments; ///< arguments of a Call
    std::span<const Parameter> parameters;   ///< parameters of a Lambda
};

/// A parameter of a function. A missing annotation or default is null.
struct Parameter {
    enum class Kind : std::uint8_t { Normal, VarArgs, KeywordOnly, VarKeywords };
    Kind kind = Kind::Normal;
    std::string_view name; ///< without `*` or `**`
    const Expr* annotation = nullptr;
    const Expr* defaultValue = nullptr;
    bool isPositionalOnly = false; ///< stands before `/`
};

/// The kinds of statements, and the fields of Stmt that each uses.
enum class StmtKind : std::uint8_t {
    Assign,     ///< targets = value (several targets: a = b = value)
    AnnAssign,  ///< targets[0] : annotation [= value]
    AugAssign,  ///< targets[0] text= value
    Expression, ///< value
    Return,     ///< [value]
    Pass,
    Import,      ///< imports: dotted name -> alias
    ImportFrom,  ///< text is the module; imports: name -> alias
    Def,         ///< text is the name; parameters; annotation is the return type
    Unsupported, ///< text is the keyword: async; in Grammar::Generated also all kinds below
    Invalid,     ///< a statement with a syntax error, and its body; only in a SourceTree that recovers
    // Only in Grammar::Full. text is the keyword; bodies follow as for Def:
    If,
    Elif,
    Else,
    While, ///< value is the condition; null for Else
    For,   ///< targets[0] in value
    Class, ///< text is the name; targets: its bases; arguments: its keywords
    Break,
    Continue,
    Assert,    ///< value
    Decorator, ///< value, for the following def or class
    Try,
    Except,
    Finally, ///< bodies; Except: value is the exception, or null; alias: its name
    With,    ///< value: one item or a tuple; targets: their names, null without `as`
    Global,  ///< also nonlocal; imports: the names
    Raise,   ///< [value]; annotation is the cause
    Delete,  ///< targets
    Match,   ///< value
    Case,    ///< value is the pattern as an expression; alias is the name after `as`; annotation is the guard
};

/// `name as alias` in an import.
struct ImportedName {
    std::string_view name, alias; ///< alias is empty if not given
};

/// A simple statement, or the head of a compound one.
struct Stmt {
    StmtKind kind = StmtKind::Pass;
    std::uint32_t offset = 0;
    std::uint32_t indent = 0;             ///< indentation of the line, in columns
    bool continuesLine = false;           ///< another statement or a head precedes it on the same line
    std::string_view text;                ///< see StmtKind
    std::string_view alias;               ///< name after `as`, or empty
    std::span<const Expr* const> targets; ///< see StmtKind
    const Expr* value = nullptr;
    const Expr* annotation = nullptr; ///< see StmtKind
    std::span<const ImportedName> imports;
    std::span<const CallArgument> arguments; ///< keywords of a Class
    std::span<const Parameter> parameters;   ///< parameters of a Def
};

/// Owns the nodes of a tree. `clear` drops all nodes and keeps the memory for the next statement.
class SyntaxArena {
public:
    /// Allocates an expression, valid until `clear`.
    Expr* make(ExprKind kind, std::uint32_t offset) {
        Expr* expr = new (m_memory.allocate(sizeof(Expr), alignof(Expr))) Expr;
        expr->kind = kind;
        expr->offset = offset;
        return expr;
    }
    /// Copies items to the arena.
    template<class T> std::span<const T> keep(std::span<const T> items) {
        if (items.empty()) return {};
        T* copy = static_cast<T*>(m_memory.allocate(items.size_bytes(), alignof(T)));
        std::uninitialized_copy(items.begin(), items.end(), copy);
        return {copy, items.size()};
    }
    /// Stores a constant in the arena.
    const Argument* keepConstant(Argument value) { return &m_constants.emplace_back(std::move(value)); }
    /// Drops all nodes.
    void clear() {
        m_memory.release();
        m_constants.clear();
    }

private:
    alignas(std::max_align_t) std::byte m_first[16384];
    std::pmr::monotonic_buffer_resource m_memory{m_first, sizeof m_first};
    std::deque<Argument> m_constants;
};

} // namespace fx::py
