// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/dispatch/RegistrationHandleRAII.h>

#include <deque>

namespace fx::engine {

/// Meta kernels for operators that are common in models and that LibTorch implements only in Python:
/// convolution, normalisations, embedding, attention. The strides of their results are those of the CPU's kernels. They
/// are registered as long as the handles live.
std::deque<c10::RegistrationHandleRAII> ownMetaKernels();

} // namespace fx::engine
