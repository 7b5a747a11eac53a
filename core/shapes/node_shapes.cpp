// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/shapes/node_shapes.h"

#include "core/base/plain_number.h"

#include <array>
#include <span>

namespace fx {
namespace {

/// Whether elements lie without gaps in that order of dimensions, innermost first; dimensions of one element may have
/// any stride.
bool isDense(const std::vector<std::int64_t>& sizes, const std::vector<std::int64_t>& strides,
             std::span<const std::size_t> order) {
    std::int64_t expected = 1;
    for (const std::size_t d : order) {
        if (sizes[d] != 1 && strides[d] != expected) return false;
        expected *= sizes[d];
    }
    return true;
}

} // namespace

std::string_view memoryFormat(const ValueInfo& info) {
    static constexpr std::array<std::size_t, 4> kLast{1, 3, 2, 0};
    static constexpr std::array<std::size_t, 5> kLast3d{1, 4, 3, 2, 0};
    const auto sizes = plainNumbers(info.sizes), strides = plainNumbers(info.strides);
    if (!sizes || !strides || sizes->size() != strides->size()) return {};
    bool empty = false;
    std::vector<std::size_t> rows;
    for (std::size_t d = sizes->size(); d-- > 0;) rows.push_back(d), empty = empty || (*sizes)[d] == 0;
    if (empty || isDense(*sizes, *strides, rows)) return "torch.contiguous_format";
    if (sizes->size() == 4 && isDense(*sizes, *strides, kLast)) return "torch.channels_last";
    return sizes->size() == 5 && isDense(*sizes, *strides, kLast3d) ? "torch.channels_last_3d" : "";
}

} // namespace fx
