// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

/// The rows of the generated operator table, shared by the generator (tools/catalogue) and the library (core/ops). Rows
/// contain no pointers, so the table needs no relocation at program start.
namespace fx::ops {

/// A range of the text of the table.
struct Text {
    std::uint32_t offset; ///< bytes from the start of the text
    std::uint32_t size;   ///< bytes
};

/// One argument or return of a schema.
struct ArgumentRow {
    Text name;
    Text type;         ///< as in a schema, including alias annotations: `Tensor(a!)`, `SymInt[2]`, `ScalarType?`
    Text defaultValue; ///< Python text; empty if absent
    bool keywordOnly;
    bool written; ///< the alias annotation marks a write
};

/// An overload. Rows are sorted by (name, overload).
struct OperatorRow {
    Text name;                   ///< `aten::add`
    Text overload;               ///< overload name; empty for `default`
    std::uint32_t firstArgument; ///< index of the first argument; the returns follow the arguments
    std::uint16_t arguments;     ///< number of arguments
    std::uint16_t returns;       ///< number of returns
    std::uint32_t tags;          ///< bit i is the i-th Tag
    bool scriptOnly;             ///< known only to TorchScript, not to the dispatcher
    bool variadic;               ///< accepts further arguments after the named ones
    std::uint16_t registered;    ///< index among the overloads of its name in registration order
};

} // namespace fx::ops
