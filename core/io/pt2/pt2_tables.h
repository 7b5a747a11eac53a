// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/pt2/pt2_json.h"
#include "core/ir/node.h"

#include <optional>

namespace fx {

/// What kind of value a name stands for; each has its table in a serialized graph.
enum class Pt2Kind : std::uint8_t { Tensor, Int, Float, Bool, Object };

/// The value tables of a graph that is being written: types and sizes of all names. What was known keeps its text.
class Pt2Tables {
public:
    /// `graph`: the graph as it was read.
    explicit Pt2Tables(JsonValue graph);

    /// The name is what `oldName` was.
    bool keep(const std::string& name, const std::string& oldName);
    /// The name is a new value. False when its sizes have symbols that the file does not explain.
    bool add(const std::string& name, const ValueInfo& info);

    bool knows(const std::string& name) const { return m_kinds.contains(name); }
    Pt2Kind kind(const std::string& name) const;
    /// Class of a custom object.
    std::string objectClass(const std::string& name) const;
    void write(JsonWriter& json) const;

private:
    struct Row {
        Pt2Kind kind = Pt2Kind::Tensor;
        JsonValue value;  ///< as it was, or
        std::string text; ///< new
    };
    bool number(JsonWriter& json, const std::string& text);
    bool numbers(JsonWriter& json, std::string_view key, const std::vector<std::string>& values);
    void findExpressions();

    JsonValue m_graph;
    std::unordered_map<std::string_view, Row> m_old;
    std::vector<std::pair<std::string, Row>> m_rows;
    std::unordered_map<std::string, std::size_t> m_kinds;     ///< place in m_rows
    std::unordered_map<std::string, JsonValue> m_expressions; ///< printed symbolic number -> how the file spells it
    bool m_expressionsKnown = false;
};

} // namespace fx
