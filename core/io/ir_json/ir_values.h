// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/argument_codec.h"
#include "core/ir/graph.h"

#include <initializer_list>
#include <memory>
#include <unordered_map>

namespace fx {

/// An object of the format with a fixed set of keys, so that a misspelt key is an error with a hint.
class IrObject {
public:
    /// Throws unless `value` is an object with only keys from `keys`, each at most once.
    IrObject(JsonValue value, std::initializer_list<std::string_view> keys);

    JsonValue get(std::string_view key) const { return m_value.find(key); } ///< may be missing
    /// Returns a member. Throws Error{File} if it is missing.
    JsonValue need(std::string_view key) const;
    bool has(std::string_view key) const { return get(key).exists(); }
    /// Returns a string member, or `otherwise` if it is missing.
    std::string text(std::string_view key, std::string_view otherwise = {}) const;
    /// Returns a boolean member, or `otherwise` if it is missing.
    bool flag(std::string_view key, bool otherwise = false) const;
    JsonValue value() const { return m_value; }

private:
    JsonValue m_value;
};

/// The paths of warnings in a file. Only the first 100 are computed, since computing one counts from the start of the
/// file.
class WarningPlaces {
public:
    /// Returns the path of `value`, or an empty one after the first 100.
    std::string of(JsonValue value) { return m_left > 0 ? --m_left, value.path() : std::string(); }

private:
    int m_left = 100;
};

/// Writes the values of one graph as defined in docs/ir-format.md: the exact forms of ArgumentWriter.
class IrValueWriter final : public ArgumentWriter {
public:
    /// Keeps references to both arguments, which must outlive the writer.
    IrValueWriter(JsonWriter& json, const Graph& graph) : ArgumentWriter(json), m_graph(graph) {}

    /// Writes a callable, as a node's target or as a value.
    void callable(const Callable& callable, bool asTarget);
    /// Writes a type annotation.
    void type(const TypeExpr& type);

protected:
    std::string_view nameOf(NodeId node) const override { return m_graph.node(node).name(); }
    void writeOther(const Argument& argument) override;
    void writeTypeOf(const Sequence& sequence) override;

private:
    const Graph& m_graph;
};

/// Reads the output of IrValueWriter.
class IrValueReader final : public ArgumentReader {
public:
    /// Keeps references to both arguments. `warnings` receives warnings about unknown callables; all readers of one
    /// file share `places`.
    IrValueReader(const Graph& graph, Warnings& warnings,
                  std::shared_ptr<WarningPlaces> places = std::make_shared<WarningPlaces>())
        : m_graph(graph), m_warnings(warnings), m_places(std::move(places)) {}

    /// Reads a target or a function as a value. Adds a warning for a function in plain text that Lancet does not know.
    CallablePtr callable(JsonValue value);
    /// Reads a type annotation.
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
    std::shared_ptr<WarningPlaces> m_places;
    std::unordered_map<std::string, CallablePtr> m_known;
};

/// Parses a short annotation: `int`, `torch.Tensor`, `typing.List[torch.Tensor]`, `int | None`.
TypePtr typeFromText(std::string_view text);

} // namespace fx
