// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/tensor_engine.h"
#include "core/python/torch/tensor_machine.h"

#include <functional>
#include <memory>

namespace fx {

/// Returns a SourceOptions::machine: constructors in Python source compute with this engine, which must outlive the
/// trace.
std::function<std::shared_ptr<python::TensorMachine>(bool)> computing(TensorEngine& engine);

} // namespace fx
