// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/tensor_store.h"

#include <ATen/core/jit_type_base.h>

namespace fx::engine {

/// Runs a block of TorchScript (`script::BlockText`) without optimisation. Several results are a tuple. Throws
/// Error{Run}.
Value callScriptBlock(const Module& module, const Arguments& arguments);

/// Runs the forward of a whole TorchScript file as LibTorch does: a module of class `script::kFileClass` with the
/// attribute `path`. Changes to its buffers persist in `tensors`. Throws Error{Run}, Error{File}.
Value callScriptFile(const Module& module, const Arguments& arguments, TensorStore& tensors);

/// Returns a text that is equal for two files (as of `callScriptFile`) if their methods run the same code on modules
/// with the same values, also where one is a part of its file that gets all inputs: a file that was written with the
/// other inside. Throws Error{Run}, Error{File}.
std::string scriptContent(const Module& module);

/// Returns the object of a C++ class that a TorchScript file holds (`script::isFileObject`). Throws Error{Run}.
Value scriptFileObject(const Module& module);

/// Converts a value to a TorchScript type, containers included. Throws Error{Run}.
c10::IValue toTyped(const Value& value, const c10::TypePtr& type);

} // namespace fx::engine
