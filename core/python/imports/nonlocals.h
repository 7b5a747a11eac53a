// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/pysrc/source_error.h"
#include "core/python/values/object.h"

namespace fx::python {

/// The SyntaxError of the first `nonlocal` in a file whose name no function around it binds; nullopt if there is none.
std::optional<py::SourceError> unboundNonlocal(const SourceFile& file);

} // namespace fx::python
