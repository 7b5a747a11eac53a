// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/argument.h"
#include "core/ir/callable.h"
#include "core/json/json_document.h"
#include "core/json/json_writer.h"

#include <optional>

/// The JSON form of arguments of nodes. The description of a model (docs/ir-format.md), steps, messages to the worker
/// and `graph --json` share it:
///
///     null, true, 1, 1.5, "text", [1, 2]      themselves; integers of any width
///     {"node": "relu"}                        the value of a node
///     {"tuple": [1, 2]}                       with a member "type" for a named tuple
///     {"dict": [["key", 1]]}, {"slice": [0, null, 2]}
///
/// Other values are written in an exact form (`ArgumentWriter::writeExact`; all users except `graph --json`) or as
/// Python prints them, `{"repr": "torch.float32"}`. Readers also accept the exact forms.
namespace fx {

/// Writes arguments. A derived class names the nodes and writes the values without a common form.
class ArgumentWriter {
public:
    explicit ArgumentWriter(JsonWriter& json) : m_json(json) {}
    virtual ~ArgumentWriter() = default;

    /// Writes one argument.
    void write(const Argument& argument);
    /// Writes an array of arguments.
    void writeItems(const std::vector<Argument>& items);

protected:
    /// Returns the name that stands for a node.
    virtual std::string_view nameOf(NodeId node) const = 0;
    /// Writes a value without a common form, such as a float that is not finite.
    virtual void writeOther(const Argument& argument) = 0;
    /// Writes the member "type" of a named tuple.
    virtual void writeTypeOf(const Sequence& sequence) = 0;

    /// Writes a value in its exact form: `{"float": "inf"}`, `{"ellipsis": true}`, `{"range": [0, 4, 1]}`, `{"complex":
    /// [0.0, 1.0]}`, `{"bytes": "00ff"}`, `{"dtype": "torch.float32"}` (also layout, memory_format, qscheme),
    /// `{"device": "cuda", "index": 0}` or `{"symbolic": "s0"}`. Returns false for callables, members of enums and
    /// opaque objects, which have none.
    bool writeExact(const Argument& argument);
    /// Writes an object with one member, a string.
    void writeText(std::string_view key, std::string_view text);
    JsonWriter& json() { return m_json; }

private:
    void writeBoxed(const Argument& argument);

    JsonWriter& m_json;
};

/// Reads the forms that ArgumentWriter writes. Throws `problem(...)` at a value of unknown form.
class ArgumentReader {
public:
    virtual ~ArgumentReader() = default;

    /// Reads one argument. `depth` is the number of containers around it.
    Argument read(JsonValue value, int depth = 0);
    /// Reads an array of arguments.
    std::vector<Argument> readItems(JsonValue array, int depth);
    /// Reads a number; accepts `{"float": "inf"}`. Throws Error{File}.
    static double readNumber(JsonValue value);

protected:
    /// Returns the node that a name stands for; throws if there is no such node.
    virtual NodeId nodeNamed(JsonValue name) = 0;
    /// Returns the type of a named tuple; null makes it a plain tuple.
    virtual CallablePtr tupleType(JsonValue type) = 0;
    /// Reads a form that only the derived class knows ("callable", "repr", ...); nullopt if it does not know it.
    virtual std::optional<Argument> readOther(JsonValue object, std::string_view form) = 0;
    /// Lists the keys of those forms, for hints.
    virtual std::string_view otherForms() const = 0;
    /// Returns the error for a value that cannot be read.
    virtual Error problem(JsonValue at, const Message& what) const { return at.error(what); }

private:
    Argument readObject(JsonValue object, int depth);
    std::optional<Argument> readExact(JsonValue object, JsonValue first, int depth);
    Argument readDict(JsonValue pairs, int depth);
    JsonValue arrayIn(JsonValue value, const char* example) const;
    JsonValue textIn(JsonValue value, const Message& otherwise) const;
};

} // namespace fx
