// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tensor/row_major.h"

namespace fx {

std::vector<std::int64_t> rowMajorStrides(const std::vector<std::int64_t>& sizes) {
    std::vector<std::int64_t> strides(sizes.size());
    std::uint64_t step = 1;
    for (std::size_t i = sizes.size(); i-- > 0;) {
        strides[i] = static_cast<std::int64_t>(step);
        step *= static_cast<std::uint64_t>(sizes[i] > 1 ? sizes[i] : 1);
    }
    return strides;
}

} // namespace fx
