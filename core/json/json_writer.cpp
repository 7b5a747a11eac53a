// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/json/json_writer.h"

#include "core/base/utf8.h"

#include <cstdio>

namespace fx {
namespace {

void appendEscape(std::string& out, unsigned code) {
    char buffer[8];
    std::snprintf(buffer, sizeof buffer, "\\u%04x", code & 0xFFFFu);
    out += buffer;
}

void appendControl(std::string& out, char c) {
    switch (c) {
    case '"': out += "\\\""; break;
    case '\\': out += "\\\\"; break;
    case '\n': out += "\\n"; break;
    case '\r': out += "\\r"; break;
    case '\t': out += "\\t"; break;
    default: appendEscape(out, static_cast<unsigned char>(c));
    }
}

} // namespace

JsonWriter& JsonWriter::key(std::string_view name) {
    separate();
    appendQuoted(name);
    m_text += ": ";
    m_afterKey = true;
    return *this;
}

JsonWriter& JsonWriter::string(std::string_view text) {
    separate();
    appendQuoted(text);
    return *this;
}

JsonWriter& JsonWriter::strings(std::span<const std::string> texts) {
    beginArray();
    for (const std::string& text : texts) string(text);
    return endArray();
}

JsonWriter& JsonWriter::integers(std::span<const std::int64_t> numbers) {
    beginArray();
    for (const std::int64_t number : numbers) integer(number);
    return endArray();
}

JsonWriter& JsonWriter::raw(std::string_view json) {
    separate();
    m_text += json;
    return *this;
}

JsonWriter& JsonWriter::begin(char bracket, Layout layout) {
    separate();
    m_text += bracket;
    m_levels.push_back({layout == Layout::Lines, true});
    return *this;
}

JsonWriter& JsonWriter::end(char bracket) {
    const Level level = m_levels.back();
    m_levels.pop_back();
    if (level.lines && !level.empty) newLine();
    m_text += bracket;
    return *this;
}

void JsonWriter::separate() {
    if (m_afterKey) {
        m_afterKey = false;
        return;
    }
    if (m_levels.empty()) return;
    Level& level = m_levels.back();
    if (!level.empty) m_text += level.lines ? "," : ", ";
    level.empty = false;
    if (level.lines) newLine();
}

void JsonWriter::newLine() {
    m_text += '\n';
    for (const Level& level : m_levels)
        if (level.lines) m_text += "  ";
}

void JsonWriter::appendQuoted(std::string_view text) {
    m_text += '"';
    while (!text.empty()) {
        char32_t point = 0;
        const std::size_t length = decodeUtf8(text, point);
        if (length == 0) {
            m_text += "\xEF\xBF\xBD";
        } else if (point < 0x20 || point == '"' || point == '\\' || point == 0x7F) {
            appendControl(m_text, text.front());
        } else if (point >= 0xD800 && point < 0xE000) {
            appendEscape(m_text, static_cast<unsigned>(point));
        } else {
            m_text += text.substr(0, length);
        }
        text.remove_prefix(length == 0 ? 1 : length);
    }
    m_text += '"';
}

} // namespace fx
