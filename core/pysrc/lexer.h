// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string_view>

namespace fx::py {

enum class TokenKind : std::uint8_t { End, NewLine, Name, Number, String, Operator };

struct Token {
    TokenKind kind = TokenKind::End;
    std::string_view text;
    std::uint32_t offset = 0;

    bool is(std::string_view expected) const {
        return (kind == TokenKind::Operator || kind == TokenKind::Name) && text == expected;
    }
};

/// Splits Python source into tokens on demand. Newlines inside brackets, comments, blank lines and `\`-continued line ends
/// are skipped; strings are one token including prefix and quotes.
class Lexer {
public:
    explicit Lexer(std::string_view source) : m_source(source) {}

    const Token& peek() {
        if (!m_hasToken) {
            m_token = scan();
            m_hasToken = true;
        }
        return m_token;
    }
    Token take() {
        const Token token = peek();
        m_hasToken = false;
        return token;
    }
    std::string_view source() const { return m_source; }
    /// Columns of blank space before the first token of the line that contains `offset` (a tab counts to the next 8).
    std::uint32_t indentAt(std::uint32_t offset) const;

private:
    Token scan();
    Token scanString(std::size_t quote);
    Token scanNumber();
    void skipBlanks();

    std::string_view m_source;
    std::size_t m_at = 0;
    int m_brackets = 0;
    Token m_token;
    bool m_hasToken = false;
};

} // namespace fx::py
