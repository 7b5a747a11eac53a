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

/// A value inside a JsonDocument: a handle of two words, valid as long as its document lives.
///
/// Reading a value as the wrong kind throws Error{File} at the JSON path of the value, so that readers of formats need
/// no type checks.
class JsonValue {
public:
    /// The kinds of values; an integer outside of 64 bits is a BigInt.
    enum class Kind : std::uint8_t { Null, Bool, Int, BigInt, Float, String, Array, Object };

    JsonValue() = default;
    /// The kind of the value, which must exist.
    Kind kind() const;
    /// True for `null`.
    bool isNull() const { return kind() == Kind::Null; }
    /// True for a string.
    bool isString() const { return kind() == Kind::String; }
    /// True for an array.
    bool isArray() const { return kind() == Kind::Array; }
    /// True for an object.
    bool isObject() const { return kind() == Kind::Object; }

    /// The value of a `true` or `false`.
    bool asBool() const;
    /// The value of an Int.
    std::int64_t asInt() const;
    double asDouble() const;         ///< any number; infinite outside of the range of double
    std::string_view asText() const; ///< a string as UTF-8; lone surrogates as three-byte sequences
    std::string_view digits() const; ///< decimal digits of a BigInt, with sign

    /// Returns the number of elements of an array or members of an object; 0 for other kinds.
    std::size_t size() const;
    class Iterator;
    /// Iterates over the elements of an array or the values of an object, in order; other kinds are empty ranges.
    Iterator begin() const;
    Iterator end() const;
    /// Returns the value; throws if it is not an array.
    JsonValue needArray() const;
    /// Returns the value; throws if it is not an object.
    JsonValue needObject() const;

    /// Returns the strings of an array; throws if it is not an array of strings.
    std::vector<std::string> texts() const;
    /// Returns the numbers of an array; throws if it is not an array of Ints.
    std::vector<std::int64_t> integers() const;

    /// The key of a value that was reached by iterating over an object.
    std::string_view key() const;
    /// Returns the member of an object, the last one of duplicates as in Python, or a value for which `exists()` is
    /// false. Linear in the number of members.
    JsonValue find(std::string_view key) const;
    /// Returns the member of an object; throws if it is missing.
    JsonValue at(std::string_view key) const;
    /// False for the result of a failed `find`.
    bool exists() const { return m_document != nullptr; }

    /// Returns the JSON path of the value: `$.graph.nodes[3].op`.
    std::string path() const;
    /// Returns an Error{File} about this value. `where` is its path, `$.nodes[3].op`, or with positions `line 12,
    /// column 5 ($.nodes[3].op)`.
    Error error(const Message& what) const;
    /// The index of the value in the document, for `JsonDocument::position`.
    std::uint32_t index() const { return m_index; }

private:
    friend class JsonDocument;
    JsonValue(const JsonDocument* document, std::uint32_t index) : m_document(document), m_index(index) {}
    const JsonDocument* m_document = nullptr;
    std::uint32_t m_index = 0;
};

/// A JSON text, parsed once into a flat array: 16 bytes per value, members in order, without recursion. Strings are
/// decoded in place.
///
/// JSON libraries need three to five times the memory, search an ordered object for each added member (quadratic for
/// the 100,000 tensors of a large export), and reject lone surrogates, which Python writes. Iterate over large objects;
/// `find` is for small ones.
class JsonDocument {
public:
    /// Selects if errors have line and column, at the cost of a copy of the text.
    enum class Positions : std::uint8_t { Drop, Keep };
    /// Parses UTF-8 text. Throws Error{File} with the position if it is not JSON, is nested deeper than kMaxDepth, or
    /// has suspiciously many values for its size. With `Positions::Keep`, all errors have line and column, at the cost
    /// of a copy of the text.
    static std::shared_ptr<const JsonDocument> parse(std::string text, const Progress& progress = {},
                                                     Positions positions = Positions::Drop);
    /// The greatest accepted nesting depth.
    static constexpr std::size_t kMaxDepth = 1000;

    /// The outermost value.
    JsonValue root() const { return {this, 0}; }
    /// Returns the position of the value with this index in `text`, the source of a document: "line 12, column 5".
    static std::string position(const std::string& text, std::uint32_t index);

private:
    friend class JsonValue;
    friend class JsonParser;
    struct Entry {
        JsonValue::Kind kind = JsonValue::Kind::Null;
        bool isKey = false;
        std::uint32_t size = 0; ///< bytes of a string, or children of a container
        union {
            std::int64_t integer = 0; ///< also the value of a Bool
            double real;
            std::uint64_t text; ///< offset into m_text
            std::uint64_t next; ///< the entry after the last descendant of a container
        };
    };
    std::string_view textOf(std::uint32_t index) const {
        return std::string_view(m_text).substr(m_entries[index].text, m_entries[index].size);
    }
    std::uint32_t after(std::uint32_t index) const;

    std::vector<Entry> m_entries; ///< in text order; a member is its key followed by its value
    std::string m_text;           ///< the text with strings decoded in place
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
