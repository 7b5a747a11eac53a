// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/tensor/tensor_ref.h"

namespace fx {

/// Converts the stored integers of a quantised tensor to reals: (q - zero point) × scale, per tensor or per channel.
class QuantizedValues {
public:
    /// Reads per-channel scales and zero points; throws Error{File} if they cannot be read or do not match.
    explicit QuantizedValues(const TensorRef& tensor);

    /// False for tensors that are not quantised.
    bool active() const { return m_active; }
    bool perChannel() const { return m_scales.size() > 1; }
    /// `logical`: the element's index in row-major order.
    double real(double stored, std::int64_t logical) const {
        const std::size_t channel = perChannel() ? static_cast<std::size_t>(logical / m_inner % m_channels) : 0;
        return (stored - m_zeroPoints[channel]) * m_scales[channel];
    }

private:
    bool m_active = false;
    std::vector<double> m_scales, m_zeroPoints;
    std::int64_t m_inner = 1, m_channels = 1;
};

} // namespace fx
