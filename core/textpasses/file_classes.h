// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/tracing/fx_classes.h"

#include <functional>
#include <memory>

namespace fx {
namespace python {
class Interpreter;
} // namespace python

/// For SourceOptions::fx: a model file can use torch.fx itself. `notes`: its traces note where each node was made.
std::function<std::shared_ptr<python::FxClasses>(python::Interpreter& in)> fxClasses(bool notes);

} // namespace fx
