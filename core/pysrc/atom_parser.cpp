// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/utf8.h"
#include "core/pysrc/literals.h"
#include "core/pysrc/parser.h"
#include "core/pysrc/source_error.h"

#include <algorithm>
#include <utility>

// What an expression is made of in the end: names, numbers, strings (f-strings too), and what stands in brackets.

namespace fx::py {
namespace {

/// Where the text of a string literal is in its token, and what stands before it.
struct Quoted {
    explicit Quoted(std::string_view token) {
        const std::size_t quote = token.find_first_of("\"'");
        prefix = token.substr(0, quote);
        const std::size_t marks =
            token.size() >= quote + 6 && token[quote + 1] == token[quote] && token[quote + 2] == token[quote] ? 3 : 1;
        quotes = token.substr(quote, marks);
        text = token.substr(quote + marks, token.size() - quote - 2 * marks);
    }
    bool isFormatted() const { return prefix.find_first_of("fF") != std::string_view::npos; }
    bool isRaw() const { return prefix.find_first_of("rR") != std::string_view::npos; }
    std::string_view prefix, quotes, text;
};

/// The byte behind the value of an f-string that starts at `at`: its closing brace; npos: none.
std::size_t endOfValue(std::string_view text, std::size_t at) {
    int brackets = 0;
    char quote = 0;
    for (; at < text.size(); ++at) {
        const char c = text[at];
        if (quote) quote = c == quote ? '\0' : quote;
        else if (c == '"' || c == '\'') quote = c;
        else if (c == '(' || c == '[' || c == '{') ++brackets;
        else if (brackets == 0 && c == '}') return at;
        else if (c == ')' || c == ']' || c == '}') --brackets;
    }
    return std::string_view::npos;
}

/// The comprehension with its closing bracket.
const Expr* endedAt(std::uint32_t end, const Expr& all, SyntaxArena& arena) {
    Expr* whole = arena.make(all.kind, all.offset);
    *whole = all;
    whole->end = end;
    return whole;
}

} // namespace

const Expr* Parser::parseAtom() {
    const Token& token = m_lexer.peek();
    if (token.kind == TokenKind::String) return parseStrings();
    if (token.is("(")) return parseBracketed();
    if (token.is("[")) return parseList();
    if (token.is("{")) return parseBraces();
    const Token atom = token;
    const auto constant = [&](Argument value) {
        m_lexer.take();
        Expr* expr = m_arena.make(ExprKind::Constant, atom.offset);
        expr->end = m_lexer.taken();
        expr->constant = m_arena.keepConstant(std::move(value));
        return expr;
    };
    if (atom.kind == TokenKind::Number) {
        auto value = parseNumber(atom.text);
        if (!value) fail(Message("python.bad_number", {{"text", wholeCharacters(atom.text, 40)}}));
        return constant(std::move(*value));
    }
    if (atom.is("...")) return constant(EllipsisValue{});
    if (atom.kind != TokenKind::Name) fail(Message("python.expected_expression"));
    if (atom.is("None")) return constant(Argument());
    if (atom.is("True") || atom.is("False")) return constant(Argument(atom.is("True")));
    if (atom.isKeyword()) fail(Message("python.unexpected", {{"text", atom.text}}));
    m_lexer.take();
    Expr* name = m_arena.make(ExprKind::Name, atom.offset);
    name->end = m_lexer.taken();
    name->text = atom.text;
    return name;
}

const Expr* Parser::parseStrings() {
    const auto offset = m_lexer.peek().offset;
    const std::size_t from = m_items.size();
    std::optional<Argument> only; ///< the value, as long as it is of one literal
    std::string text;
    bool bytes = false, joined = false;
    const auto flush = [&] {
        Expr* constant = m_arena.make(ExprKind::Constant, offset);
        constant->end = m_lexer.taken();
        if (!only) only = bytes ? Argument(Bytes{std::move(text)}) : Argument(std::move(text));
        constant->constant = m_arena.keepConstant(*std::exchange(only, std::nullopt));
        text.clear();
        return constant;
    };
    for (bool first = true; m_lexer.peek().kind == TokenKind::String; first = false) {
        const Token token = m_lexer.peek();
        if (m_grammar == Grammar::Full && Quoted(token.text).isFormatted()) {
            m_items.push_back(flush());
            parseJoined(token.text, token.offset);
            joined = true;
        } else {
            auto value = parseString(token.text);
            if (!value) fail(Message("python.unsupported_string"));
            const auto* data = value->as<Bytes>();
            if (!first && (data != nullptr) != bytes) fail(Message("python.mixed_strings"));
            bytes = data != nullptr;
            text += data ? data->data : *value->as<std::string>();
            only = first ? std::move(value) : std::nullopt;
        }
        m_lexer.take();
    }
    if (!joined) return flush();
    m_items.push_back(flush());
    return make(ExprKind::Joined, offset, keep(from));
}

/// The texts and values of an f-string, as items.
void Parser::parseJoined(std::string_view token, std::uint32_t offset) {
    const Quoted quoted(token);
    std::string raw;
    const auto flush = [&] {
        if (raw.empty()) return;
        const auto text = parseString((quoted.isRaw() ? "r" : "") + std::string(quoted.quotes) +
                                      std::exchange(raw, {}) + std::string(quoted.quotes));
        if (!text) fail(Message("python.unsupported_string"));
        Expr* constant = m_arena.make(ExprKind::Constant, offset);
        constant->constant = m_arena.keepConstant(*text);
        m_items.push_back(constant);
    };
    for (std::size_t at = 0; at < quoted.text.size(); ++at) {
        const char c = quoted.text[at];
        const bool doubled = at + 1 < quoted.text.size() && quoted.text[at + 1] == c;
        if ((c == '{' || c == '}') && doubled) {
            raw += quoted.text[at++];
        } else if (c == '{') {
            flush();
            const std::size_t end = endOfValue(quoted.text, at + 1);
            if (end == std::string_view::npos) fail(Message("python.fstring_open"));
            m_items.push_back(parseFormatted(quoted.text.substr(at + 1, end - at - 1), offset));
            at = end;
        } else if (c == '}') {
            fail(Message("python.fstring_single_brace"));
        } else {
            raw += c;
        }
    }
    flush();
}

/// `value`, `value!r` or `value:.2f`.
const Expr* Parser::parseFormatted(std::string_view inside, std::uint32_t offset) {
    const Nested nested(*this);
    std::size_t end = inside.size();
    int brackets = 0;
    char quote = 0;
    for (std::size_t at = 0; at < end; ++at) {
        const char c = inside[at];
        if (quote) quote = c == quote ? '\0' : quote;
        else if (c == '"' || c == '\'') quote = c;
        else if (c == '(' || c == '[' || c == '{') ++brackets;
        else if (c == ')' || c == ']' || c == '}') --brackets;
        else if (brackets == 0 && (c == ':' || (c == '!' && inside.substr(at + 1, 1) != "="))) end = at;
    }
    std::string_view value = inside.substr(0, end), suffix = inside.substr(end);
    const std::string_view conversion = suffix.starts_with('!') ? suffix.substr(1, suffix.find(':') - 1) : "s";
    if (conversion != "s" && conversion != "r" && conversion != "a")
        fail(Message("python.fstring_conversion", {{"text", conversion}}));
    const std::size_t last = value.find_last_not_of(" \t\n");
    const bool shows = last != std::string_view::npos && last > 0 && value[last] == '=' &&
                       std::string_view("=!<>").find(value[last - 1]) == std::string_view::npos;
    if (shows) { // `{value=}`: its text, then its repr
        Expr* text = m_arena.make(ExprKind::Constant, offset);
        text->constant = m_arena.keepConstant(Argument(std::string(value)));
        m_items.push_back(text);
        value = value.substr(0, last);
        if (suffix.empty()) suffix = "!r";
    }
    // It starts within the same text, so that places in it are places in the file.
    const auto start = static_cast<std::uint32_t>(value.data() - source().data());
    auto& inner = m_inner.emplace_back(std::make_unique<Parser>(source().substr(0, start + value.size()), m_grammar));
    inner->restartAt(start);
    inner->m_statement = start;
    inner->m_depth = m_depth;
    const Expr* shown = inner->expression();
    const std::size_t colon = suffix.find(':');
    const bool computes = colon != std::string_view::npos && suffix.find('{', colon) != std::string_view::npos;
    Expr* formatted = computes ? make(ExprKind::Formatted, offset, {shown, parseSpec(suffix.substr(colon + 1), offset)})
                               : make(ExprKind::Formatted, offset, {shown});
    formatted->text = suffix;
    return formatted;
}

/// The texts and values of a format specification: `{width}.{digits}f`.
const Expr* Parser::parseSpec(std::string_view spec, std::uint32_t offset) {
    const std::size_t from = m_items.size();
    for (std::size_t at = 0, end = 0; at < spec.size(); at = end) {
        if (spec[at] == '{') {
            end = endOfValue(spec, at + 1);
            if (end == std::string_view::npos) fail(Message("python.fstring_open"));
            m_items.push_back(parseFormatted(spec.substr(at + 1, end - at - 1), offset));
            ++end;
        } else {
            end = std::min(spec.find('{', at), spec.size());
            Expr* text = m_arena.make(ExprKind::Constant, offset);
            text->constant = m_arena.keepConstant(Argument(std::string(spec.substr(at, end - at))));
            m_items.push_back(text);
        }
    }
    return make(ExprKind::Joined, offset, keep(from));
}

const Expr* Parser::parseBracketed() {
    const Nested nested(*this);
    const auto offset = m_lexer.take().offset;
    if (accept(")")) return make(ExprKind::Tuple, offset, {});
    if (m_grammar != Grammar::Full && m_lexer.peek().is("yield")) fail(Message("python.unsupported_yield"));
    const Expr* inner = parseTestList();
    const bool isGenerator = comprehends();
    if (isGenerator) {
        const std::size_t from = m_items.size();
        m_items.push_back(inner);
        inner = parseComprehension("(", offset, from);
    }
    if (m_lexer.peek().is("for")) fail(Message("python.unsupported_generator"));
    expect(")");
    return isGenerator ? endedAt(m_lexer.taken(), *inner, m_arena) : inner;
}

const Expr* Parser::parseList() {
    const Nested nested(*this);
    const auto offset = m_lexer.take().offset;
    const std::size_t from = m_items.size();
    while (!m_lexer.peek().is("]")) {
        const auto star = m_lexer.peek().offset;
        m_items.push_back(accept("*") ? make(ExprKind::Starred, star, {parseTest()}) : parseTest());
        if (comprehends() && m_items.size() == from + 1) {
            const Expr* all = parseComprehension("[", offset, from);
            expect("]");
            return endedAt(m_lexer.taken(), *all, m_arena);
        }
        if (m_lexer.peek().is("for")) fail(Message("python.unsupported_comprehension"));
        if (!accept(",")) break;
    }
    expect("]");
    return make(ExprKind::List, offset, keep(from));
}

const Expr* Parser::parseBraces() {
    const Nested nested(*this);
    const auto offset = m_lexer.take().offset;
    const std::size_t from = m_items.size();
    bool set = false;
    while (!m_lexer.peek().is("}")) {
        if (accept("**")) {
            m_items.push_back(nullptr);
            m_items.push_back(parseTest());
        } else {
            const auto star = m_lexer.peek().offset;
            m_items.push_back(m_grammar == Grammar::Full && accept("*") ? make(ExprKind::Starred, star, {parseTest()})
                                                                        : parseTest());
            set = !m_lexer.peek().is(":");
            if (!set) {
                m_lexer.take();
                m_items.push_back(parseTest());
            }
        }
        if (comprehends() && m_items.size() == from + (set ? 1 : 2)) {
            const Expr* all = parseComprehension(set ? "set" : "{", offset, from);
            expect("}");
            return endedAt(m_lexer.taken(), *all, m_arena);
        }
        if (m_lexer.peek().is("for")) fail(Message("python.unsupported_comprehension"));
        if (!accept(",")) break;
    }
    expect("}");
    Expr* braces = make(set ? ExprKind::Set : ExprKind::Dict, offset, keep(from));
    if (!set && braces->items.size() % 2 != 0) fail(Message("python.dict_key_without_value"));
    return braces;
}

} // namespace fx::py
