// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/bound_call.h"
#include "core/engine/dispatch.h"
#include "core/engine/functional_forms.h"

#include <cmath>
#include <map>

namespace fx::engine {
namespace {

// Functions that are one call of another one. What takes more than that is in functional_forms.cpp.
const std::map<std::string_view, const char*>& compositions() {
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

} // namespace

bool callFunctional(std::string_view qualifiedName, const Arguments& arguments, Value& result) {
    constexpr std::string_view kPrefix = "torch.nn.functional.";
    if (!qualifiedName.starts_with(kPrefix)) return false;
    const std::string_view name = qualifiedName.substr(kPrefix.size());
    if (const auto found = compositions().find(name); found != compositions().end()) {
        result = runComposition(found->second, BoundCall(qualifiedName, arguments));
        return true;
    }
    const FunctionalForm form = functionalForm(name);
    if (!name.starts_with("max_pool")) dependsOnMore() = dependsOnMore() || form;
    if (form) result = form(BoundCall(qualifiedName, arguments));
    return form != nullptr;
}

} // namespace fx::engine
