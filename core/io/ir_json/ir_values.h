// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/argument_codec.h"
#include "core/ir/graph.h"

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

/// Writes the values of one graph in the forms of docs/ir-format.md: those of ArgumentWriter, all exact.
class IrValueWriter final : public ArgumentWriter {
public:
    IrValueWriter(JsonWriter& json, const Graph& graph) : ArgumentWriter(json), m_graph(graph) {}

    void callable(const Callable& callable, bool asTarget);
    void type(const TypeExpr& type);

protected:
    std::string_view nameOf(NodeId node) const override { return m_graph.node(node).name(); }
    void writeOther(const Argument& argument) override;
    void writeTypeOf(const Sequence& sequence) override;

private:
    const Graph& m_graph;
};

/// Reads what IrValueWriter writes.
class IrValueReader final : public ArgumentReader {
public:
    IrValueReader(const Graph& graph, Warnings& warnings) : m_graph(graph), m_warnings(warnings) {}

    /// A target or a function as a value. One that Lancet does not know, written as plain text, gives a warning.
    CallablePtr callable(JsonValue value);
    TypePtr type(JsonValue value, int depth = 0);

protected:
    NodeId nodeNamed(JsonValue name) override;
    CallablePtr tupleType(JsonValue type) override { return callable(type); }
    std::optional<Argument> readOther(JsonValue object, std::string_view form) override;
    std::string_view otherForms() const override { return "enum, callable, opaque, repr"; }

private:
    static Argument fromRepr(JsonValue text);

    const Graph& m_graph;
    Warnings& m_warnings;
    std::unordered_map<std::string, CallablePtr> m_known;
};

/// Parses a short annotation: `int`, `torch.Tensor`, `typing.List[torch.Tensor]`, `int | None`.
TypePtr typeFromText(std::string_view text);

} // namespace fx
