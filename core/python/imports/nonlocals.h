// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/pysrc/source_error.h"
#include "core/python/values/object.h"

namespace fx::python {

/// Returns the SyntaxError for the first `nonlocal` that names a variable of no enclosing function; nullopt if all are
/// valid.
std::optional<py::SourceError> unboundNonlocal(const SourceFile& file);

/// Returns true if the name is one of the function's own: a parameter, or bound in the body.
bool functionBinds(const SourceFile& file, std::size_t head, std::string_view name);

} // namespace fx::python
