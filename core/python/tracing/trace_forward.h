// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/pytree_form.h"
#include "core/python/python_interpreter.h"

namespace fx::python {

/// Interprets the `forward` of a module, or a function, and records it with the interpreter's tracer: torch.fx
/// `Tracer.trace`. `concrete` is its `concrete_args`, a dict or a tuple; unset for none. `form` receives the nesting of
/// the inputs, if any.
void traceForward(Interpreter& in, const Value& program, const Value& concrete, PytreeForm& form);

} // namespace fx::python
