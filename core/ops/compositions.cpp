// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/compositions.h"

#include "core/ops/nn_modules.h"
#include "core/ops/python_functions.h"

#include <algorithm>
#include <map>
#include <string>

namespace fx::ops {
namespace {

/// The expressions of PyTorch's forward in terms of a ModuleCall: `$0` of an input, `eps` of `self.eps`.
std::string wordOf(std::string_view expression, const std::vector<Parameter>& inputs) {
    constexpr std::string_view kSelf = "self.";
    for (std::size_t i = 0; i < inputs.size(); ++i)
        if (inputs[i].name == expression) return "$" + std::to_string(i);
    std::string word(expression);
    if (const std::size_t at = word.find(kSelf); at != word.npos) word.erase(at, kSelf.size());
    return word;
}

/// "torch._C._nn.linear" of "F.linear", "torch.flatten" of "input.flatten".
std::string functionOf(std::string_view callee) {
    const std::string_view name = callee.substr(callee.find('.') + 1);
    if (!callee.starts_with("F.")) return "torch." + std::string(name);
    const auto function = findFunction("torch.nn.functional." + std::string(name));
    return std::string(function ? function->qualifiedName() : callee);
}

/// The call that ends a forward; empty if it returns what it was given.
std::string compositionOf(const NnModule& type) {
    constexpr std::string_view kReturn = "return ";
    std::string_view call = type.forwardText();
    call.remove_prefix(std::min(call.size(), call.rfind(kReturn) + kReturn.size()));
    const std::size_t open = call.find('('), dot = call.find('.');
    if (open == call.npos || dot > open) return {};
    const std::vector<Parameter> inputs = type.forwardParameters();
    std::string out = functionOf(call.substr(0, open)) + "(";
    const auto add = [&](const std::string& word) { out += (out.back() == '(' ? "" : ", ") + word; };
    if (const std::string word = wordOf(call.substr(0, dot), inputs); word.front() == '$') add(word); // `input.flatten`
    for (const CallArgument& argument : parseCallArguments(call.substr(open + 1, call.size() - open - 2))) {
        if (argument.keyword == "_stacklevel") continue; // of a warning
        const std::string keyword(argument.keyword);
        add((keyword.empty() ? "" : keyword + "=") + wordOf(argument.expression, inputs));
    }
    return out + ")";
}

const std::map<std::string_view, std::string>& modules() {
    static const std::map<std::string_view, std::string> kTable = [] {
        std::map<std::string_view, std::string> table;
        for (std::uint32_t row = 0; row < moduleCount(); ++row)
            if (std::string composition = compositionOf(moduleAt(row)); !composition.empty())
                table.emplace(moduleAt(row).name(), std::move(composition));
        return table;
    }();
    return kTable;
}

// Functions that are one call of another one. What takes more than that is in core/engine.
const std::map<std::string_view, const char*>& functions() {
    static const std::map<std::string_view, const char*> kTable = {
        {"relu", "torch.relu!(input)"},
        {"relu6", "torch._C._nn.relu6!(input)"},
        {"hardtanh", "torch._C._nn.hardtanh!(input, min_val, max_val)"},
        {"elu", "torch._C._nn.elu!(input, alpha)"},
        {"selu", "torch.selu!(input)"},
        {"celu", "torch.celu!(input, alpha)"},
        {"leaky_relu", "torch._C._nn.leaky_relu!(input, negative_slope)"},
        {"rrelu", "torch.rrelu!(input, lower, upper, training)"},
        {"_threshold", "torch.threshold!(input, threshold, value)"},
        {"threshold", "torch.threshold!(input, threshold, value)"},
        {"glu", "torch._C._nn.glu(input, dim)"},
        {"hardsigmoid", "torch._C._nn.hardsigmoid!(input)"},
        {"hardswish", "torch._C._nn.hardswish!(input)"},
        {"silu", "torch._C._nn.silu!(input)"},
        {"mish", "torch._C._nn.mish!(input)"},
        {"tanh", "torch.tanh(input)"},
        {"sigmoid", "torch.sigmoid(input)"},
        {"dropout", "torch.dropout!(input, p, training)"},
        {"alpha_dropout", "torch.alpha_dropout!(input, p, training)"},
        {"feature_alpha_dropout", "torch.feature_alpha_dropout!(input, p, training)"},
        {"dropout2d", "torch.feature_dropout!(input, p, training)"},
        {"batch_norm",
         "torch.batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, True)"},
        {"instance_norm",
         "torch.instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, True)"},
        {"layer_norm", "torch.layer_norm(input, normalized_shape, weight, bias, eps, True)"},
        {"rms_norm", "torch.rms_norm(input, normalized_shape, weight, eps)"},
        {"group_norm", "torch.group_norm(input, num_groups, weight, bias, eps, True)"},
        {"_max_pool1d", "torch.max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode)"},
        {"_max_pool2d", "torch.max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode)"},
        {"_max_pool3d", "torch.max_pool3d(input, kernel_size, stride, padding, dilation, ceil_mode)"},
        {"_adaptive_max_pool1d", "torch.nn.functional.adaptive_max_pool1d_with_indices(input, output_size)[0]"},
        {"_adaptive_max_pool2d", "torch.nn.functional.adaptive_max_pool2d_with_indices(input, output_size)[0]"},
        {"_adaptive_max_pool3d", "torch.nn.functional.adaptive_max_pool3d_with_indices(input, output_size)[0]"},
        {"adaptive_max_pool1d_with_indices", "torch.adaptive_max_pool1d(input, output_size)"},
        {"_fractional_max_pool2d", "torch.nn.functional.fractional_max_pool2d_with_indices(input, kernel_size, "
                                   "output_size, output_ratio, _random_samples=_random_samples)[0]"},
        {"_fractional_max_pool3d", "torch.nn.functional.fractional_max_pool3d_with_indices(input, kernel_size, "
                                   "output_size, output_ratio, _random_samples=_random_samples)[0]"},
        {"max_pool1d_with_indices",
         "torch.max_pool1d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)"},
        {"max_pool2d_with_indices",
         "torch._C._nn.max_pool2d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)"},
        {"max_pool3d_with_indices",
         "torch._C._nn.max_pool3d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)"},
        {"unfold", "torch._C._nn.im2col(input, kernel_size, dilation, padding, stride)"},
        {"fold", "torch._C._nn.col2im(input, output_size, kernel_size, dilation, padding, stride)"},
        {"pad", "torch._C._nn.pad(input, pad, mode, value)"},
        {"grouped_mm", "torch._grouped_mm(mat_a, mat_b, offs=offs, bias=bias, out_dtype=out_dtype)"},
        {"ctc_loss",
         "torch.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, @reduction, zero_infinity)"},
        {"nll_loss", "torch._C._nn.nll_loss_nd(input, target, weight, @reduction, ignore_index)"},
        {"cross_entropy",
         "torch._C._nn.cross_entropy_loss(input, target, weight, @reduction, ignore_index, label_smoothing)"},
        {"binary_cross_entropy_with_logits",
         "torch.binary_cross_entropy_with_logits(input, target, weight, pos_weight, @reduction)"},
        {"poisson_nll_loss", "torch.poisson_nll_loss(input, target, log_input, full, eps, @reduction)"},
        {"margin_ranking_loss", "torch.margin_ranking_loss(input1, input2, target, margin, @reduction)"},
        {"hinge_embedding_loss", "torch.hinge_embedding_loss(input, target, margin, @reduction)"},
        {"multilabel_margin_loss", "torch._C._nn.multilabel_margin_loss(input, target, @reduction)"},
        {"soft_margin_loss", "torch._C._nn.soft_margin_loss(input, target, @reduction)"},
        {"cosine_embedding_loss", "torch.cosine_embedding_loss(input1, input2, target, margin, @reduction)"},
        {"multi_margin_loss", "torch._C._nn.multi_margin_loss(input, target, p, margin, weight, @reduction)"},
        {"triplet_margin_loss",
         "torch.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, @reduction)"},
        {"upsample", "torch.nn.functional.interpolate(input, size, scale_factor, mode, align_corners)"},
        {"upsample_nearest", "torch.nn.functional.interpolate(input, size, scale_factor, 'nearest')"},
        {"upsample_bilinear", "torch.nn.functional.interpolate(input, size, scale_factor, 'bilinear', True)"},
    };
    return kTable;
}

const char* found(const std::map<std::string_view, const char*>& table, std::string_view name) {
    const auto entry = table.find(name);
    return entry == table.end() ? nullptr : entry->second;
}

} // namespace

const char* moduleComposition(std::string_view className) {
    const auto entry = modules().find(className);
    return entry == modules().end() ? nullptr : entry->second.c_str();
}
const char* functionComposition(std::string_view name) { return found(functions(), name); }

const char* quantizedComposition(std::string_view className) {
    static const std::map<std::string_view, const char*> kTable = {
        {"Linear", "torch.ops.quantized.linear.default($0, packed, scale, zero_point)"},
        {"LinearReLU", "torch.ops.quantized.linear_relu.default($0, packed, scale, zero_point)"},
        {"LinearTanh", "torch.ops.quantized.linear_tanh.default($0, packed, scale, zero_point)"},
        {"LinearLeakyReLU",
         "torch.ops.quantized.linear_leaky_relu.default($0, packed, scale, zero_point, negative_slope)"},
        {"Conv1d", "torch.ops.quantized.conv1d.default(padded, packed, scale, zero_point)"},
        {"Conv2d", "torch.ops.quantized.conv2d.new(padded, packed, scale, zero_point)"},
        {"Conv3d", "torch.ops.quantized.conv3d.new(padded, packed, scale, zero_point)"},
        {"ConvReLU1d", "torch.ops.quantized.conv1d_relu.default(padded, packed, scale, zero_point)"},
        {"ConvReLU2d", "torch.ops.quantized.conv2d_relu.new(padded, packed, scale, zero_point)"},
        {"ConvReLU3d", "torch.ops.quantized.conv3d_relu.new(padded, packed, scale, zero_point)"},
        {"ConvAdd2d", "torch.ops.quantized.conv2d_add.default(padded, $1, packed, scale, zero_point)"},
        {"ConvAddReLU2d", "torch.ops.quantized.conv2d_add_relu.default(padded, $1, packed, scale, zero_point)"},
        {"ConvTranspose1d", "torch.ops.quantized.conv_transpose1d.default(padded, packed, scale, zero_point)"},
        {"ConvTranspose2d", "torch.ops.quantized.conv_transpose2d.default(padded, packed, scale, zero_point)"},
        {"ConvTranspose3d", "torch.ops.quantized.conv_transpose3d.default(padded, packed, scale, zero_point)"},
        {"Quantize", "torch.quantize_per_tensor($0, scale, zero_point, dtype)"},
        {"DeQuantize", "torch.dequantize($0)"},
        {"ReLU6", "torch.ops.quantized.relu6($0, inplace)"},
        {"Hardswish", "torch.ops.quantized.hardswish($0, scale, zero_point)"},
        {"ELU", "torch.ops.quantized.elu($0, scale, zero_point, alpha)"},
        {"LeakyReLU", "torch.ops.quantized.leaky_relu($0, negative_slope, inplace, scale, zero_point)"},
        {"Sigmoid", "torch.ops.quantized.sigmoid($0, output_scale, output_zero_point)"},
        {"PReLU", "torch.ops.quantized.prelu($0, weight, scale, zero_point)"},
        {"BatchNorm2d",
         "torch.ops.quantized.batch_norm2d($0, weight, bias, running_mean, running_var, eps, scale, zero_point)"},
        {"BatchNorm3d",
         "torch.ops.quantized.batch_norm3d($0, weight, bias, running_mean, running_var, eps, scale, zero_point)"},
        {"BNReLU2d",
         "torch.ops.quantized.batch_norm2d_relu($0, weight, bias, running_mean, running_var, eps, scale, zero_point)"},
        {"BNReLU3d",
         "torch.ops.quantized.batch_norm3d_relu($0, weight, bias, running_mean, running_var, eps, scale, zero_point)"},
        {"LayerNorm", "torch.ops.quantized.layer_norm($0, normalized_shape, weight, bias, eps, scale, zero_point)"},
        {"GroupNorm", "torch.ops.quantized.group_norm($0, num_groups, weight, bias, eps, scale, zero_point)"},
        {"InstanceNorm1d", "torch.ops.quantized.instance_norm($0, weight, bias, eps, scale, zero_point)"},
        {"InstanceNorm2d", "torch.ops.quantized.instance_norm($0, weight, bias, eps, scale, zero_point)"},
        {"InstanceNorm3d", "torch.ops.quantized.instance_norm($0, weight, bias, eps, scale, zero_point)"},
    };
    return found(kTable, className);
}

} // namespace fx::ops
