// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/tracing/fx_classes.h"

#include <functional>
#include <memory>

namespace fx {
namespace python {
class Interpreter;
} // namespace python

/// Returns a SourceOptions::fx: code in a model file can use torch.fx. With `notes`, its traces record where each node
/// was created.
std::function<std::shared_ptr<python::FxClasses>(python::Interpreter& in)> fxClasses(bool notes);

} // namespace fx
