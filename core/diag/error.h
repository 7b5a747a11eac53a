// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/message.h"

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace fx {

/// The category of an Error; it determines the exit code of the command line (see docs/cli).
enum class ErrorKind : std::uint8_t {
    Usage,     ///< the request itself is wrong (exit 2)
    File,      ///< a file cannot be read (exit 3)
    Refused,   ///< the operation is refused, the model is unchanged (exit 4)
    Run,       ///< running the model failed (exit 5)
    Cancelled, ///< cancelled or timed out (exit 6)
};

/// One of the two models of a comparison.
enum class Side : std::uint8_t { None, A, B };

/// A position in a text, counted from 1. Line 0 is no position; column 0 is the whole line.
struct TextPlace {
    std::size_t line = 0, column = 0;
    /// Formats the position as "line 3, column 5"; empty if none exists.
    std::string text() const {
        if (line == 0) return {};
        return "line " + std::to_string(line) + (column > 0 ? ", column " + std::to_string(column) : std::string());
    }
};

/// A failed operation: what happened, where, and a remedy. Thrown by core and caught at the edge of app and ui.
class Error : public std::runtime_error {
public:
    /// Takes the hints of the message; `hinting` replaces `hint`.
    Error(ErrorKind kind, Message message)
        : std::runtime_error(message.text()), hint(message.hint()), commandLineHint(message.commandLineHint()),
          m_kind(kind), m_message(std::move(message)) {}

    /// The category of the failure.
    ErrorKind kind() const { return m_kind; }
    /// The message as data, for code that reacts to an error.
    const Message& message() const { return m_message; }

    std::string file;            ///< path of the file concerned, or empty
    std::string where;           ///< place in the file: record, byte offset, line:column or JSON path
    TextPlace textPlace;         ///< the line named by `where`, if it names one, for code that reacts to an error
    Side side = Side::None;      ///< the model concerned, of two; `where` then names it in words
    std::string node;            ///< graph name of the node concerned
    std::string modulePath;      ///< path of the module concerned
    std::string source;          ///< source line or excerpt
    std::string hint;            ///< remedy, as an imperative
    std::string commandLineHint; ///< remedy in terms of options of `lancet`; not shown in windows

    /// Fluent setters so that a throw stays one expression: `throw Error(...).at("line 3").hinting("...")`.
    Error& in(std::string path) { return file = std::move(path), *this; }
    /// Sets `where`.
    Error& at(std::string place) { return where = std::move(place), *this; }
    /// Sets `textPlace`, and `where` to its text.
    Error& at(TextPlace place) { return textPlace = place, at(place.text()); }
    /// Sets `side`, and `where` to its name.
    Error& of(Side model) { return side = model, at(model == Side::A ? "model A" : "model B"); }
    /// Sets `node`.
    Error& onNode(std::string name) { return node = std::move(name), *this; }
    /// Sets `modulePath`.
    Error& onModule(std::string path) { return modulePath = std::move(path), *this; }
    /// Sets `source`.
    Error& quoting(std::string text) { return source = std::move(text), *this; }
    /// Sets `hint`.
    Error& hinting(std::string text) { return hint = std::move(text), *this; }

private:
    ErrorKind m_kind;
    Message m_message;
};

/// A problem that does not stop an operation, shown in the Problems panel and listed as `warnings`.
struct Warning {
    Message what;
    std::string node;         ///< graph name of the node concerned, or empty
    std::string modulePath;   ///< path of the module concerned, or empty
    std::string where;        ///< place in the file, or empty
    TextPlace textPlace = {}; ///< the line named by `where`, if it names one
};
using Warnings = std::vector<Warning>;

} // namespace fx
