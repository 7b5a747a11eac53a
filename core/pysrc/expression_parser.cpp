// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pysrc/literals.h"
#include "core/pysrc/parser.h"
#include "core/pysrc/source_error.h"

#include <algorithm>

namespace fx::py {
namespace {
constexpr int kOr = 0, kAnd = 1, kBitOr = 2;

/// How tightly a left-associative binary operator binds; comparisons and `not` come between `and` and `|`. -1: none.
int levelOf(const Token& token) {
    switch (token.code) {
    case codeOf("or"): return kOr;
    case codeOf("and"): return kAnd;
    case codeOf("|"): return kBitOr;
    case codeOf("^"): return 3;
    case codeOf("&"): return 4;
    case codeOf("<<"):
    case codeOf(">>"): return 5;
    case codeOf("+"):
    case codeOf("-"): return 6;
    case codeOf("*"):
    case codeOf("/"):
    case codeOf("//"):
    case codeOf("%"):
    case codeOf("@"): return 7;
    default: return -1;
    }
}
bool isComparison(const Token& token) {
    switch (token.code) {
    case codeOf("<"):
    case codeOf(">"):
    case codeOf("=="):
    case codeOf("!="):
    case codeOf("<="):
    case codeOf(">="):
    case codeOf("in"):
    case codeOf("is"):
    case codeOf("not"): return true;
    default: return false;
    }
}

/// Neither a sign before an operand nor a word that may be one.
bool startsOperand(const Token& token) {
    switch (token.kind) {
    case TokenKind::Number:
    case TokenKind::String: return true;
    case TokenKind::Name: return !token.is("not") && !token.is("await");
    case TokenKind::Operator: return token.is("(") || token.is("[") || token.is("{");
    default: return false;
    }
}
/// What follows an operand when nothing is done with it.
bool endsTest(const Token& token) {
    switch (token.code) {
    case codeOf(","):
    case codeOf(")"):
    case codeOf("]"):
    case codeOf("}"):
    case codeOf("="):
    case codeOf(":"):
    case codeOf(";"): return true;
    default: return token.kind == TokenKind::NewLine || token.kind == TokenKind::End;
    }
}
} // namespace

Expr* Parser::make(ExprKind kind, std::uint32_t offset, std::initializer_list<const Expr*> items) {
    return make(kind, offset, m_arena.keep(std::span<const Expr* const>(items.begin(), items.size())));
}

Expr* Parser::make(ExprKind kind, std::uint32_t offset, std::span<const Expr* const> kept) {
    Expr* expr = m_arena.make(kind, offset);
    expr->items = kept;
    expr->end = m_lexer.taken();
    for (const Expr* item : kept) deepen(*expr, item);
    return expr;
}

/// A long chain (x + x + x ...) is deep without any nesting, and whoever walks the tree recurses.
void Parser::deepen(Expr& expr, const Expr* part) {
    if (part && part->depth >= expr.depth) expr.depth = static_cast<std::uint16_t>(part->depth + 1);
    if (expr.depth > kMaxNesting) fail(Message("python.expression_too_deep", {{"limit", kMaxNesting}}));
}

std::span<const Expr* const> Parser::keep(std::size_t from) {
    const auto kept = m_arena.keep(std::span<const Expr* const>(m_items).subspan(from));
    m_items.resize(from);
    return kept;
}

/// The bracket of the statement that nothing closes up to the end of the source, if the error at `end` is on a later
/// line: then the missing bracket is the cause of it, which CPython reports too.
std::optional<std::uint32_t> Parser::unclosedBracket(std::uint32_t end) {
    if (source().substr(m_statement, end - std::min(m_statement, end)).find('\n') == std::string_view::npos) return {};
    std::vector<Token> open;
    Lexer lexer(source());
    lexer.restartAt(m_statement);
    try {
        for (Token token = lexer.take(); token.kind != TokenKind::End; token = lexer.take()) {
            if (m_scansLeft == 0) return std::nullopt;
            --m_scansLeft;
            if (token.is("(") || token.is("[") || token.is("{")) open.push_back(token);
            if (!token.is(")") && !token.is("]") && !token.is("}")) continue;
            const bool matches = !open.empty() && (token.is(")")   ? open.back().is("(")
                                                   : token.is("]") ? open.back().is("[")
                                                                   : open.back().is("{"));
            if (!matches) return std::nullopt;
            open.pop_back();
        }
    } catch (const SourceError&) { return std::nullopt; } // a string without an end is another cause
    if (open.empty() || lineOf(source(), open.back().offset) >= lineOf(source(), end)) return std::nullopt;
    return open.back().offset;
}

void Parser::fail(const Message& what) {
    const std::uint32_t at = m_lexer.peek().offset;
    if (const auto bracket = unclosedBracket(at))
        throw sourceError(source(), *bracket,
                          Message("python.never_closed", {{"text", std::string(source().substr(*bracket, 1))}}));
    throw sourceError(source(), at, what);
}

const Expr* Parser::expression() {
    m_arena.clear();
    const Expr* expr = parseTestList();
    while (m_lexer.peek().kind == TokenKind::NewLine) m_lexer.take();
    if (m_lexer.peek().kind != TokenKind::End) fail(Message("python.text_after_expression"));
    return expr;
}

const Expr* Parser::parseTestList() {
    const auto offset = m_lexer.peek().offset;
    if (m_grammar == Grammar::Full && m_lexer.peek().is("yield")) return parseYield();
    const std::size_t from = m_items.size();
    const auto item = [&]() -> const Expr* {
        if (!m_lexer.peek().is("*")) return parseTest();
        const auto star = m_lexer.take().offset;
        return make(ExprKind::Starred, star, {parseBinary(kBitOr)});
    };
    const Expr* first = item();
    if (!m_lexer.peek().is(",")) return first;
    m_items.push_back(first);
    while (accept(",")) {
        const Token& token = m_lexer.peek();
        if (token.kind == TokenKind::NewLine || token.kind == TokenKind::End || token.is("=") || token.is(")") ||
            token.is("]") || token.is(";") || token.is(":"))
            break;
        m_items.push_back(item());
    }
    return make(ExprKind::Tuple, offset, keep(from));
}

const Expr* Parser::parseYield() {
    const auto offset = m_lexer.take().offset;
    const bool all = accept("from");
    const Token& next = m_lexer.peek();
    const bool bare = next.kind == TokenKind::NewLine || next.kind == TokenKind::End || next.is(")") || next.is(";");
    Expr* yield = bare ? make(ExprKind::Yield, offset, {}) : make(ExprKind::Yield, offset, {parseTestList()});
    if (all) yield->text = "from";
    return yield;
}

const Expr* Parser::parseTest() {
    const Nested nested(*this);
    const Token& start = m_lexer.peek();
    if (start.is("lambda")) return parseLambda();
    const auto offset = start.offset;
    // Mostly one operand without operators: a name, a number, a call.
    const Expr* first = nullptr;
    if (startsOperand(start)) {
        const Nested levels(*this, 4); // as many as on the way through operators
        first = parsePostfix();
    }
    if (first && endsTest(m_lexer.peek())) return first;
    const Expr* value = parseBinary(kOr, first);
    if (m_isPattern && accept("as")) {
        Expr* named = make(ExprKind::Named, offset, {value});
        named->text = m_lexer.take().text;
        return named;
    }
    if (m_lexer.peek().is(":=")) {
        if (m_grammar != Grammar::Full || value->kind != ExprKind::Name) fail(Message("python.unsupported_walrus"));
        m_lexer.take();
        Expr* named = make(ExprKind::Named, offset, {parseTest()});
        named->text = value->text;
        return named;
    }
    if (!accept("if")) return value;
    const Expr* condition = parseBinary(kOr);
    expect("else");
    return make(ExprKind::Conditional, offset, {value, condition, parseTest()});
}

const Expr* Parser::parseLambda() {
    if (m_grammar != Grammar::Full) fail(Message("python.unsupported_lambda"));
    const auto offset = m_lexer.take().offset;
    std::vector<Parameter> parameters;
    parseParameters(parameters, ":", false);
    expect(":");
    Expr* lambda = make(ExprKind::Lambda, offset, {parseTest()});
    lambda->parameters = m_arena.keep(std::span<const Parameter>(parameters));
    return lambda;
}

/// `a`, `a, *b`, `(a, b), c`: without comparisons, since `in` follows.
const Expr* Parser::parseTargets() {
    const auto offset = m_lexer.peek().offset;
    const std::size_t from = m_items.size();
    const auto target = [&]() -> const Expr* {
        const auto start = m_lexer.peek().offset;
        return accept("*") ? make(ExprKind::Starred, start, {parseBinary(kBitOr)}) : parseBinary(kBitOr);
    };
    const Expr* first = target();
    if (!m_lexer.peek().is(",")) return first;
    m_items.push_back(first);
    while (accept(",") && !m_lexer.peek().is("in")) m_items.push_back(target());
    return make(ExprKind::Tuple, offset, keep(from));
}

/// `for x in xs if c ...` after the element, which stands in m_items from `from` on; up to the bracket, which is left.
const Expr* Parser::parseComprehension(const char* bracket, std::uint32_t offset, std::size_t from) {
    const Nested nested(*this);
    while (accept("for")) {
        const auto start = m_lexer.peek().offset;
        const std::size_t clause = m_items.size();
        m_items.push_back(parseTargets());
        expect("in");
        m_items.push_back(parseBinary(kOr));
        while (accept("if")) m_items.push_back(parseBinary(kOr));
        const auto parts = keep(clause);
        m_items.push_back(make(ExprKind::Clause, start, parts));
    }
    Expr* comprehension = make(ExprKind::Comprehension, offset, keep(from));
    comprehension->text = bracket;
    return comprehension;
}

/// Precedence climbing: operators that bind at least as tightly as `level`.
const Expr* Parser::parseBinary(int level, const Expr* first) {
    const Nested nested(*this);
    const auto offset = first ? first->offset : m_lexer.peek().offset;
    const Expr* left = level < kBitOr ? parseNot(first) : parseUnary(first);
    for (;;) {
        const int found = levelOf(m_lexer.peek());
        if (found < level) return left;
        const std::string_view sign = m_lexer.take().text;
        const Expr* right = found == kAnd ? parseNot() : parseBinary(found + 1);
        Expr* binary = make(ExprKind::Binary, offset, {left, right});
        binary->text = sign;
        left = binary;
    }
}

const Expr* Parser::parseNot(const Expr* first) {
    const Nested nested(*this);
    if (first || !m_lexer.peek().is("not")) return parseComparison(first);
    const auto offset = m_lexer.take().offset;
    Expr* unary = make(ExprKind::Unary, offset, {parseNot()});
    unary->text = "not";
    return unary;
}

const Expr* Parser::parseComparison(const Expr* first) {
    const auto offset = first ? first->offset : m_lexer.peek().offset;
    const Expr* left = parseBinary(kBitOr, first);
    const Expr* chain = nullptr;
    while (isComparison(m_lexer.peek())) {
        std::string_view sign = m_lexer.take().text;
        if (sign == "not") {
            expect("in");
            sign = "not in";
        } else if (sign == "is" && accept("not")) {
            sign = "is not";
        }
        const Expr* right = parseBinary(kBitOr);
        Expr* compare = make(ExprKind::Compare, offset, {left, right});
        compare->text = sign;
        if (chain) {
            Expr* both = make(ExprKind::Binary, offset, {chain, compare});
            both->text = "and";
            chain = both;
        } else {
            chain = compare;
        }
        left = right;
    }
    return chain ? chain : left;
}

const Expr* Parser::parseUnary(const Expr* first) {
    const Nested nested(*this);
    const Token& token = m_lexer.peek();
    if (!first && token.is("await")) {
        if (m_grammar != Grammar::Full) fail(Message("python.unsupported_await"));
        const Token word = m_lexer.take();
        Expr* await = make(ExprKind::Unary, word.offset, {parseUnary()});
        await->text = word.text;
        return await;
    }
    if (!first && (token.is("+") || token.is("-") || token.is("~"))) {
        const Token sign = m_lexer.take();
        Expr* unary = make(ExprKind::Unary, sign.offset, {parseUnary()});
        unary->text = sign.text;
        return unary;
    }
    const auto offset = first ? first->offset : token.offset;
    const Expr* base = first ? first : parsePostfix();
    if (!accept("**")) return base;
    Expr* power = make(ExprKind::Binary, offset, {base, parseUnary()});
    power->text = "**";
    return power;
}

const Expr* Parser::parsePostfix() {
    const Expr* expr = parseAtom();
    for (;;) {
        const Token& token = m_lexer.peek();
        if (token.kind != TokenKind::Operator) return expr;
        if (token.is(".")) {
            m_lexer.skip();
            const Token name = m_lexer.take();
            if (name.kind != TokenKind::Name) fail(Message("python.expected_attribute_name"));
            if (name.isKeyword())
                throw sourceError(source(), name.offset, Message("python.keyword_as_name", {{"name", name.text}}));
            Expr* attribute = make(ExprKind::Attribute, expr->offset, {expr});
            attribute->text = name.text;
            expr = attribute;
        } else if (token.is("(")) {
            expr = parseCall(expr);
        } else if (token.is("[")) {
            expr = parseSubscript(expr);
        } else {
            return expr;
        }
    }
}

const Expr* Parser::parseCall(const Expr* callee) {
    const Nested nested(*this);
    m_lexer.skip();
    const std::size_t from = m_arguments.size();
    while (!m_lexer.peek().is(")")) {
        CallArgument argument;
        if (m_lexer.peek().is("*") || m_lexer.peek().is("**")) argument.name = m_lexer.take().text;
        argument.value = parseTest();
        if (argument.name.empty() && m_lexer.peek().is("=")) {
            if (argument.value->kind != ExprKind::Name) fail(Message("python.expected_argument_name"));
            m_lexer.take();
            argument.name = argument.value->text;
            argument.value = parseTest();
        }
        if (comprehends()) {
            const std::size_t item = m_items.size();
            m_items.push_back(argument.value);
            argument.value = parseComprehension("(", argument.value->offset, item);
        }
        if (m_lexer.peek().is("for")) fail(Message("python.unsupported_generator"));
        if (argument.name.empty() && m_arguments.size() > from && !m_arguments.back().name.empty() &&
            m_arguments.back().name != "*")
            throw sourceError(source(), argument.value->offset, Message("python.positional_after_keyword"));
        m_arguments.push_back(argument);
        if (!accept(",")) break;
    }
    expect(")");
    Expr* call = make(ExprKind::Call, callee->offset, {callee});
    call->arguments = m_arena.keep(std::span<const CallArgument>(m_arguments).subspan(from));
    m_arguments.resize(from);
    for (const auto& argument : call->arguments) deepen(*call, argument.value);
    return call;
}

const Expr* Parser::parseSubscript(const Expr* object) {
    const Nested nested(*this);
    const auto offset = m_lexer.take().offset;
    const std::size_t from = m_items.size();
    const Expr* key = parseSubscriptItem();
    if (m_lexer.peek().is(",")) {
        m_items.push_back(key);
        while (accept(","))
            if (!m_lexer.peek().is("]")) m_items.push_back(parseSubscriptItem());
        key = make(ExprKind::Tuple, offset, keep(from));
    }
    expect("]");
    return make(ExprKind::Subscript, object->offset, {object, key});
}

const Expr* Parser::parseSubscriptItem() {
    const auto offset = m_lexer.peek().offset;
    const auto part = [&]() -> const Expr* {
        const Token& token = m_lexer.peek();
        return token.is(":") || token.is("]") || token.is(",") ? nullptr : parseTest();
    };
    if (m_grammar == Grammar::Full && accept("*")) return make(ExprKind::Starred, offset, {parseTest()});
    const Expr* start = part();
    if (!accept(":")) {
        if (!start) fail(Message("python.expected_index"));
        return start;
    }
    const Expr* stop = part();
    const Expr* step = accept(":") ? part() : nullptr;
    return make(ExprKind::Slice, offset, {start, stop, step});
}

} // namespace fx::py
