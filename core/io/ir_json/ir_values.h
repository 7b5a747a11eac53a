// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/graph.h"
#include "core/json/json_document.h"
#include "core/json/json_writer.h"

#include <initializer_list>
#include <unordered_map>

namespace fx {

/// An object of the format that knows its keys, so that a misspelt key is an error with a hint.
class IrObject {
public:
    /// Throws unless `value` is an object with only keys from `keys`, each at most once.
    IrObject(JsonValue value, std::initializer_list<std::string_view> keys);

    JsonValue get(std::string_view key) const { return m_value.find(key); } ///< may not exist
    JsonValue need(std::string_view key) const;
    bool has(std::string_view key) const { return get(key).exists(); }
    std::string text(std::string_view key, std::string_view otherwise = {}) const;
    bool flag(std::string_view key, bool otherwise = false) const;
    JsonValue value() const { return m_value; }

private:
    JsonValue m_value;
};

/// Writes the values of one graph as described in docs/ir-format.md, a superset of `graph --json`.
class IrValueWriter {
public:
    IrValueWriter(JsonWriter& json, const Graph& graph) : m_json(json), m_graph(graph) {}

    void argument(const Argument& argument);
    void callable(const Callable& callable, bool asTarget);
    void type(const TypeExpr& type);
    void number(double value);

private:
    void items(const std::vector<Argument>& items);
    void sequence(const Sequence& sequence);
    void boxed(const Argument& argument);
    void text(std::string_view key, std::string_view value) { m_json.beginObject().key(key).string(value).endObject(); }

    JsonWriter& m_json;
    const Graph& m_graph;
};

/// Reads what IrValueWriter writes.
class IrValueReader {
public:
    IrValueReader(const Graph& graph, Warnings& warnings) : m_graph(graph), m_warnings(warnings) {}

    Argument argument(JsonValue value, int depth = 0);
    /// A target or a function as a value. An unknown function written as a string causes a warning.
    CallablePtr callable(JsonValue value);
    TypePtr type(JsonValue value, int depth = 0);
    static double number(JsonValue value);

private:
    std::vector<Argument> items(JsonValue array, int depth);
    Argument object(JsonValue value, int depth);
    Argument sequence(JsonValue value, int depth);
    Argument fromRepr(JsonValue text);

    const Graph& m_graph;
    Warnings& m_warnings;
    std::unordered_map<std::string, CallablePtr> m_known;
};

/// Parses a short annotation: `int`, `torch.Tensor`, `typing.List[torch.Tensor]`, `int | None`.
TypePtr typeFromText(std::string_view text);

} // namespace fx
