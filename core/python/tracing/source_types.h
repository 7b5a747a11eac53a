// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/tracing/source_trace.h"
#include "core/python/values/object.h"

namespace fx::python {

class Interpreter;

/// What the constructor and `forward` of a class or module, or a function, take: SourceTrace::settings and `inputs`.
void describe(Interpreter& in, const Value& target, SourceTrace& out);
/// The classes of the modules of a model, each once.
void addTypes(Interpreter& in, const Module& root, std::vector<SourceType>& types);

} // namespace fx::python
