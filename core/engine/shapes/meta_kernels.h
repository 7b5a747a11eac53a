// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/dispatch/RegistrationHandleRAII.h>

#include <deque>

namespace fx::engine {

/// Returns meta kernels for common operators that LibTorch implements only in Python: convolution, normalisations,
/// embedding, attention. Their results have the strides of the CPU kernels. They are registered as long as the handles
/// exist.
std::deque<c10::RegistrationHandleRAII> ownMetaKernels();

} // namespace fx::engine
