// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <string>

namespace fx::engine {

/// A tensor without values on the meta device.
at::Tensor metaTensor(at::IntArrayRef sizes, at::IntArrayRef strides, at::ScalarType type);
/// The same geometry, type and need of gradients as `tensor` (on the CPU), as a leaf on the meta device.
at::Tensor metaTwin(const at::Tensor& tensor);

/// Gives every operator of aten that has a kernel for the CPU and none for meta tensors one that runs the CPU's on
/// made-up values, and the common ones kernels of our own (core/engine/shapes/meta_kernels.h). What depends on values
/// (nonzero, unique, item) gets none: LibTorch's own failure says so, see `torchFailure`. Once per process; a meta
/// tensor's result then has the strides that the CPU's kernel gives.
void registerMetaKernels();

/// How often operators ran on made-up values so far, by name: what a kernel of our own would save.
const std::map<std::string, int>& cpuFallbacks();

} // namespace fx::engine
