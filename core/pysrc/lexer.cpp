// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pysrc/lexer.h"

#include "core/base/python_text.h"
#include "core/pysrc/source_error.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <vector>

namespace fx::py {
namespace {
bool isDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool isNameStart(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80);
}
constexpr auto kNameParts = [] {
    std::array<bool, 256> parts{};
    for (int c = 0; c < 256; ++c) parts[static_cast<std::size_t>(c)] = isNameStart(static_cast<char>(c));
    for (char c = '0'; c <= '9'; ++c) parts[static_cast<unsigned char>(c)] = true;
    return parts;
}();
bool isNamePart(char c) { return kNameParts[static_cast<unsigned char>(c)]; }
/// What may stand second in an operator.
constexpr bool isSecond(char c) {
    return c == '=' || c == '*' || c == '/' || c == '<' || c == '>' || c == '.' || c == '-';
}

constexpr std::array<std::string_view, 24> kLongOperators = {"**=", "//=", ">>=", "<<=", "...", "->", ":=", "**",
                                                             "//",  ">>",  "<<",  "<=",  ">=",  "==", "!=", "+=",
                                                             "-=",  "*=",  "/=",  "%=",  "&=",  "|=", "^=", "@="};
} // namespace

Indent Lexer::indentOf(std::uint32_t offset) const {
    std::size_t start = offset;
    while (start > 0 && m_source[start - 1] != '\n') --start;
    Indent out;
    for (; start < m_source.size() && (m_source[start] == ' ' || m_source[start] == '\t'); ++start) {
        out.columns = m_source[start] == ' ' ? out.columns + 1 : (out.columns / 8 + 1) * 8;
        ++out.characters;
    }
    return out;
}

bool Token::isKeyword() const {
    static const std::vector<std::uint64_t> kCodes = [] {
        std::vector<std::uint64_t> codes;
        for (const std::string_view word : pythonKeywords()) codes.push_back(codeOf(word)); // none is longer
        std::sort(codes.begin(), codes.end());
        return codes;
    }();
    return code != 0 && std::binary_search(kCodes.begin(), kCodes.end(), code);
}

/// codeOf that text of the source, which is not empty.
std::uint64_t Lexer::codeAt(std::size_t start, std::size_t length) const {
    if (length > 8) return 0;
    if (std::endian::native != std::endian::little || m_source.size() - start < 8)
        return codeOf(m_source.substr(start, length));
    std::uint64_t word;
    std::memcpy(&word, m_source.data() + start, 8);
    return word & ~std::uint64_t{0} >> (64 - 8 * length);
}

void Lexer::skipBlanks() {
    if (m_at == 0 && m_source.starts_with("\xEF\xBB\xBF")) m_at = 3; // the mark of UTF-8
    while (m_at < m_source.size()) {
        const char c = m_source[m_at];
        if (c == ' ' || c == '\t' || c == '\f' || c == '\r' || (c == '\n' && m_brackets > 0)) {
            ++m_at;
        } else if (c == '#') {
            while (m_at < m_source.size() && m_source[m_at] != '\n') ++m_at;
        } else if (c == '\\' && m_at + 1 < m_source.size() &&
                   (m_source[m_at + 1] == '\n' || m_source[m_at + 1] == '\r')) {
            m_at += m_source.substr(m_at, 3) == "\\\r\n" ? 3 : 2;
        } else {
            return;
        }
    }
}

Token Lexer::scan() {
    skipBlanks();
    const std::size_t start = m_at;
    const auto token = [&](TokenKind kind, std::size_t length) {
        m_at = start + length;
        const std::string_view text = m_source.substr(start, length);
        const bool isWord = kind == TokenKind::Name || kind == TokenKind::Operator;
        return Token{kind, text, static_cast<std::uint32_t>(start), isWord ? codeAt(start, length) : 0};
    };
    if (start >= m_source.size()) return token(TokenKind::End, 0);
    const char c = m_source[start];
    if (c == '\n') return token(TokenKind::NewLine, 1);
    if (isNameStart(c)) {
        std::size_t end = start;
        while (end < m_source.size() && isNamePart(m_source[end])) ++end;
        const bool quoted =
            end < m_source.size() && (m_source[end] == '"' || m_source[end] == '\'') && end - start <= 2;
        return quoted ? scanString(end) : token(TokenKind::Name, end - start);
    }
    if (isDigit(c) || (c == '.' && start + 1 < m_source.size() && isDigit(m_source[start + 1]))) return scanNumber();
    if (c == '"' || c == '\'') return scanString(start);
    if (c == '(' || c == '[' || c == '{') ++m_brackets;
    if ((c == ')' || c == ']' || c == '}') && m_brackets > 0) --m_brackets;
    if (start + 1 == m_source.size() || !isSecond(m_source[start + 1])) return token(TokenKind::Operator, 1);
    for (const auto longOperator : kLongOperators)
        if (m_source.substr(start, longOperator.size()) == longOperator)
            return token(TokenKind::Operator, longOperator.size());
    return token(TokenKind::Operator, 1);
}

/// A number ends where Python ends it: `3.5.real` is an attribute, `1if x else 2` a condition.
Token Lexer::scanNumber() {
    const std::size_t start = m_at;
    std::size_t end = start;
    const auto at = [&](std::size_t i) { return i < m_source.size() ? m_source[i] : '\0'; };
    const auto isOneOf = [&](std::size_t i, std::string_view any) {
        return at(i) != '\0' && any.find(at(i)) != std::string_view::npos;
    };
    const auto skipDigits = [&] {
        while (isDigit(at(end)) || (at(end) == '_' && isDigit(at(end + 1)))) ++end;
    };
    if (at(start) == '0' && isOneOf(start + 1, "xXoObB")) {
        while (isNamePart(at(end))) ++end;
    } else {
        skipDigits();
        if (at(end) == '.') ++end;
        skipDigits();
        const std::size_t sign = isOneOf(end + 1, "+-") ? 1 : 0;
        if (isOneOf(end, "eE") && isDigit(at(end + 1 + sign))) {
            end += 1 + sign;
            skipDigits();
        }
        if (isOneOf(end, "jJ")) ++end;
        std::size_t word = end;
        while (isNamePart(at(word))) ++word;
        static constexpr std::string_view kWords[] = {"and", "else", "for", "if", "in", "is", "not", "or"};
        const std::string_view next = m_source.substr(end, word - end);
        if (std::find(std::begin(kWords), std::end(kWords), next) == std::end(kWords)) end = word; // no number
    }
    m_at = end;
    return {TokenKind::Number, m_source.substr(start, end - start), static_cast<std::uint32_t>(start), 0};
}

Token Lexer::scanString(std::size_t quote) {
    const std::size_t start = m_at;
    const char mark = m_source[quote];
    const bool triple = m_source.substr(quote, 3) == std::string_view(mark == '"' ? "\"\"\"" : "'''");
    std::size_t at = quote + (triple ? 3 : 1);
    for (;; ++at) {
        if (at >= m_source.size() || (!triple && m_source[at] == '\n'))
            throw sourceError(m_source, start, Message("python.unterminated_string"));
        if (m_source[at] == '\\') {
            ++at;
        } else if (m_source[at] == mark && (!triple || m_source.substr(at, 3) == m_source.substr(quote, 3))) {
            at += triple ? 3 : 1;
            break;
        }
    }
    m_at = at;
    return {TokenKind::String, m_source.substr(start, at - start), static_cast<std::uint32_t>(start), 0};
}

} // namespace fx::py
