// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/interpreter.h"

namespace fx::python {

/// Follows `forward` of an instance of nn.Module, or a function, as torch.fx's symbolic trace does: the inputs are
/// recorded (`create_args_for_root`), then what the body does, then the output. Records with the tracer that the
/// interpreter has; throws as the interpreter. `concrete`: values that inputs are fixed to (torch.fx `concrete_args`).
void traceForward(Interpreter& in, const Value& program, const Kwargs& concrete = {});

} // namespace fx::python
