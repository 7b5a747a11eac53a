// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/tensor/tensor_ref.h"

#include <optional>

namespace fx {

/// Converts the stored integers of a quantised tensor to reals: (q - zero point) × scale, per tensor or per channel.
class QuantizedValues {
public:
    /// Reads per-channel scales and zero points. Throws Error{File} if they cannot be read or do not match the tensor.
    explicit QuantizedValues(const TensorRef& tensor);

    /// False if the tensor is not quantised.
    bool active() const { return m_active; }
    bool perChannel() const { return m_scales.size() > 1; } ///< true if there are several scales
    /// The dimension of the channels; nullopt for per-tensor quantisation.
    std::optional<std::size_t> axis() const { return perChannel() ? std::optional(m_axis) : std::nullopt; }
    /// Returns the real value of a stored integer. `logical` is the row-major index of the element.
    double real(double stored, std::int64_t logical) const {
        const std::size_t channel = perChannel() ? static_cast<std::size_t>(logical / m_inner % m_channels) : 0;
        return (stored - m_zeroPoints[channel]) * m_scales[channel];
    }

private:
    bool m_active = false;
    std::vector<double> m_scales, m_zeroPoints;
    std::size_t m_axis = 0;
    std::int64_t m_inner = 1, m_channels = 1;
};

} // namespace fx
