// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/pt2/pt2_json.h"
#include "core/ir/node.h"

namespace fx {

/// The kind of a named value; each kind has a separate table in a serialised graph.
enum class Pt2Kind : std::uint8_t { Tensor, Int, Float, Bool, Object };

/// The value tables of a graph being written: types and sizes of all names. Known values keep their text.
class Pt2Tables {
public:
    /// `graph` is the graph as it was read.
    explicit Pt2Tables(JsonValue graph);

    /// Declares `name` for the value that was called `oldName`. Returns false if the file has no such value.
    bool keep(const std::string& name, const std::string& oldName);
    /// Declares `name` for a new value. Returns false if its sizes contain symbols that the file does not define.
    bool add(const std::string& name, const ValueInfo& info);

    bool knows(const std::string& name) const { return m_kinds.contains(name); }
    /// Returns the kind of a declared name.
    Pt2Kind kind(const std::string& name) const;
    /// Returns the class of a custom object; empty for an undeclared name.
    std::string objectClass(const std::string& name) const;
    /// Writes the tables as members of the open object.
    void write(JsonWriter& json) const;

private:
    struct Row {
        Pt2Kind kind = Pt2Kind::Tensor;
        JsonValue value;  ///< set for an unchanged value
        std::string text; ///< set for a new value
    };
    bool number(JsonWriter& json, const std::string& text);
    bool scalar(JsonWriter& json, const ValueInfo& info);
    std::string symbolNamed(const std::string& name) const;
    bool newExpression(JsonWriter& json, const std::string& text);
    bool numbers(JsonWriter& json, std::string_view key, const std::vector<std::string>& values);
    void findExpressions();

    JsonValue m_graph;
    std::unordered_map<std::string_view, Row> m_old;
    std::vector<std::pair<std::string, Row>> m_rows;
    std::unordered_map<std::string, std::size_t> m_kinds;     ///< index in m_rows
    std::unordered_map<std::string, JsonValue> m_expressions; ///< printed symbolic number -> its text in the file
    bool m_expressionsKnown = false;
};

} // namespace fx
