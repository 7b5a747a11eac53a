// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/node.h"

#include <string>
#include <string_view>

namespace fx::quant::pt2e {

/// Returns the dtype of the integers of a quantised one: "torch.uint8" of "torch.quint8". Others stay.
inline std::string underlying(const std::string& dtype) {
    if (dtype == "torch.quint8") return "torch.uint8";
    if (dtype == "torch.qint8") return "torch.int8";
    return dtype == "torch.qint32" ? "torch.int32" : dtype;
}
/// Returns "torch.ops.quantized_decomposed.NAME".
inline std::string decomposed(std::string_view name) { return "torch.ops.quantized_decomposed." + std::string(name); }
/// True if `node` calls `quantized_decomposed.NAME`.
inline bool callsDecomposed(const Node& node, std::string_view name) {
    return node.op() == Op::CallFunction && node.target() == decomposed(name);
}
/// True for `quantize_per_tensor.default` and `.tensor`, and `quantize_per_channel.default`.
inline bool isQuantizeCall(const Node& node) {
    return callsDecomposed(node, "quantize_per_tensor.default") ||
           callsDecomposed(node, "quantize_per_tensor.tensor") || callsDecomposed(node, "quantize_per_channel.default");
}
/// True for the `dequantize` calls that correspond to `isQuantizeCall`.
inline bool isDequantizeCall(const Node& node) {
    return callsDecomposed(node, "dequantize_per_tensor.default") ||
           callsDecomposed(node, "dequantize_per_tensor.tensor") ||
           callsDecomposed(node, "dequantize_per_channel.default");
}
/// True for a call that computes the scale and zero point of dynamic quantisation.
inline bool isChooseCall(const Node& node) {
    return callsDecomposed(node, "choose_qparams.tensor") || callsDecomposed(node, "choose_qparams_symmetric.tensor");
}
/// True for a call of `aten.sym_size` or `aten.sym_numel`.
inline bool isSymSizeCall(const Node& node) {
    return node.target() == "torch.ops.aten.sym_size.default" || node.target() == "torch.ops.aten.sym_numel.default";
}

} // namespace fx::quant::pt2e
