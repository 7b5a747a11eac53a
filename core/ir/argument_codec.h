// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/argument.h"
#include "core/ir/callable.h"
#include "core/json/json_document.h"
#include "core/json/json_writer.h"

#include <optional>

/// Arguments of nodes as JSON. The description of a model (docs/ir-format.md), steps, messages to the worker and
/// `graph --json` share these forms:
///
///     null, true, 1, 1.5, "text", [1, 2]      themselves; integers of any width
///     {"node": "relu"}                        the value of a node
///     {"tuple": [1, 2]}                       beside it the "type" of a named tuple
///     {"dict": [["key", 1]]}, {"slice": [0, null, 2]}
///
/// What has none of these is written exactly (all but `graph --json`, see ArgumentWriter::writeExact) or as Python
/// prints it, `{"repr": "torch.float32"}`. Readers take the exact forms too.
namespace fx {

/// Writes arguments; who derives from it says how nodes are named and what becomes of values without a common form.
class ArgumentWriter {
public:
    explicit ArgumentWriter(JsonWriter& json) : m_json(json) {}
    virtual ~ArgumentWriter() = default;

    void write(const Argument& argument);
    /// An array.
    void writeItems(const std::vector<Argument>& items);

protected:
    virtual std::string_view nameOf(NodeId node) const = 0;
    /// A value without a common form, among them floats that are not finite.
    virtual void writeOther(const Argument& argument) = 0;
    /// The member "type" of a named tuple.
    virtual void writeTypeOf(const Sequence& sequence) = 0;

    /// `{"float": "inf"}`, `{"ellipsis": true}`, `{"range": [0, 4, 1]}`, `{"complex": [0.0, 1.0]}`, `{"bytes":
    /// "00ff"}`,
    /// `{"dtype": "torch.float32"}` (also layout, memory_format, qscheme), `{"device": "cuda", "index": 0}`,
    /// `{"symbolic": "s0"}`. False for callables, members of enums and opaque objects.
    bool writeExact(const Argument& argument);
    void writeText(std::string_view key, std::string_view text);
    JsonWriter& json() { return m_json; }

private:
    void writeBoxed(const Argument& argument);

    JsonWriter& m_json;
};

/// Reads what ArgumentWriter writes. Throws `problem(...)` at a value of unknown form.
class ArgumentReader {
public:
    virtual ~ArgumentReader() = default;

    Argument read(JsonValue value, int depth = 0);
    /// Of an array.
    std::vector<Argument> readItems(JsonValue array, int depth);
    /// Also `{"float": "inf"}`. Throws Error{File}.
    static double readNumber(JsonValue value);

protected:
    virtual NodeId nodeNamed(JsonValue name) = 0;
    /// The type of a named tuple; null: a plain tuple.
    virtual CallablePtr tupleType(JsonValue type) = 0;
    /// A form of its own: "callable", "repr", ...; nullopt: none.
    virtual std::optional<Argument> readOther(JsonValue object, std::string_view form) = 0;
    /// The keys of its own forms, for hints.
    virtual std::string_view otherForms() const = 0;
    virtual Error problem(JsonValue at, const Message& what) const { return at.error(what); }

private:
    Argument readObject(JsonValue object, int depth);
    std::optional<Argument> readExact(JsonValue object, JsonValue first, int depth);
    Argument readDict(JsonValue pairs, int depth);
    JsonValue arrayIn(JsonValue value, const char* example) const;
    JsonValue textIn(JsonValue value, const Message& otherwise) const;
};

} // namespace fx
