// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/quant/operator_guards.h"

#include "core/engine/run_value.h"

#include <ATen/ops/_cast_Long.h>

namespace fx::engine {
namespace {

/// A tensor with values, or null.
const at::Tensor* valuesOf(const std::vector<c10::IValue>& stack, std::size_t index) {
    if (index >= stack.size() || !stack[index].isTensor()) return nullptr;
    const at::Tensor& tensor = stack[index].toTensor();
    return tensor.defined() && tensor.is_cpu() ? &tensor : nullptr;
}

/// Bags begin within the indices, and none before the last one. The embeddings that are no bags check themselves.
void guardBags(const std::vector<c10::IValue>& stack) {
    enum : std::size_t { kIndices = 1, kOffsets = 2, kWeights = 6 };
    const at::Tensor* indices = valuesOf(stack, kIndices);
    if (!indices) return;
    const std::int64_t count = indices->numel();
    const at::Tensor* weights = valuesOf(stack, kWeights);
    if (weights && weights->numel() != count)
        throw runError(Message("engine.bag_weights", {{"weights", weights->numel()}, {"indices", count}}));
    const at::Tensor* offsets = valuesOf(stack, kOffsets);
    const bool isInteger = offsets && at::isIntegralType(offsets->scalar_type(), false);
    if (!isInteger || offsets->dim() != 1) return; // LibTorch refuses others
    const at::Tensor starts = at::_cast_Long(*offsets).contiguous();
    std::int64_t last = 0;
    for (std::int64_t i = 0; i < starts.numel(); ++i) {
        const std::int64_t start = starts.const_data_ptr<std::int64_t>()[i];
        if (start < last || start > count)
            throw runError(Message("engine.bag_offsets", {{"offset", start}, {"least", last}, {"indices", count}}));
        last = start;
    }
}

} // namespace

OperatorGuard operatorGuard(std::string_view name) {
    return name.starts_with("quantized::embedding_bag_") && name.find("prepack") == name.npos &&
                   name.find("unpack") == name.npos
               ? guardBags
               : nullptr;
}

} // namespace fx::engine
