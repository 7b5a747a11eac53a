// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/utf8.h"
#include "core/json/json_document.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace fx {
namespace {
using Kind = JsonValue::Kind;

constexpr std::size_t kMaxText = 0xF0000000u;
/// Real documents spend ten bytes and more on a value; from this many values on, fewer than six are refused.
constexpr std::size_t kManyValues = 4'000'000;

/// Characters that a string holds as they are: ASCII without quotes, backslashes and control characters.
constexpr std::array<bool, 256> kPlain = [] {
    std::array<bool, 256> plain{};
    for (std::size_t c = 0x20; c < 0x80; ++c) plain[c] = c != '"' && c != '\\';
    return plain;
}();

TextPlace placeAt(std::string_view text, std::size_t offset) {
    const std::string_view before = text.substr(0, offset);
    const auto lines = std::count(before.begin(), before.end(), '\n');
    const std::size_t start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
    const auto column = std::count_if(before.begin() + static_cast<std::ptrdiff_t>(start), before.end(),
                                      [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
    return {static_cast<std::size_t>(lines) + 1, static_cast<std::size_t>(column) + 1};
}
} // namespace

/// One pass over the text with a stack of the open containers.
class JsonParser {
public:
    JsonParser(std::string text, const Progress& progress) : m_progress(progress) {
        m_document->m_text = std::move(text);
        m_text = m_document->m_text;
        m_document->m_entries.reserve(m_text.size() / 24);
    }

    std::shared_ptr<const JsonDocument> parse(JsonDocument::Positions positions) {
        if (m_text.size() > kMaxText) throw Error(ErrorKind::File, Message("json.too_large"));
        if (positions == JsonDocument::Positions::Keep) m_document->m_source = m_text;
        run();
        return m_document;
    }

    std::size_t offsetOf(std::uint32_t index) {
        m_stopAt = index;
        run();
        return m_start;
    }

private:
    using Entry = JsonDocument::Entry;

    void run() {
        if (m_text.starts_with("\xEF\xBB\xBF")) m_at = 3;
        do {
            value();
            if (stopped()) return;
            closeFinished();
        } while (!m_open.empty() && !stopped());
        skipBlanks();
        if (!stopped() && m_at < m_text.size()) fail(Message("json.text_after_value"));
    }

    /// Reads a scalar, or opens a container.
    void value() {
        skipBlanks();
        m_start = m_at;
        switch (peek()) {
        case '{': open(Kind::Object); break;
        case '[': open(Kind::Array); break;
        case '"': string(false); break;
        case 't': literal("true", Kind::Bool, 1); break;
        case 'f': literal("false", Kind::Bool, 0); break;
        case 'n': literal("null", Kind::Null, 0); break;
        default: number();
        }
    }

    /// After a value: closes the containers that end here; then at the start of the next value, or at the end.
    void closeFinished() {
        while (!m_open.empty()) {
            Entry& container = entries()[m_open.back()];
            const bool object = container.kind == Kind::Object;
            skipBlanks();
            if (peek() == (object ? '}' : ']')) {
                ++m_at;
                container.next = entries().size();
                m_open.pop_back();
                continue;
            }
            if (container.size++ > 0) comma(object);
            if (object) member();
            return;
        }
    }

    void comma(bool object) {
        if (peek() != ',') fail(Message("json.expected_comma", {{"end", object ? "}" : "]"}}));
        ++m_at;
    }

    void member() {
        skipBlanks();
        m_start = m_at;
        if (peek() != '"') fail(Message("json.expected_key"));
        string(true);
        skipBlanks();
        if (peek() != ':') fail(Message("json.expected_colon"));
        ++m_at;
    }

    void open(Kind kind) {
        if (m_open.size() == JsonDocument::kMaxDepth)
            fail(Message("json.too_deep", {{"limit", JsonDocument::kMaxDepth}}));
        m_open.push_back(static_cast<std::uint32_t>(entries().size()));
        add(kind);
        ++m_at;
    }

    Entry& add(Kind kind) {
        const std::size_t count = entries().size();
        if (count % 65536 == 0) m_progress.check();
        if (count >= kManyValues && count * 6 > m_text.size()) fail(Message("json.too_many_values"));
        if (count == m_stopAt) m_stopped = true;
        entries().push_back({});
        entries().back().kind = kind;
        return entries().back();
    }

    void literal(std::string_view word, Kind kind, int value) {
        if (!m_text.substr(m_at).starts_with(word)) fail(Message("json.expected_value"));
        m_at += word.size();
        add(kind).integer = value;
    }

    void number() {
        const std::size_t start = m_at;
        if (peek() == '-') ++m_at;
        const bool leadingZero = peek() == '0';
        if (digits() == 0) fail(Message("json.expected_value"), start);
        if (leadingZero && m_at - start > (m_text[start] == '-' ? 2u : 1u)) fail(Message("json.leading_zero"), start);
        bool fraction = false;
        if (peek() == '.') {
            fraction = true;
            ++m_at;
            if (digits() == 0) fail(Message("json.expected_fraction"));
        }
        if (peek() == 'e' || peek() == 'E') {
            fraction = true;
            ++m_at;
            if (peek() == '+' || peek() == '-') ++m_at;
            if (digits() == 0) fail(Message("json.expected_exponent"));
        }
        store(m_text.substr(start, m_at - start), fraction);
    }

    void store(std::string_view number, bool fraction) {
        if (fraction) {
            // strtod, since from_chars gives no infinity and no zero for what is out of range
            add(Kind::Float).real = std::strtod(std::string(number).c_str(), nullptr);
            return;
        }
        std::int64_t integer = 0;
        const auto [end, failure] = std::from_chars(number.data(), number.data() + number.size(), integer);
        if (failure == std::errc{}) {
            add(Kind::Int).integer = integer;
            return;
        }
        Entry& entry = add(Kind::BigInt);
        entry.text = static_cast<std::uint64_t>(number.data() - m_text.data());
        entry.size = static_cast<std::uint32_t>(number.size());
    }

    std::size_t digits() {
        const std::size_t start = m_at;
        while (peek() >= '0' && peek() <= '9') ++m_at;
        return m_at - start;
    }

    /// What was decoded so far ends at `m_end`, never beyond what was read.
    void string(bool isKey) {
        Entry& entry = add(Kind::String);
        entry.isKey = isKey;
        entry.text = m_end = ++m_at;
        while (true) {
            const std::size_t plain = m_at;
            while (m_at < m_text.size() && kPlain[static_cast<unsigned char>(m_text[m_at])]) ++m_at;
            keep(m_text.substr(plain, m_at - plain));
            if (m_at >= m_text.size()) fail(Message("json.open_string"), m_start);
            const auto c = static_cast<unsigned char>(m_text[m_at]);
            if (c == '"') break;
            if (c < 0x20) fail(Message("json.control_character"));
            c == '\\' ? escape() : multibyte();
        }
        ++m_at;
        entry.size = static_cast<std::uint32_t>(m_end - entry.text);
    }

    void keep(std::string_view part) {
        char* to = m_document->m_text.data() + m_end;
        if (to != part.data()) std::memmove(to, part.data(), part.size());
        m_end += part.size();
    }

    void multibyte() {
        char32_t point = 0;
        const std::size_t length = decodeUtf8(m_text.substr(m_at), point);
        if (length == 0) fail(Message("json.not_utf8"));
        keep(m_text.substr(m_at, length));
        m_at += length;
    }

    void escape() {
        static constexpr std::string_view kLetters = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
        ++m_at;
        const char letter = take();
        if (letter == 'u') {
            std::string decoded;
            appendUtf8(decoded, escapedPoint());
            return keep(decoded);
        }
        const std::size_t which = kLetters.find(letter);
        if (which == std::string_view::npos) fail(Message("json.bad_escape"), m_at - 1);
        keep(kMeant.substr(which, 1));
    }

    /// After `\u`; two halves of a pair are one code point, a half alone is kept.
    char32_t escapedPoint() {
        const char32_t point = hex4();
        if (point < 0xD800 || point >= 0xDC00 || !m_text.substr(m_at).starts_with("\\u")) return point;
        const std::size_t back = m_at;
        m_at += 2;
        const char32_t low = hex4();
        if (low >= 0xDC00 && low < 0xE000) return 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
        m_at = back;
        return point;
    }

    char32_t hex4() {
        unsigned code = 0;
        const char* first = m_text.data() + m_at;
        const char* last = m_text.data() + std::min(m_at + 4, m_text.size());
        const auto [end, failure] = std::from_chars(first, last, code, 16);
        if (failure != std::errc{} || end != first + 4) fail(Message("json.bad_unicode_escape"));
        m_at += 4;
        return code;
    }

    void skipBlanks() {
        while (m_at < m_text.size() &&
               (m_text[m_at] == ' ' || m_text[m_at] == '\n' || m_text[m_at] == '\r' || m_text[m_at] == '\t'))
            ++m_at;
    }
    char peek() const { return m_at < m_text.size() ? m_text[m_at] : '\0'; }
    char take() { return m_at < m_text.size() ? m_text[m_at++] : '\0'; }
    bool stopped() const { return m_stopped; }
    [[noreturn]] void fail(const Message& what) const { fail(what, m_at); }
    [[noreturn]] void fail(const Message& what, std::size_t offset) const {
        const bool end = offset >= m_text.size();
        // what was read already is decoded, so that lines can only be counted in a copy
        const std::string& source = m_document->m_source;
        Error error(ErrorKind::File, end ? Message("json.truncated", {{"reason", what.text()}, {"cause", what.code()}})
                                         : Message("json.invalid", {{"reason", what.text()}, {"cause", what.code()}}));
        throw source.size() < m_text.size() ? error.at("byte " + std::to_string(offset))
                                            : error.at(placeAt(source, offset));
    }
    std::vector<Entry>& entries() { return m_document->m_entries; }

    std::string_view m_text;
    const Progress& m_progress;
    std::shared_ptr<JsonDocument> m_document = std::make_shared<JsonDocument>();
    std::vector<std::uint32_t> m_open;
    std::size_t m_at = 0;
    std::size_t m_end = 0;   ///< of the string decoded last
    std::size_t m_start = 0; ///< of the token being read
    std::size_t m_stopAt = std::numeric_limits<std::size_t>::max();
    bool m_stopped = false;
};

std::shared_ptr<const JsonDocument> JsonDocument::parse(std::string text, const Progress& progress,
                                                        Positions positions) {
    return JsonParser(std::move(text), progress).parse(positions);
}

std::string JsonDocument::position(const std::string& text, std::uint32_t index) {
    return placeAt(text, JsonParser(text, {}).offsetOf(index)).text();
}

} // namespace fx
