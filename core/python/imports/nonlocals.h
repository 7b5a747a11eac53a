// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/pysrc/source_error.h"
#include "core/python/values/object.h"

namespace fx::python {

/// Returns the SyntaxError for the first `nonlocal` that names a variable of no enclosing function; nullopt if all are
/// valid.
std::optional<py::SourceError> unboundNonlocal(const SourceFile& file);

} // namespace fx::python
