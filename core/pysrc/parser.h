// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/message.h"
#include "core/pysrc/lexer.h"
#include "core/pysrc/source_error.h"
#include "core/pysrc/syntax.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fx::py {

/// Maximum recursion depth of the parser: enough for the 200 nested brackets that Python allows.
inline constexpr int kMaxNesting = 1200;

/// The subset of Python that a Parser accepts.
enum class Grammar : std::uint8_t {
    Generated, ///< simple statements and `def`; no lambdas and comprehensions: the code that torch.fx generates
    /// Also if, for, while, try, with, class, break, continue, assert, decorators, lambda, comprehensions, f-strings,
    /// `:=`, yield, raise, del and match. The tree lives as long as the parser.
    Full,
};

/// Parses Python one simple statement at a time, with all expressions of its grammar. The fast path for code generated
/// by torch.fx (about 1 µs per line).
///
/// Compound statements are returned as StmtKind::Unsupported, except `def`, whose body follows as further statements
/// with a larger indent. Errors throw Error{File} with line and column.
class Parser {
public:
    explicit Parser(std::string_view source, Grammar grammar = Grammar::Generated)
        : m_lexer(source), m_grammar(grammar) {}

    /// The next statement, or false at the end. The tree lives until the next call, but see Grammar.
    bool next(Stmt& statement);
    /// Whether a statement ended its line; false if others follow after `;`.
    bool atLineEnd() { return m_lexer.peek().kind == TokenKind::NewLine || m_lexer.peek().kind == TokenKind::End; }
    /// Offset of the token after the last statement, and end offset of the statement's last token.
    std::uint32_t position() { return m_lexer.peek().offset; }
    std::uint32_t taken() const { return m_lexer.taken(); }
    /// After an error: the next statement is the one that begins at `offset`, the start of a line.
    void restartAt(std::uint32_t offset) {
        m_lexer.restartAt(offset);
        m_lineStart = true;
        m_body = Body::Unknown;
    }
    /// Wrong indentation is reported here, and its statements are kept; null: it throws. Of Grammar::Full alone.
    std::vector<SourceError>* indentErrors = nullptr;
    std::uint32_t indentAt(std::uint32_t offset) const { return m_lexer.indentAt(offset); }
    /// Parses the whole source as one expression.
    const Expr* expression();
    std::string_view source() const { return m_lexer.source(); }

private:
    void checkIndent(std::uint32_t offset, bool isEnd);
    void parseSimple(Stmt& statement);
    void parseExpressionStatement(Stmt& statement);
    void parseImport(Stmt& statement);
    void parseImportFrom(Stmt& statement);
    void parseDef(Stmt& statement);
    bool parseCompound(Stmt& statement);
    void parseClass(Stmt& statement);
    void parseNames(Stmt& statement);
    void parseCase(Stmt& statement);
    const Expr* parseYield();
    bool startsMatch(const Token& token) const;
    void parseParameters(std::vector<Parameter>& parameters, const char* end, bool annotated);
    void parseWith(Stmt& statement);
    void endHead();
    const Expr* parseTargets(); ///< the targets between `for` and `in`
    const Expr* parseComprehension(const char* bracket, std::uint32_t offset, std::size_t from);
    const Expr* parseLambda();
    bool comprehends() { return m_grammar == Grammar::Full && m_lexer.peek().is("for"); }
    void skipCompound(Stmt& statement);
    std::string_view dottedName();

    const Expr* parseTest();     ///< conditional expression
    const Expr* parseTestList(); ///< tuple without brackets, or one test
    // `first`: the operand that it starts with, if that was parsed already
    const Expr* parseBinary(int level, const Expr* first = nullptr);
    const Expr* parseNot(const Expr* first = nullptr);
    const Expr* parseComparison(const Expr* first = nullptr);
    const Expr* parseUnary(const Expr* first = nullptr);
    const Expr* parsePostfix();
    const Expr* parseAtom();
    const Expr* parseStrings();
    void parseJoined(std::string_view token, std::uint32_t offset);
    const Expr* parseFormatted(std::string_view inside, std::uint32_t offset);
    const Expr* parseSpec(std::string_view spec, std::uint32_t offset);
    const Expr* parseBracketed(); ///< ( … ): group or tuple
    const Expr* parseList();
    const Expr* parseBraces(); ///< { … }: dict or set
    const Expr* parseCall(const Expr* callee);
    const Expr* parseSubscript(const Expr* object);
    const Expr* parseSubscriptItem();

    Expr* make(ExprKind kind, std::uint32_t offset, std::initializer_list<const Expr*> items);
    Expr* make(ExprKind kind, std::uint32_t offset, std::span<const Expr* const> kept);
    void deepen(Expr& expr, const Expr* part);
    std::span<const Expr* const> keep(std::size_t from); ///< pops the item stack down to `from`
    bool accept(Word word) {
        if (!m_lexer.peek().is(word)) return false;
        m_lexer.skip();
        return true;
    }
    void expect(Word word) {
        if (!accept(word)) fail(Message("python.expected", {{"text", word.text}}));
    }
    [[noreturn]] void fail(const Message& what);
    std::optional<std::uint32_t> unclosedBracket(std::uint32_t end);

    /// Counts the recursion depth, so that no input can exhaust the stack.
    struct Nested {
        explicit Nested(Parser& owner, int by = 1) : parser(owner), levels(by) {
            if ((parser.m_depth += levels) > kMaxNesting) parser.fail(Message("python.too_deep"));
        }
        ~Nested() { parser.m_depth -= levels; }
        Parser& parser;
        int levels;
    };
    Lexer m_lexer;
    Grammar m_grammar;
    SyntaxArena m_arena;
    std::vector<const Expr*> m_items;             ///< items of the lists being parsed
    std::vector<CallArgument> m_arguments;        ///< the same for calls
    std::vector<std::unique_ptr<Parser>> m_inner; ///< of the values in f-strings
    int m_depth = 0;
    bool m_lineStart = true;
    std::uint32_t m_indent = 0;
    /// Whether the last statement was a head whose body begins in the next line.
    enum class Body : std::uint8_t { None, Follows, Unknown } m_body = Body::Unknown;
    std::vector<Indent> m_levels;        ///< of the blocks that are open
    std::uint32_t m_statement = 0;       ///< where the current statement begins
    std::size_t m_scansLeft = 2'000'000; ///< tokens that are looked at for causes of errors, in all
};

} // namespace fx::py
