// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/message.h"
#include "core/pysrc/lexer.h"
#include "core/pysrc/source_error.h"
#include "core/pysrc/syntax.h"

#include <memory>
#include <optional>
#include <vector>

namespace fx::py {

/// The maximum recursion depth of the parser, enough for the 200 nested brackets that Python allows.
inline constexpr int kMaxNesting = 1200;

/// The subset of Python that a Parser accepts.
enum class Grammar : std::uint8_t {
    Generated, ///< simple statements and `def`, without lambdas and comprehensions: the code that torch.fx generates
    /// Adds if, for, while, try, with, class, break, continue, assert, decorators, lambda, comprehensions, f-strings,
    /// `:=`, yield, raise, del and match. The tree lives as long as the parser.
    Full,
};

/// Parses Python one statement at a time, with all expressions of its grammar. This is the fast path for code generated
/// by torch.fx (about 1 µs per line).
///
/// Compound statements outside of the grammar are StmtKind::Unsupported. The body of a `def` or another head follows as
/// further statements with a larger indent. Errors throw Error{File} with line and column.
class Parser {
public:
    explicit Parser(std::string_view source, Grammar grammar = Grammar::Generated)
        : m_lexer(source), m_grammar(grammar) {}

    /// Parses the next statement; returns false at the end. With Grammar::Generated, the tree lives until the next
    /// call.
    bool next(Stmt& statement);
    /// Returns true if the statement ended its line, and false if others follow after `;`.
    bool atLineEnd() { return m_lexer.peek().kind == TokenKind::NewLine || m_lexer.peek().kind == TokenKind::End; }
    /// The offset of the token after the last statement.
    std::uint32_t position() { return m_lexer.peek().offset; }
    /// The end offset of the last token of the statement.
    std::uint32_t taken() const { return m_lexer.taken(); }
    /// Continues at `offset`, the start of a line, after an error.
    void restartAt(std::uint32_t offset) {
        m_lexer.restartAt(offset);
        m_isPattern = false;
        m_lineStart = true;
        m_body = Body::Unknown;
    }
    /// Receives errors of indentation, whose statements are kept; if null, they are thrown. Only for Grammar::Full.
    std::vector<SourceError>* indentErrors = nullptr;
    /// Returns the indentation of the line that contains `offset`, in columns.
    std::uint32_t indentAt(std::uint32_t offset) const { return m_lexer.indentAt(offset); }
    /// Parses the whole source as one expression.
    const Expr* expression();
    /// The parsed text.
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
    // `first` is the first operand, if it is already parsed.
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
    std::vector<CallArgument> m_arguments;        ///< arguments of the calls being parsed
    std::vector<std::unique_ptr<Parser>> m_inner; ///< parsers of the values in f-strings
    int m_depth = 0;
    bool m_lineStart = true;
    bool m_isPattern = false; ///< parses the pattern of a `case`, whose parts may be named with `as`
    std::uint32_t m_indent = 0;
    /// The body that the last statement expects: none, one that starts on the next line, or unknown after a restart.
    enum class Body : std::uint8_t { None, Follows, Unknown } m_body = Body::Unknown;
    std::vector<Indent> m_levels;        ///< indentation of the open blocks
    std::uint32_t m_statement = 0;       ///< start offset of the current statement
    std::size_t m_scansLeft = 2'000'000; ///< total budget of tokens for finding the causes of errors
};

} // namespace fx::py
