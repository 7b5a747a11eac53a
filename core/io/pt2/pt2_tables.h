// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/pt2/pt2_json.h"
#include "core/ir/node.h"

#include <optional>

namespace fx {

/// The kind of a named value; each kind has its own table in a serialized graph.
enum class Pt2Kind : std::uint8_t { Tensor, Int, Float, Bool, Object };

/// The value tables of a graph being written: types and sizes of all names. Known values keep their text.
class Pt2Tables {
public:
    /// `graph`: the graph as it was read.
    explicit Pt2Tables(JsonValue graph);

    /// Declares that the name is the value that was called `oldName`.
    bool keep(const std::string& name, const std::string& oldName);
    /// Declares that the name is a new value. Returns false if its sizes contain symbols that the file does not define.
    bool add(const std::string& name, const ValueInfo& info);

    bool knows(const std::string& name) const { return m_kinds.contains(name); }
    Pt2Kind kind(const std::string& name) const;
    /// Class of a custom object.
    std::string objectClass(const std::string& name) const;
    void write(JsonWriter& json) const;

private:
    struct Row {
        Pt2Kind kind = Pt2Kind::Tensor;
        JsonValue value;  ///< unchanged, or
        std::string text; ///< new
    };
    bool number(JsonWriter& json, const std::string& text);
    bool numbers(JsonWriter& json, std::string_view key, const std::vector<std::string>& values);
    void findExpressions();

    JsonValue m_graph;
    std::unordered_map<std::string_view, Row> m_old;
    std::vector<std::pair<std::string, Row>> m_rows;
    std::unordered_map<std::string, std::size_t> m_kinds;     ///< index in m_rows
    std::unordered_map<std::string, JsonValue> m_expressions; ///< printed symbolic number -> its spelling in the file
    bool m_expressionsKnown = false;
};

} // namespace fx
