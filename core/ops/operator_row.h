// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

/// The plain rows of the generated operator table. The generator (tools/catalogue) and the library (core/ops) both
/// include this file; neither the table nor its rows hold a pointer, so that a program that starts pays nothing for it.
namespace fx::ops {

/// A piece of the table's text.
struct Text {
    std::uint32_t offset;
    std::uint32_t size;
};

/// One argument or return of a schema.
struct ArgumentRow {
    Text name;
    Text type;         ///< as in a schema, with alias: `Tensor(a!)`, `SymInt[2]`, `ScalarType?`
    Text defaultValue; ///< Python text; empty when there is none
    bool keywordOnly;
    bool written; ///< alias info says that the operator writes to it
};

/// One overload. Rows are sorted by (name, overload).
struct OperatorRow {
    Text name; ///< `aten::add`
    Text overload;
    std::uint32_t firstArgument; ///< index of the arguments; the returns follow them
    std::uint16_t arguments;
    std::uint16_t returns;
    std::uint32_t tags;       ///< bit i is tag number i
    bool scriptOnly;          ///< known to TorchScript alone, not to the dispatcher
    bool variadic;            ///< takes any number of arguments after the named ones
    std::uint16_t registered; ///< its place among the overloads of its name, as PyTorch registers them
};

} // namespace fx::ops
