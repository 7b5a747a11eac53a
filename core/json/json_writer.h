// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fx {

/// Writes JSON text incrementally, for results that are too large for a JSON tree or contain integers of any size.
///
/// Containers opened with `Layout::Lines` put each element on an indented line; others stay on one line. Input is
/// UTF-8; surrogates encoded as three bytes become `\udXXX`, other invalid bytes U+FFFD. The caller is responsible for
/// correct nesting: a member of an object is `key()` followed by exactly one value.
class JsonWriter {
public:
    /// How a container is laid out; see above.
    enum class Layout : std::uint8_t { Inline, Lines };

    /// Opens an object.
    JsonWriter& beginObject(Layout layout = Layout::Inline) { return begin('{', layout); }
    JsonWriter& endObject() { return end('}'); } ///< closes the innermost object
    /// Opens an array.
    JsonWriter& beginArray(Layout layout = Layout::Inline) { return begin('[', layout); }
    JsonWriter& endArray() { return end(']'); } ///< closes the innermost array
    /// Writes the key of the next value.
    JsonWriter& key(std::string_view name);
    JsonWriter& null() { return raw("null"); }                                     ///< writes `null`
    JsonWriter& boolean(bool value) { return raw(value ? "true" : "false"); }      ///< writes `true` or `false`
    JsonWriter& integer(std::int64_t value) { return raw(std::to_string(value)); } ///< writes an integer
    /// Writes a string, quoted and escaped.
    JsonWriter& string(std::string_view text);
    /// Writes an array of strings.
    JsonWriter& strings(std::span<const std::string> texts);
    /// Writes an array of integers.
    JsonWriter& integers(std::span<const std::int64_t> numbers);
    /// Writes JSON text unchanged, such as the digits of a number.
    JsonWriter& raw(std::string_view json);

    const std::string& text() const { return m_text; } ///< the text written so far

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
