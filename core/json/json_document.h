// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"

#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fx {

class JsonDocument;

/// A value inside a JsonDocument: a handle of two words, valid as long as its document.
///
/// Reading a value as the wrong kind throws Error{File} at the value's JSON path, so that a format reader needs no type
/// checks of its own.
class JsonValue {
public:
    enum class Kind : std::uint8_t { Null, Bool, Int, BigInt, Float, String, Array, Object };

    JsonValue() = default;
    Kind kind() const;
    bool isNull() const { return kind() == Kind::Null; }
    bool isString() const { return kind() == Kind::String; }
    bool isArray() const { return kind() == Kind::Array; }
    bool isObject() const { return kind() == Kind::Object; }

    bool asBool() const;
    std::int64_t asInt() const;
    double asDouble() const;         ///< any number; infinite beyond the range of double
    std::string_view asText() const; ///< a string, as UTF-8; lone surrogates as three-byte sequences
    std::string_view digits() const; ///< for a BigInt: decimal digits with sign

    /// Elements of an array or members of an object; 0 for other kinds.
    std::size_t size() const;
    class Iterator;
    /// Iterates over the elements of an array or the values of an object, in order; empty for other kinds.
    Iterator begin() const;
    Iterator end() const;
    JsonValue needArray() const;
    JsonValue needObject() const;

    /// The key of a value reached by iterating an object.
    std::string_view key() const;
    /// The member of an object (the last of several, as in Python), or a value that does not `exist()`. Linear in the
    /// members.
    JsonValue find(std::string_view key) const;
    /// The same; throws if it is missing.
    JsonValue at(std::string_view key) const;
    bool exists() const { return m_document != nullptr; }

    /// The path of this value: `$.graph.nodes[3].op`.
    std::string path() const;
    /// An Error{File} about this value, with its path in `where`: `$.nodes[3].op`, or `line 12, column 5
    /// ($.nodes[3].op)`.
    Error error(const std::string& what) const;
    /// Its index in the document, for `JsonDocument::position`.
    std::uint32_t index() const { return m_index; }

private:
    friend class JsonDocument;
    JsonValue(const JsonDocument* document, std::uint32_t index) : m_document(document), m_index(index) {}
    const JsonDocument* m_document = nullptr;
    std::uint32_t m_index = 0;
};

/// A whole JSON text, parsed once into a flat array: 16 bytes per value, members in order, no recursion; strings are
/// decoded in place.
///
/// Our own code, because JSON libraries need three to five times the memory, search an ordered object for each added
/// member (quadratic for the 100,000 tensors of a large export), and refuse lone surrogates, which Python writes.
/// Iterate over large objects; `find` is for small ones.
class JsonDocument {
public:
    /// Parses UTF-8 text. Throws Error{File} with the position if it is not JSON, is nested deeper than kMaxDepth, or
    /// has suspiciously many values for its size. With `Positions::Keep`, all errors include line and column, at the
    /// cost of a copy of the text.
    enum class Positions : std::uint8_t { Drop, Keep };
    static std::shared_ptr<const JsonDocument> parse(std::string text, const Progress& progress = {},
                                                     Positions positions = Positions::Drop);
    static constexpr std::size_t kMaxDepth = 1000;

    JsonValue root() const { return {this, 0}; }
    /// The position of the value with this index in `text`, the source of a document: "line 12, column 5".
    static std::string position(const std::string& text, std::uint32_t index);

private:
    friend class JsonValue;
    friend class JsonParser;
    struct Entry {
        JsonValue::Kind kind = JsonValue::Kind::Null;
        bool isKey = false;
        std::uint32_t size = 0; ///< bytes of a string, or children of a container
        union {
            std::int64_t integer = 0; ///< also of a Bool
            double real;
            std::uint64_t text; ///< offset into m_text
            std::uint64_t next; ///< for a container: the entry after its last descendant
        };
    };
    std::string_view textOf(std::uint32_t index) const {
        return std::string_view(m_text).substr(m_entries[index].text, m_entries[index].size);
    }
    std::uint32_t after(std::uint32_t index) const;

    std::vector<Entry> m_entries; ///< in text order; a member is its key, then its value
    std::string m_text;           ///< the text, with strings decoded in place
    std::string m_source;         ///< the original text, if positions are kept
};

/// Iterates over the elements of an array or the members of an object.
class JsonValue::Iterator {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = JsonValue;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = JsonValue;
    JsonValue operator*() const { return {m_document, m_index}; }
    Iterator& operator++();
    bool operator==(const Iterator& other) const { return m_left == other.m_left; }

private:
    friend class JsonValue;
    void skipKey();
    const JsonDocument* m_document = nullptr;
    std::uint32_t m_index = 0;
    std::size_t m_left = 0;
};

} // namespace fx
