// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tensor/quantized_values.h"

#include "core/diag/error.h"
#include "core/tensor/elements.h"

namespace fx {

QuantizedValues::QuantizedValues(const TensorRef& tensor) : m_active(tensor.quantizer.has_value()) {
    if (!m_active) return;
    const Quantizer& quantizer = *tensor.quantizer;
    m_scales = {quantizer.scale};
    m_zeroPoints = {static_cast<double>(quantizer.zeroPoint)};
    if (!quantizer.perChannel) return;
    const auto refuse = [] { throw Error(ErrorKind::File, Message("files.scales_mismatch")); };
    const auto axis = static_cast<std::size_t>(quantizer.axis);
    if (quantizer.axis < 0 || axis >= tensor.sizes.size() || !quantizer.scales || !quantizer.zeroPoints) refuse();
    m_axis = axis;
    m_channels = tensor.sizes[axis];
    if (quantizer.scales->elementCount() != m_channels || quantizer.zeroPoints->elementCount() != m_channels) refuse();
    m_scales = elementValues(*quantizer.scales);
    m_zeroPoints = elementValues(*quantizer.zeroPoints);
    for (std::size_t i = axis + 1; i < tensor.sizes.size(); ++i) m_inner *= tensor.sizes[i];
}

} // namespace fx
