// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/message.h"

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace fx {

/// What kind of failure an Error is; the command line's exit code follows from it (see docs/cli).
enum class ErrorKind : std::uint8_t {
    Usage,     ///< the request itself is wrong (exit 2)
    File,      ///< a file cannot be read (exit 3)
    Refused,   ///< the operation is refused, the model is unchanged (exit 4)
    Run,       ///< running the model failed (exit 5)
    Cancelled, ///< cancelled or timed out (exit 6)
};

/// Which of two models that are compared.
enum class Side : std::uint8_t { None, A, B };

/// A place in a text, counted from 1. Line 0: none; column 0: the line as a whole.
struct TextPlace {
    std::size_t line = 0, column = 0;
    /// "line 3, column 5"; empty for none.
    std::string text() const {
        if (line == 0) return {};
        return "line " + std::to_string(line) + (column > 0 ? ", column " + std::to_string(column) : std::string());
    }
};

/// A failed operation: what happened, where, and what would help. Thrown by core, caught at the edge of app and ui.
class Error : public std::runtime_error {
public:
    /// The hints are the message's; hinting() gives another one.
    Error(ErrorKind kind, Message message)
        : std::runtime_error(message.text()), hint(message.hint()), commandLineHint(message.commandLineHint()),
          m_kind(kind), m_message(std::move(message)) {}

    ErrorKind kind() const { return m_kind; }
    /// what() as data: what to decide by.
    const Message& message() const { return m_message; }

    std::string file;            ///< path of the file concerned, or empty
    std::string where;           ///< place in the file: record, byte offset, line:column or JSON path
    TextPlace textPlace;         ///< the line that `where` names, where it names one: what to decide by
    Side side = Side::None;      ///< of two models the one concerned; then `where` says it in words
    std::string node;            ///< graph name of the node concerned
    std::string modulePath;      ///< path of the module concerned
    std::string source;          ///< source line or excerpt
    std::string hint;            ///< what to do
    std::string commandLineHint; ///< what to do in terms of options of `lancet`; windows do not show it

    /// Fluent setters so that a throw stays one expression: `throw Error(...).at("line 3").hinting("...")`.
    Error& in(std::string path) { return file = std::move(path), *this; }
    Error& at(std::string place) { return where = std::move(place), *this; }
    Error& at(TextPlace place) { return textPlace = place, at(place.text()); }
    Error& of(Side model) { return side = model, at(model == Side::A ? "model A" : "model B"); }
    Error& onNode(std::string name) { return node = std::move(name), *this; }
    Error& onModule(std::string path) { return modulePath = std::move(path), *this; }
    Error& quoting(std::string text) { return source = std::move(text), *this; }
    Error& hinting(std::string text) { return hint = std::move(text), *this; }

private:
    ErrorKind m_kind;
    Message m_message;
};

/// Something worth telling that does not stop an operation: shown in the Problems panel and as `warnings`.
struct Warning {
    Message what;
    std::string node;         ///< graph name of the node concerned, or empty
    std::string modulePath;   ///< path of the module concerned, or empty
    std::string where;        ///< place in the file, or empty
    TextPlace textPlace = {}; ///< the line that `where` names, where it names one
};
using Warnings = std::vector<Warning>;

} // namespace fx
