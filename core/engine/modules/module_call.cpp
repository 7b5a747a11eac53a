// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/modules/module_call.h"

#include "core/engine/dispatch.h"
#include "core/engine/modules/script_block.h"
#include "core/io/torchscript/torchscript.h"

#include <charconv>
#include <map>
#include <unordered_map>

namespace fx::engine {
namespace {

// Modules whose forward is one call: `$0` is the input, words are attributes of the module.
const std::map<std::string_view, const char*>& compositions() {
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

} // namespace

ModuleCall::ModuleCall(const Module& module, TensorStore& tensors, const Arguments& arguments)
    : m_module(module), m_tensors(tensors), m_arguments(arguments) {}

/// What modules with more than one input call them; empty for others, whose only input has one meaning.
static std::vector<std::string_view> inputNames(const std::string& className) {
    static const std::unordered_map<std::string_view, std::vector<std::string_view>> kTable = {
        {"EmbeddingBag", {"input", "offsets", "per_sample_weights"}},
        {"CosineSimilarity", {"x1", "x2"}},
        {"PairwiseDistance", {"x1", "x2"}},
        {"Bilinear", {"input1", "input2"}},
        {"PoissonNLLLoss", {"log_input", "target"}},
        {"GaussianNLLLoss", {"input", "target", "var"}},
        {"MarginRankingLoss", {"input1", "input2", "target"}},
        {"CosineEmbeddingLoss", {"input1", "input2", "target"}},
        {"TripletMarginLoss", {"anchor", "positive", "negative"}},
        {"TripletMarginWithDistanceLoss", {"anchor", "positive", "negative"}},
        {"CTCLoss", {"log_probs", "targets", "input_lengths", "target_lengths"}},
        {"MaxUnpool1d", {"input", "indices"}},
        {"MaxUnpool2d", {"input", "indices"}},
        {"MaxUnpool3d", {"input", "indices"}},
    };
    if (const auto found = kTable.find(className); found != kTable.end()) return found->second;
    if (className.ends_with("Loss")) return {"input", "target"};
    return {};
}

Value ModuleCall::input(std::size_t index, std::string_view name) const {
    if (index < m_arguments.positional.size()) return m_arguments.positional[index];
    if (name.empty() && !m_arguments.named.empty())
        if (const auto names = inputNames(m_module.className); !names.empty()) {
            const Value* value = index < names.size() ? m_arguments.find(names[index]) : nullptr;
            return value ? *value : Value();
        }
    if (const Value* value = name.empty() ? nullptr : m_arguments.find(name)) return *value;
    // Keyword inputs of modules with one meaning for each: in their order.
    const std::size_t named = index - m_arguments.positional.size();
    return name.empty() && named < m_arguments.named.size() ? m_arguments.named[named].second : Value();
}

bool ModuleCall::has(std::string_view name) const {
    return name == "training" || m_module.parameter(name) || m_module.buffer(name) || m_module.attribute(name);
}

Value ModuleCall::operator[](std::string_view name) const {
    if (name.front() == '$') {
        std::size_t index = 0;
        std::from_chars(name.data() + 1, name.data() + name.size(), index);
        return input(index);
    }
    if (name == "training") return m_module.training;
    if (const Module::Slot* slot = m_module.parameter(name)) return m_tensors.value(slot->tensor);
    if (const Module::Slot* slot = m_module.buffer(name)) return m_tensors.value(slot->tensor);
    if (const auto* attribute = m_module.attribute(name)) {
        if (const auto* tensor = std::get_if<TensorPtr>(attribute)) return m_tensors.value(*tensor);
        return toValue(std::get<Argument>(*attribute), [](NodeId) { return Value(); });
    }
    throw runError(Message("engine.module_attribute", {{"class", m_module.qualifiedType()}, {"name", name}}));
}

const Module& ModuleCall::childModule(std::string_view name) const {
    if (const Module* child = m_module.child(name)) return *child;
    throw runError(Message("engine.module_child", {{"class", m_module.qualifiedType()}, {"name", name}}));
}

Value ModuleCall::child(std::string_view name, Values inputs) const {
    return callModule(childModule(name), m_tensors, Arguments{std::move(inputs), {}});
}

/// What torch.ao fuses is a Sequential by another name; those that add take two inputs and have a forward of their own.
static bool isFusedSequential(const Module& module) {
    return module.classModule == "torch.ao.nn.intrinsic.modules.fused" &&
           module.className.find("Add") == std::string::npos;
}

Value callModule(const Module& module, TensorStore& tensors, const Arguments& arguments) {
    const ModuleCall call(module, tensors, arguments);
    if (module.classModule.starts_with("torch.nn.modules.") || module.classModule == "torch.nn") {
        if (const auto found = compositions().find(module.className); found != compositions().end())
            return runComposition(found->second, call);
        for (const auto find : {moduleForm, recurrentForm, transformerForm})
            if (const ModuleForm form = find(module.className)) {
                const bool plain = module.className.starts_with("Conv") ||
                                   (module.className.starts_with("BatchNorm") && !module.training);
                dependsOnMore() = dependsOnMore() || !plain;
                return form(call);
            }
        if (module.className.starts_with("Lazy"))
            throw runError(Message("engine.lazy_module",
                                   {{"class", module.qualifiedType()}, {"plain", module.className.substr(4)}}));
    }
    if (script::isScriptBlock(module)) {
        dependsOnMore() = true;
        return callScriptBlock(module, arguments);
    }
    if (isFusedSequential(module)) return moduleForm("Sequential")(call);
    throw runError(Message("engine.module_class", {{"class", module.qualifiedType()}}));
}

} // namespace fx::engine
