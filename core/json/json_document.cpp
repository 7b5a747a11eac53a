// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/json/json_document.h"

#include "core/base/python_text.h"

#include <cstdlib>

namespace fx {
namespace {
using Kind = JsonValue::Kind;

const char* kindName(Kind kind) {
    switch (kind) {
    case Kind::Null: return "null";
    case Kind::Bool: return "a boolean";
    case Kind::Int:
    case Kind::BigInt: return "an integer";
    case Kind::Float: return "a number with a fraction";
    case Kind::String: return "a string";
    case Kind::Array: return "an array";
    case Kind::Object: return "an object";
    }
    return "";
}

Error unexpected(const JsonValue& value, const char* wanted) {
    return value.error(Message("json.unexpected_kind", {{"expected", wanted}, {"found", kindName(value.kind())}}));
}
} // namespace

Kind JsonValue::kind() const { return m_document->m_entries[m_index].kind; }

bool JsonValue::asBool() const {
    if (kind() != Kind::Bool) throw unexpected(*this, "true or false");
    return m_document->m_entries[m_index].integer != 0;
}

std::int64_t JsonValue::asInt() const {
    if (kind() == Kind::BigInt) throw error(Message("json.integer_too_large"));
    if (kind() != Kind::Int) throw unexpected(*this, "an integer");
    return m_document->m_entries[m_index].integer;
}

double JsonValue::asDouble() const {
    switch (kind()) {
    case Kind::Int: return static_cast<double>(m_document->m_entries[m_index].integer);
    case Kind::BigInt: return std::strtod(std::string(digits()).c_str(), nullptr);
    case Kind::Float: return m_document->m_entries[m_index].real;
    default: throw unexpected(*this, "a number");
    }
}

std::string_view JsonValue::asText() const {
    if (kind() != Kind::String) throw unexpected(*this, "a string");
    return m_document->textOf(m_index);
}

std::string_view JsonValue::digits() const {
    if (kind() != Kind::BigInt) throw unexpected(*this, "an integer beyond 64 bits");
    return m_document->textOf(m_index);
}

std::size_t JsonValue::size() const { return isArray() || isObject() ? m_document->m_entries[m_index].size : 0; }

JsonValue JsonValue::needArray() const {
    if (!isArray()) throw unexpected(*this, "an array");
    return *this;
}

std::vector<std::string> JsonValue::texts() const {
    std::vector<std::string> out;
    for (const JsonValue each : needArray()) out.emplace_back(each.asText());
    return out;
}

std::vector<std::int64_t> JsonValue::integers() const {
    std::vector<std::int64_t> out;
    for (const JsonValue each : needArray()) out.push_back(each.asInt());
    return out;
}

JsonValue JsonValue::needObject() const {
    if (!isObject()) throw unexpected(*this, "an object");
    return *this;
}

JsonValue::Iterator JsonValue::begin() const {
    Iterator first;
    first.m_document = m_document;
    first.m_index = m_index + 1;
    first.m_left = size();
    first.skipKey();
    return first;
}

JsonValue::Iterator JsonValue::end() const { return {}; }

void JsonValue::Iterator::skipKey() {
    if (m_left > 0 && m_document->m_entries[m_index].isKey) ++m_index;
}

JsonValue::Iterator& JsonValue::Iterator::operator++() {
    m_index = m_document->after(m_index);
    --m_left;
    skipKey();
    return *this;
}

std::string_view JsonValue::key() const { return m_document->textOf(m_index - 1); }

JsonValue JsonValue::find(std::string_view key) const {
    needObject();
    JsonValue found;
    for (const JsonValue member : *this)
        if (member.key() == key) found = member;
    return found;
}

JsonValue JsonValue::at(std::string_view key) const {
    const JsonValue found = find(key);
    if (!found.exists()) throw error(Message("json.missing_key", {{"key", key}}));
    return found;
}

std::string JsonValue::path() const {
    std::string path = "$";
    JsonValue container(m_document, 0);
    while (container.m_index != m_index) {
        std::size_t place = 0;
        for (const JsonValue child : container) {
            if (m_index < m_document->after(child.m_index)) {
                if (container.isArray()) path += "[" + std::to_string(place) + "]";
                else if (isPythonIdentifier(child.key())) path += "." + std::string(child.key());
                else path += "[\"" + std::string(child.key()) + "\"]";
                container = child;
                break;
            }
            ++place;
        }
    }
    return path;
}

Error JsonValue::error(const Message& what) const {
    const std::string& source = m_document->m_source;
    return Error(ErrorKind::File, what)
        .at(source.empty() ? path() : JsonDocument::position(source, m_index) + " (" + path() + ")");
}

std::uint32_t JsonDocument::after(std::uint32_t index) const {
    const Entry& entry = m_entries[index];
    const bool container = entry.kind == Kind::Array || entry.kind == Kind::Object;
    return container ? static_cast<std::uint32_t>(entry.next) : index + 1;
}

} // namespace fx
