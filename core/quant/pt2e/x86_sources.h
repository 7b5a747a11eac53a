// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/pt2e/source_partitions.h"

/// The sources that X86InductorQuantizer searches for, and its sets of operators.
namespace fx::quant::pt2e::x86 {

/// The modules and functions whose patterns are annotated.
inline const SourceKind kConv1d{"Conv1d", {"torch.nn.modules.conv.Conv1d"}, {}};
inline const SourceKind kConv2d{"Conv2d", {"torch.nn.modules.conv.Conv2d"}, {}};
inline const SourceKind kBatchNorm2d{"BatchNorm2d", {"torch.nn.modules.batchnorm.BatchNorm2d"}, {}};
inline const SourceKind kLinear{"Linear", {"torch.nn.modules.linear.Linear"}, {}};
inline const SourceKind kAdd{"add", {}, {"add", "add_"}};
inline const SourceKind kReLU{"ReLU", {"torch.nn.modules.activation.ReLU"}, {}};
inline const SourceKind kHardtanh{"Hardtanh", {"torch.nn.modules.activation.Hardtanh"}, {}};
inline const SourceKind kHardswish{"Hardswish", {"torch.nn.modules.activation.Hardswish"}, {}};
inline const SourceKind kReLU6{"ReLU6", {"torch.nn.modules.activation.ReLU6"}, {}};
inline const SourceKind kSiLU{"SiLU", {"torch.nn.modules.activation.SiLU"}, {}};
inline const SourceKind kLeakyReLU{"LeakyReLU", {"torch.nn.modules.activation.LeakyReLU"}, {}};
inline const SourceKind kTanh{"Tanh", {"torch.nn.modules.activation.Tanh"}, {}};
inline const SourceKind kGELU{"GELU", {"torch.nn.modules.activation.GELU"}, {}};

/// The operators that are annotated by target.
inline constexpr const char* kConv1dOp = "torch.ops.aten.conv1d.default";
inline constexpr const char* kConv2dOp = "torch.ops.aten.conv2d.default";
inline constexpr const char* kLinearOp = "torch.ops.aten.linear.default";
inline constexpr const char* kMatmulOp = "torch.ops.aten.matmul.default";
inline constexpr const char* kMulOp = "torch.ops.aten.mul.Tensor";
inline constexpr const char* kMaxPoolOp = "torch.ops.aten.max_pool2d.default";
inline constexpr const char* kCatOp = "torch.ops.aten.cat.default";
inline constexpr const char* kFlattenOp = "torch.ops.aten.flatten.using_ints";

/// True for torchao's `int8_in_int8_out_ops`: they return int8 for int8.
bool passesInt8(std::string_view target);
/// True for torchao's `default_quantizable_ops`: the operators that a global configuration applies to.
bool isQuantisedByDefault(std::string_view target);
/// True for torchao's `quantizable_ops`.
bool isQuantisable(std::string_view target);

} // namespace fx::quant::pt2e::x86
