// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/compositions.h"

#include <map>

namespace fx::ops {
namespace {

// Modules whose forward is one call: `$0` is the input, words are attributes of the module.
const std::map<std::string_view, const char*>& modules() {
    static const std::map<std::string_view, const char*> kTable = {
        {"Linear", "torch._C._nn.linear($0, weight, bias)"},
        {"NonDynamicallyQuantizableLinear", "torch._C._nn.linear($0, weight, bias)"},
        {"Bilinear", "torch.bilinear($0, $1, weight, bias)"},
        {"LayerNorm", "torch.nn.functional.layer_norm($0, normalized_shape, weight, bias, eps)"},
        {"GroupNorm", "torch.nn.functional.group_norm($0, num_groups, weight, bias, eps)"},
        {"RMSNorm", "torch.nn.functional.rms_norm($0, normalized_shape, weight, eps)"},
        {"LocalResponseNorm", "torch.nn.functional.local_response_norm($0, size, alpha, beta, k)"},
        {"ReLU", "torch.nn.functional.relu($0, inplace)"},
        {"ReLU6", "torch.nn.functional.hardtanh($0, min_val, max_val, inplace)"},
        {"Hardtanh", "torch.nn.functional.hardtanh($0, min_val, max_val, inplace)"},
        {"RReLU", "torch.nn.functional.rrelu($0, lower, upper, training, inplace)"},
        {"Sigmoid", "torch.sigmoid($0)"},
        {"Hardsigmoid", "torch.nn.functional.hardsigmoid($0, inplace)"},
        {"Tanh", "torch.tanh($0)"},
        {"SiLU", "torch.nn.functional.silu($0, inplace)"},
        {"Mish", "torch.nn.functional.mish($0, inplace)"},
        {"Hardswish", "torch.nn.functional.hardswish($0, inplace)"},
        {"ELU", "torch.nn.functional.elu($0, alpha, inplace)"},
        {"CELU", "torch.nn.functional.celu($0, alpha, inplace)"},
        {"SELU", "torch.nn.functional.selu($0, inplace)"},
        {"GLU", "torch.nn.functional.glu($0, dim)"},
        {"GELU", "torch._C._nn.gelu($0, approximate=approximate)"},
        {"Hardshrink", "torch.hardshrink($0, lambd)"},
        {"LeakyReLU", "torch.nn.functional.leaky_relu($0, negative_slope, inplace)"},
        {"LogSigmoid", "torch._C._nn.log_sigmoid($0)"},
        {"Softplus", "torch._C._nn.softplus($0, beta, threshold)"},
        {"Softshrink", "torch._C._nn.softshrink($0, lambd)"},
        {"PReLU", "torch.prelu($0, weight)"},
        {"Softsign", "torch.nn.functional.softsign($0)"},
        {"Tanhshrink", "torch.nn.functional.tanhshrink($0)"},
        {"Softmin", "torch.nn.functional.softmin($0, dim)"},
        {"Softmax", "torch.nn.functional.softmax($0, dim)"},
        {"Softmax2d", "torch.nn.functional.softmax($0, -3)"},
        {"LogSoftmax", "torch.nn.functional.log_softmax($0, dim)"},
        {"Threshold", "torch.threshold!($0, threshold, value)"},
        {"Dropout", "torch.nn.functional.dropout($0, p, training, inplace)"},
        {"Dropout1d", "torch.nn.functional.dropout1d($0, p, training, inplace)"},
        {"Dropout2d", "torch.nn.functional.dropout2d($0, p, training, inplace)"},
        {"Dropout3d", "torch.nn.functional.dropout3d($0, p, training, inplace)"},
        {"AlphaDropout", "torch.nn.functional.alpha_dropout($0, p, training)"},
        {"FeatureAlphaDropout", "torch.nn.functional.feature_alpha_dropout($0, p, training)"},
        {"MaxPool1d", "torch.nn.functional.max_pool1d($0, kernel_size, stride, padding, dilation, ceil_mode=ceil_mode, "
                      "return_indices=return_indices)"},
        {"MaxPool2d", "torch.nn.functional.max_pool2d($0, kernel_size, stride, padding, dilation, ceil_mode=ceil_mode, "
                      "return_indices=return_indices)"},
        {"MaxPool3d", "torch.nn.functional.max_pool3d($0, kernel_size, stride, padding, dilation, ceil_mode=ceil_mode, "
                      "return_indices=return_indices)"},
        {"MaxUnpool1d", "torch.nn.functional.max_unpool1d($0, $1, kernel_size, stride, padding, $2)"},
        {"MaxUnpool2d", "torch.nn.functional.max_unpool2d($0, $1, kernel_size, stride, padding, $2)"},
        {"MaxUnpool3d", "torch.nn.functional.max_unpool3d($0, $1, kernel_size, stride, padding, $2)"},
        {"AvgPool1d", "torch.avg_pool1d($0, kernel_size, stride, padding, ceil_mode, count_include_pad)"},
        {"AvgPool2d",
         "torch._C._nn.avg_pool2d($0, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)"},
        {"AvgPool3d",
         "torch._C._nn.avg_pool3d($0, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)"},
        {"FractionalMaxPool2d", "torch.nn.functional.fractional_max_pool2d($0, kernel_size, output_size, output_ratio, "
                                "return_indices, _random_samples)"},
        {"FractionalMaxPool3d", "torch.nn.functional.fractional_max_pool3d($0, kernel_size, output_size, output_ratio, "
                                "return_indices, _random_samples)"},
        {"LPPool1d", "torch.nn.functional.lp_pool1d($0, norm_type, kernel_size, stride, ceil_mode)"},
        {"LPPool2d", "torch.nn.functional.lp_pool2d($0, norm_type, kernel_size, stride, ceil_mode)"},
        {"LPPool3d", "torch.nn.functional.lp_pool3d($0, norm_type, kernel_size, stride, ceil_mode)"},
        {"AdaptiveMaxPool1d", "torch.nn.functional.adaptive_max_pool1d($0, output_size, return_indices)"},
        {"AdaptiveMaxPool2d", "torch.nn.functional.adaptive_max_pool2d($0, output_size, return_indices)"},
        {"AdaptiveMaxPool3d", "torch.nn.functional.adaptive_max_pool3d($0, output_size, return_indices)"},
        {"AdaptiveAvgPool1d", "torch.adaptive_avg_pool1d($0, output_size)"},
        {"AdaptiveAvgPool2d", "torch.nn.functional.adaptive_avg_pool2d($0, output_size)"},
        {"AdaptiveAvgPool3d", "torch.nn.functional.adaptive_avg_pool3d($0, output_size)"},
        {"ConstantPad1d", "torch._C._nn.pad($0, padding, 'constant', value)"},
        {"ConstantPad2d", "torch._C._nn.pad($0, padding, 'constant', value)"},
        {"ConstantPad3d", "torch._C._nn.pad($0, padding, 'constant', value)"},
        {"ZeroPad1d", "torch._C._nn.pad($0, padding, 'constant', value)"},
        {"ZeroPad2d", "torch._C._nn.pad($0, padding, 'constant', value)"},
        {"ZeroPad3d", "torch._C._nn.pad($0, padding, 'constant', value)"},
        {"ReflectionPad1d", "torch._C._nn.pad($0, padding, 'reflect')"},
        {"ReflectionPad2d", "torch._C._nn.pad($0, padding, 'reflect')"},
        {"ReflectionPad3d", "torch._C._nn.pad($0, padding, 'reflect')"},
        {"ReplicationPad1d", "torch._C._nn.pad($0, padding, 'replicate')"},
        {"ReplicationPad2d", "torch._C._nn.pad($0, padding, 'replicate')"},
        {"ReplicationPad3d", "torch._C._nn.pad($0, padding, 'replicate')"},
        {"CircularPad1d", "torch._C._nn.pad($0, padding, 'circular')"},
        {"CircularPad2d", "torch._C._nn.pad($0, padding, 'circular')"},
        {"CircularPad3d", "torch._C._nn.pad($0, padding, 'circular')"},
        {"Flatten", "torch.flatten($0, start_dim, end_dim)"},
        {"Fold", "torch.nn.functional.fold($0, output_size, kernel_size, dilation, padding, stride)"},
        {"Unfold", "torch.nn.functional.unfold($0, kernel_size, dilation, padding, stride)"},
        {"PixelShuffle", "torch.pixel_shuffle($0, upscale_factor)"},
        {"PixelUnshuffle", "torch.pixel_unshuffle($0, downscale_factor)"},
        {"ChannelShuffle", "torch.channel_shuffle($0, groups)"},
        {"Upsample", "torch.nn.functional.interpolate($0, size, scale_factor, mode, align_corners, "
                     "recompute_scale_factor=recompute_scale_factor)"},
        {"UpsamplingNearest2d", "torch.nn.functional.interpolate($0, size, scale_factor, mode, align_corners, "
                                "recompute_scale_factor=recompute_scale_factor)"},
        {"UpsamplingBilinear2d", "torch.nn.functional.interpolate($0, size, scale_factor, mode, align_corners, "
                                 "recompute_scale_factor=recompute_scale_factor)"},
        {"CosineSimilarity", "torch.cosine_similarity($0, $1, dim, eps)"},
        {"PairwiseDistance", "torch.pairwise_distance($0, $1, norm, eps, keepdim)"},
        {"Embedding",
         "torch.nn.functional.embedding($0, weight, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse)"},
        {"EmbeddingBag", "torch.nn.functional.embedding_bag($0, weight, $1, max_norm, norm_type, scale_grad_by_freq, "
                         "mode, sparse, $2, include_last_offset, padding_idx)"},
        {"L1Loss", "torch.nn.functional.l1_loss($0, $1, reduction=reduction)"},
        {"MSELoss", "torch.nn.functional.mse_loss($0, $1, reduction=reduction)"},
        {"SmoothL1Loss", "torch.nn.functional.smooth_l1_loss($0, $1, reduction=reduction, beta=beta)"},
        {"HuberLoss", "torch.nn.functional.huber_loss($0, $1, reduction=reduction, delta=delta)"},
        {"NLLLoss",
         "torch.nn.functional.nll_loss($0, $1, weight=weight, ignore_index=ignore_index, reduction=reduction)"},
        {"CrossEntropyLoss", "torch.nn.functional.cross_entropy($0, $1, weight=weight, ignore_index=ignore_index, "
                             "reduction=reduction, label_smoothing=label_smoothing)"},
        {"BCELoss", "torch.nn.functional.binary_cross_entropy($0, $1, weight=weight, reduction=reduction)"},
        {"BCEWithLogitsLoss", "torch.nn.functional.binary_cross_entropy_with_logits($0, $1, weight, "
                              "pos_weight=pos_weight, reduction=reduction)"},
        {"KLDivLoss", "torch.nn.functional.kl_div($0, $1, reduction=reduction, log_target=log_target)"},
        {"PoissonNLLLoss",
         "torch.nn.functional.poisson_nll_loss($0, $1, log_input=log_input, full=full, eps=eps, reduction=reduction)"},
        {"GaussianNLLLoss",
         "torch.nn.functional.gaussian_nll_loss($0, $1, $2, full=full, eps=eps, reduction=reduction)"},
        {"MarginRankingLoss",
         "torch.nn.functional.margin_ranking_loss($0, $1, $2, margin=margin, reduction=reduction)"},
        {"HingeEmbeddingLoss", "torch.nn.functional.hinge_embedding_loss($0, $1, margin=margin, reduction=reduction)"},
        {"MultiLabelMarginLoss", "torch.nn.functional.multilabel_margin_loss($0, $1, reduction=reduction)"},
        {"SoftMarginLoss", "torch.nn.functional.soft_margin_loss($0, $1, reduction=reduction)"},
        {"MultiLabelSoftMarginLoss",
         "torch.nn.functional.multilabel_soft_margin_loss($0, $1, weight=weight, reduction=reduction)"},
        {"CosineEmbeddingLoss",
         "torch.nn.functional.cosine_embedding_loss($0, $1, $2, margin=margin, reduction=reduction)"},
        {"MultiMarginLoss",
         "torch.nn.functional.multi_margin_loss($0, $1, p=p, margin=margin, weight=weight, reduction=reduction)"},
        {"TripletMarginLoss", "torch.nn.functional.triplet_margin_loss($0, $1, $2, margin=margin, p=p, eps=eps, "
                              "swap=swap, reduction=reduction)"},
        {"CTCLoss", "torch.nn.functional.ctc_loss($0, $1, $2, $3, blank, reduction, zero_infinity)"},
    };
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

const char* moduleComposition(std::string_view className) { return found(modules(), className); }
const char* functionComposition(std::string_view name) { return found(functions(), name); }

const char* quantizedComposition(std::string_view className) {
    static const std::map<std::string_view, const char*> kTable = {
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
    const auto found = kTable.find(className);
    return found == kTable.end() ? nullptr : found->second;
}

} // namespace fx::ops
