// SPDX-License-Identifier: GPL-3.0-or-later
// Which quantised class takes the place of a class of the reference form: the tables of torch.ao's
// _lower_to_native_backend.py.
#include "core/quant/conversion/lowered_modules.h"

#include <algorithm>
#include <span>

namespace fx::quant {
namespace {

struct Entry {
    std::string_view from;
    LoweredClass to;
};

constexpr std::string_view kRefLinear = "torch.ao.nn.quantized.reference.modules.linear.Linear",
                           kRefConv1d = "torch.ao.nn.quantized.reference.modules.conv.Conv1d",
                           kRefConv2d = "torch.ao.nn.quantized.reference.modules.conv.Conv2d",
                           kRefConv3d = "torch.ao.nn.quantized.reference.modules.conv.Conv3d";

constexpr Entry kStatic[] = {
    {kRefLinear, {"torch.ao.nn.quantized.modules.linear.Linear", {}}},
    {kRefConv1d, {"torch.ao.nn.quantized.modules.conv.Conv1d", {}}},
    {kRefConv2d, {"torch.ao.nn.quantized.modules.conv.Conv2d", {}}},
    {kRefConv3d, {"torch.ao.nn.quantized.modules.conv.Conv3d", {}}},
    {"torch.ao.nn.intrinsic.modules.fused.LinearReLU",
     {"torch.ao.nn.intrinsic.quantized.modules.linear_relu.LinearReLU", kRefLinear}},
    {"torch.ao.nn.intrinsic.modules.fused.LinearLeakyReLU",
     {"torch.ao.nn.intrinsic.quantized.modules.linear_relu.LinearLeakyReLU", kRefLinear}},
    {"torch.ao.nn.intrinsic.modules.fused.LinearTanh",
     {"torch.ao.nn.intrinsic.quantized.modules.linear_relu.LinearTanh", kRefLinear}},
    {"torch.ao.nn.intrinsic.modules.fused.ConvReLU1d",
     {"torch.ao.nn.intrinsic.quantized.modules.conv_relu.ConvReLU1d", kRefConv1d}},
    {"torch.ao.nn.intrinsic.modules.fused.ConvReLU2d",
     {"torch.ao.nn.intrinsic.quantized.modules.conv_relu.ConvReLU2d", kRefConv2d}},
    {"torch.ao.nn.intrinsic.modules.fused.ConvReLU3d",
     {"torch.ao.nn.intrinsic.quantized.modules.conv_relu.ConvReLU3d", kRefConv3d}},
};

constexpr Entry kTwoInput[] = {
    {"torch.ao.nn.intrinsic.modules.fused.ConvAdd2d",
     {"torch.ao.nn.intrinsic.quantized.modules.conv_add.ConvAdd2d", kRefConv2d}},
    {"torch.ao.nn.intrinsic.modules.fused.ConvAddReLU2d",
     {"torch.ao.nn.intrinsic.quantized.modules.conv_add.ConvAddReLU2d", kRefConv2d}},
};

constexpr Entry kDynamic[] = {
    {kRefLinear, {"torch.ao.nn.quantized.dynamic.modules.linear.Linear", {}}},
    {"torch.ao.nn.quantized.reference.modules.rnn.GRUCell", {"torch.ao.nn.quantized.dynamic.modules.rnn.GRUCell", {}}},
    {"torch.ao.nn.quantized.reference.modules.rnn.LSTMCell",
     {"torch.ao.nn.quantized.dynamic.modules.rnn.LSTMCell", {}}},
    {"torch.ao.nn.quantized.reference.modules.rnn.RNNCell", {"torch.ao.nn.quantized.dynamic.modules.rnn.RNNCell", {}}},
    {"torch.ao.nn.quantized.reference.modules.rnn.LSTM", {"torch.ao.nn.quantized.dynamic.modules.rnn.LSTM", {}}},
    {"torch.ao.nn.quantized.reference.modules.rnn.GRU", {"torch.ao.nn.quantized.dynamic.modules.rnn.GRU", {}}},
    {"torch.ao.nn.intrinsic.modules.fused.LinearReLU",
     {"torch.ao.nn.intrinsic.quantized.dynamic.modules.linear_relu.LinearReLU", kRefLinear}},
};

constexpr Entry kWeightOnly[] = {
    {"torch.ao.nn.quantized.reference.modules.sparse.Embedding",
     {"torch.ao.nn.quantized.modules.embedding_ops.Embedding", {}}},
    {"torch.ao.nn.quantized.reference.modules.sparse.EmbeddingBag",
     {"torch.ao.nn.quantized.modules.embedding_ops.EmbeddingBag", {}}},
};

constexpr Entry kSpecial[] = {
    {"torch.nn.modules.batchnorm.BatchNorm2d", {"torch.ao.nn.quantized.modules.batchnorm.BatchNorm2d", {}}},
    {"torch.nn.modules.batchnorm.BatchNorm3d", {"torch.ao.nn.quantized.modules.batchnorm.BatchNorm3d", {}}},
    {"torch.ao.nn.quantized.reference.modules.conv.ConvTranspose1d",
     {"torch.ao.nn.quantized.modules.conv.ConvTranspose1d", {}}},
    {"torch.ao.nn.quantized.reference.modules.conv.ConvTranspose2d",
     {"torch.ao.nn.quantized.modules.conv.ConvTranspose2d", {}}},
    {"torch.ao.nn.quantized.reference.modules.conv.ConvTranspose3d",
     {"torch.ao.nn.quantized.modules.conv.ConvTranspose3d", {}}},
    {"torch.nn.modules.activation.ELU", {"torch.ao.nn.quantized.modules.activation.ELU", {}}},
    {"torch.nn.modules.activation.LeakyReLU", {"torch.ao.nn.quantized.modules.activation.LeakyReLU", {}}},
    {"torch.nn.modules.activation.Hardswish", {"torch.ao.nn.quantized.modules.activation.Hardswish", {}}},
    {"torch.nn.modules.instancenorm.InstanceNorm1d",
     {"torch.ao.nn.quantized.modules.normalization.InstanceNorm1d", {}}},
    {"torch.nn.modules.instancenorm.InstanceNorm2d",
     {"torch.ao.nn.quantized.modules.normalization.InstanceNorm2d", {}}},
    {"torch.nn.modules.instancenorm.InstanceNorm3d",
     {"torch.ao.nn.quantized.modules.normalization.InstanceNorm3d", {}}},
    {"torch.nn.modules.normalization.LayerNorm", {"torch.ao.nn.quantized.modules.normalization.LayerNorm", {}}},
    {"torch.nn.modules.dropout.Dropout", {"torch.ao.nn.quantized.modules.dropout.Dropout", {}}},
    {"torch.nn.modules.activation.Softmax", {"torch.ao.nn.quantized.modules.activation.Softmax", {}}},
    {"torch.nn.modules.activation.PReLU", {"torch.ao.nn.quantized.modules.activation.PReLU", {}}},
    {"torch.ao.nn.intrinsic.modules.fused.BNReLU2d", {"torch.ao.nn.intrinsic.quantized.modules.bn_relu.BNReLU2d", {}}},
    {"torch.ao.nn.intrinsic.modules.fused.BNReLU3d", {"torch.ao.nn.intrinsic.quantized.modules.bn_relu.BNReLU3d", {}}},
};

const LoweredClass* find(std::span<const Entry> entries, std::string_view type) {
    const auto found =
        std::find_if(entries.begin(), entries.end(), [&](const Entry& each) { return each.from == type; });
    return found == entries.end() ? nullptr : &found->to;
}

} // namespace

const LoweredClass* staticClass(std::string_view type) { return find(kStatic, type); }
const LoweredClass* twoInputClass(std::string_view type) { return find(kTwoInput, type); }
const LoweredClass* dynamicClass(std::string_view type) { return find(kDynamic, type); }
const LoweredClass* weightOnlyClass(std::string_view type) { return find(kWeightOnly, type); }
const LoweredClass* specialClass(std::string_view type) { return find(kSpecial, type); }

} // namespace fx::quant
