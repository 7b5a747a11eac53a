// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <string_view>

namespace fx::python {

struct SourceFile;

/// Where a program is: for messages, and for what nodes come from.
struct Place {
    const SourceFile* file = nullptr;
    std::size_t offset = 0;
    std::string_view function; ///< of a Function of the program
};

} // namespace fx::python
