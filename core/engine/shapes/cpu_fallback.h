// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <string>

namespace fx::engine {

/// A tensor without values on the meta device.
at::Tensor metaTensor(at::IntArrayRef sizes, at::IntArrayRef strides, at::ScalarType type);
/// A leaf on the meta device with the geometry, type and requires_grad of `tensor` (on the CPU).
at::Tensor metaTwin(const at::Tensor& tensor);

/// Registers meta kernels for all aten operators that only have CPU kernels: the CPU kernel on placeholder values, or
/// for common operators a kernel of our own (core/engine/shapes/meta_kernels.h). Operators that depend on values
/// (nonzero, unique, item) get none; LibTorch then fails with its own error, see `needsValues`. Once per process; a
/// meta tensor's result then has the strides that the CPU's kernel gives.
void registerMetaKernels();

/// Whether a LibTorch error says that values of a meta tensor were requested.
bool needsValues(const std::string& message);

/// An error message of that kind for `what`.
std::string needsValuesText(const std::string& what);

/// How often operators ran on placeholder values so far, by name: candidates for a kernel of our own.
const std::map<std::string, int>& cpuFallbacks();

} // namespace fx::engine
