// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/dispatch/RegistrationHandleRAII.h>

#include <deque>

namespace fx::engine {

/// Kernels for meta tensors of the operators that common nets spend their time in and that LibTorch has in Python only:
/// convolution, normalisations, embedding, attention. The strides of their results are those of the CPU's kernels. They
/// live as long as the handles.
std::deque<c10::RegistrationHandleRAII> ownMetaKernels();

} // namespace fx::engine
