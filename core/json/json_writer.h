// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fx {

/// Writes JSON text piece by piece, for results too large or too wide (integers of any size) for a JSON tree.
///
/// Containers opened with `Layout::Lines` put each element on its own indented line; others stay on one line.
/// Text is UTF-8; surrogates written as three-byte sequences become `\udXXX`, other invalid bytes U+FFFD. The caller is
/// responsible for correct nesting: a member of an object is `key()` followed by exactly one value.
class JsonWriter {
public:
    enum class Layout : std::uint8_t { Inline, Lines };

    JsonWriter& beginObject(Layout layout = Layout::Inline) { return begin('{', layout); }
    JsonWriter& endObject() { return end('}'); }
    JsonWriter& beginArray(Layout layout = Layout::Inline) { return begin('[', layout); }
    JsonWriter& endArray() { return end(']'); }
    JsonWriter& key(std::string_view name);
    JsonWriter& null() { return raw("null"); }
    JsonWriter& boolean(bool value) { return raw(value ? "true" : "false"); }
    JsonWriter& integer(std::int64_t value) { return raw(std::to_string(value)); }
    JsonWriter& string(std::string_view text);
    /// Writes JSON text unchanged, such as the digits of a number.
    JsonWriter& raw(std::string_view json);

    const std::string& text() const { return m_text; }

private:
    struct Level {
        bool lines = false;
        bool empty = true;
    };
    JsonWriter& begin(char bracket, Layout layout);
    JsonWriter& end(char bracket);
    void separate();
    void newLine();
    void appendQuoted(std::string_view text);

    std::string m_text;
    std::vector<Level> m_levels;
    bool m_afterKey = false;
};

} // namespace fx
