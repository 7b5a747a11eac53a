// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/view_value.h"

#include "core/engine/tensor_store.h"
#include "core/ir/graph.h"
#include "core/ir/print.h"

#include <algorithm>

namespace fx::engine {
namespace {

constexpr std::size_t kLongestText = 4000;

std::int64_t within(std::int64_t place, std::int64_t size) {
    return std::clamp<std::int64_t>(place, 0, std::max<std::int64_t>(0, size - 1));
}

/// Strided numbers, of what stands for such.
at::Tensor plain(at::Tensor tensor) {
    tensor = tensor.detach();
    if (tensor.is_quantized()) tensor = tensor.dequantize();
    if (tensor.layout() != at::kStrided) tensor = tensor.to_dense();
    return tensor;
}

/// The last two dimensions at these indices; vectors are one row, numbers a table of one.
at::Tensor table(at::Tensor tensor, ValueSlice& slice) {
    const auto leading = static_cast<std::size_t>(std::max<std::int64_t>(0, tensor.dim() - 2));
    slice.indices.resize(leading);
    for (std::int64_t& place : slice.indices) {
        const std::int64_t size = tensor.size(0);
        place = within(place, size);
        tensor = size > 0 ? tensor.select(0, place) : tensor.sum(0); // without elements, but of the right shape
    }
    while (tensor.dim() < 2) tensor = tensor.unsqueeze(0);
    return tensor;
}

} // namespace

ValueView viewOf(const Value& value, ValueSlice slice) {
    ValueView out;
    out.type = typeText(value);
    if (!value.isTensor()) {
        if (const auto argument = toArgument(value)) out.text = reprOf(Graph(), *argument).substr(0, kLongestText);
        return out;
    }
    out.dtype = scalarTypeName(value.tensor().scalar_type());
    out.sizes = value.tensor().sizes().vec();
    const bool any = value.tensor().numel() > 0;
    at::Tensor shown = table(plain(value.tensor()), slice);
    slice.row = within(slice.row, shown.size(0)), slice.column = within(slice.column, shown.size(1));
    out.rows = any ? std::min(kSliceSide, shown.size(0) - slice.row) : 0,
    out.columns = any ? std::min(kSliceSide, shown.size(1) - slice.column) : 0;
    out.slice = slice;
    if (!any) return out;
    shown = shown.narrow(0, slice.row, out.rows).narrow(1, slice.column, out.columns);
    if (shown.is_complex()) shown = shown.abs();
    shown = shown.to(at::kDouble).contiguous();
    out.cells.assign(shown.const_data_ptr<double>(), shown.const_data_ptr<double>() + shown.numel());
    return out;
}

TensorStatistics statisticsOf(const at::Tensor& tensor, const Progress& progress) {
    return computeStatistics(*toTensorRef(plain(tensor)), progress);
}

} // namespace fx::engine
