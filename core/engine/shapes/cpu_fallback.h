// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <cstdint>
#include <string>
#include <vector>

namespace c10 {
class OperatorHandle;
}

namespace fx::engine {

/// A tensor without values on the meta device.
at::Tensor metaTensor(at::IntArrayRef sizes, at::IntArrayRef strides, at::ScalarType type);
/// A leaf on the meta device with the geometry, type and requires_grad of `tensor` (on the CPU).
at::Tensor metaTwin(const at::Tensor& tensor);

/// Registers meta kernels for all aten operators that only have CPU kernels: the CPU kernel on placeholder values, or
/// for common operators a kernel of our own (core/engine/shapes/meta_kernels.h). Operators that depend on values
/// (nonzero, unique, item) get none; LibTorch's own failure says so, see `torchFailure`. Once per process; a meta
/// tensor's result then has the strides that the CPU's kernel gives.
void registerMetaKernels();

/// Whether the shapes of an operator's results are those that it has on placeholder values.
bool runsOnPlaceholders(const c10::OperatorHandle& op);
/// Calls an operator on the CPU with placeholder values instead of meta tensors; its results are meta tensors again.
/// Quantised tensors become quantised ones, where LibTorch's own meta kernels refuse their type.
void runOnPlaceholders(const c10::OperatorHandle& op, std::vector<c10::IValue>* stack);

} // namespace fx::engine
