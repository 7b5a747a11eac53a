// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/node.h"
#include "core/tensor/tensor_ref.h"

namespace fx {

/// Returns the metadata that describes a tensor.
inline ValueInfo infoOf(const TensorRef& tensor) {
    ValueInfo info;
    info.dtype = tensor.dtype == DType::Other ? tensor.dtypeText : std::string(dtypeName(tensor.dtype));
    for (const auto size : tensor.sizes) info.sizes.push_back(std::to_string(size));
    for (const auto stride : tensor.strides) info.strides.push_back(std::to_string(stride));
    info.device = tensor.device;
    info.requiresGrad = tensor.requiresGrad;
    return info;
}

} // namespace fx
