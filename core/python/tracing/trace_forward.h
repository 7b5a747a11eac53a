// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/pytree_form.h"
#include "core/python/interpreter.h"

namespace fx::python {

/// Follows the `forward` of a module, or a function, with its inputs recorded by the interpreter's tracer: torch.fx
/// `Tracer.trace`. `concrete`: its `concrete_args`, a dict or a tuple; unset: none. `form` tells how the inputs are
/// nested, if they are.
void traceForward(Interpreter& in, const Value& program, const Value& concrete, PytreeForm& form);

} // namespace fx::python
