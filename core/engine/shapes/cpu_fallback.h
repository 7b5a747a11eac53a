// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <vector>

namespace c10 {
class OperatorHandle;
}

namespace fx::engine {

/// Returns a tensor without values on the meta device.
at::Tensor metaTensor(at::IntArrayRef sizes, at::IntArrayRef strides, at::ScalarType type);
/// Returns a leaf on the meta device with the geometry, type and requires_grad of `tensor` (on the CPU).
at::Tensor metaTwin(const at::Tensor& tensor);

/// Registers meta kernels for all aten operators that have only CPU kernels: the CPU kernel on placeholder values, or
/// for common operators a separate kernel (core/engine/shapes/meta_kernels.h). Operators that depend on values
/// (nonzero, unique, item) get no kernel; LibTorch's own error reports that, see `torchFailure`. Results on meta
/// tensors have the strides of the CPU kernel. Works once per process.
void registerMetaKernels();

/// True if the shapes of an operator's results are the same on placeholder values.
bool runsOnPlaceholders(const c10::OperatorHandle& op);
/// Calls an operator on the CPU with placeholder values in place of meta tensors; its results are meta tensors.
/// Quantised tensors get quantised placeholders, because LibTorch's own meta kernels refuse their type.
void runOnPlaceholders(const c10::OperatorHandle& op, std::vector<c10::IValue>* stack);

} // namespace fx::engine
