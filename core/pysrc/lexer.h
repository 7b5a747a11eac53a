// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string_view>

namespace fx::py {

/// The kinds of tokens.
enum class TokenKind : std::uint8_t { End, NewLine, Name, Number, String, Operator };

/// Packs a text of up to eight bytes into a number, for fast comparison of tokens; 0 for longer text.
constexpr std::uint64_t codeOf(std::string_view text) {
    std::uint64_t code = 0;
    for (std::size_t i = 0; i < text.size() && text.size() <= 8; ++i)
        code |= std::uint64_t{static_cast<unsigned char>(text[i])} << (8 * i);
    return code;
}

/// A keyword or operator, precomputed for comparison with tokens.
struct Word {
    std::string_view text;
    std::uint64_t code; ///< codeOf(text)
    consteval Word(const char* literal) : text(literal), code(codeOf(literal)) {}
};

/// A token of the source; `text` views into it.
struct Token {
    TokenKind kind = TokenKind::End;
    std::string_view text;
    std::uint32_t offset = 0; ///< offset in the source
    std::uint64_t code = 0;   ///< codeOf(text) for names and operators

    /// Returns true if the token is this keyword or operator.
    bool is(Word expected) const { return code == expected.code; }
    /// Returns true if the token is a Python keyword.
    bool isKeyword() const;
};

/// The indentation of a line in columns, twice: with tabs extending to the next multiple of 8, and with tabs of one
/// column.
struct Indent {
    std::uint32_t columns = 0, characters = 0; ///< tabs extended, and tabs as one column
};

/// Splits Python source into tokens on demand. Skips comments, blank lines, newlines inside brackets, and line ends
/// continued by `\`. A string is one token, including prefix and quotes.
class Lexer {
public:
    explicit Lexer(std::string_view source) : m_source(source) {}

    /// Returns the next token without consuming it.
    const Token& peek() {
        if (!m_hasToken) {
            m_token = scan();
            m_hasToken = true;
        }
        return m_token;
    }
    /// Consumes and returns the next token.
    Token take() {
        const Token token = peek();
        m_hasToken = false;
        m_taken = token.offset + static_cast<std::uint32_t>(token.text.size());
        return token;
    }
    /// Consumes the next token.
    void skip() {
        if (!m_hasToken) m_token = scan();
        m_hasToken = false;
        m_taken = m_token.offset + static_cast<std::uint32_t>(m_token.text.size());
    }
    /// The offset after the last consumed token.
    std::uint32_t taken() const { return m_taken; }
    std::string_view source() const { return m_source; } ///< the whole source
    /// Continues at the start of a line, outside of brackets.
    void restartAt(std::uint32_t offset) {
        m_at = m_taken = offset;
        m_brackets = 0;
        m_hasToken = false;
    }
    /// Returns the indentation of the line that contains `offset`, in columns; a tab extends to the next multiple of 8.
    std::uint32_t indentAt(std::uint32_t offset) const { return indentOf(offset).columns; }
    /// Returns the indentation of the line that contains `offset`.
    Indent indentOf(std::uint32_t offset) const;

private:
    Token scan();
    Token scanString(std::size_t quote);
    Token scanNumber();
    void skipBlanks();
    std::uint64_t codeAt(std::size_t start, std::size_t length) const;

    std::string_view m_source;
    std::size_t m_at = 0;
    int m_brackets = 0;
    std::uint32_t m_taken = 0;
    Token m_token;
    bool m_hasToken = false;
};

} // namespace fx::py
