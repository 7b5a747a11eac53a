// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

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

} // namespace fx::engine
