// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string_view>

namespace fx::python {

/// Returns true if objects of a built-in type of Python ("list", "function") have this attribute.
bool hasPythonAttribute(std::string_view type, std::string_view name);
/// Returns true if the names of a type are in the table.
bool isListedType(std::string_view type);

} // namespace fx::python
