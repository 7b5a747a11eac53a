// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/tracing/source_trace.h"
#include "core/python/values/object.h"

namespace fx::python {

class Interpreter;

/// Fills in the parameters of the constructor and of `forward` of a class, module or function: `SourceTrace::settings`
/// and `inputs`.
void describe(Interpreter& in, const Value& target, SourceTrace& out);
/// Adds the classes of all modules of a model, each once.
void addTypes(Interpreter& in, const Module& root, std::vector<SourceType>& types);

} // namespace fx::python
