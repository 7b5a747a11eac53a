// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/shapes/operation_kinds.h"

#include <algorithm>
#include <unordered_map>

namespace fx {
namespace {

using Kind = NodeCost::Kind;
constexpr double kTranscendental = 8; ///< exp, tanh, erf and the like by polynomials

constexpr OperationKind kFree{Kind::Free, 0}, kMemory{Kind::Memory, 0}, kSum{Kind::Reduction, 1, true},
    kCostly{Kind::Elementwise, kTranscendental};
constexpr OperationKind kNorm{Kind::Normalization, 5, true}, kPool{Kind::Pooling, 1, true},
    kSoftmax{Kind::Reduction, kTranscendental + 4, true};

const std::unordered_map<std::string_view, OperationKind>& operations() {
    static const std::unordered_map<std::string_view, OperationKind> kKnown = [] {
        std::unordered_map<std::string_view, OperationKind> out;
        const auto add = [&](OperationKind kind, std::initializer_list<std::string_view> names) {
            for (const std::string_view name : names) out.emplace(name, kind);
        };
        add(kFree, {"view",       "view_as",      "reshape",
                    "transpose",  "permute",      "t",
                    "T",          "getitem",      "getattr",
                    "size",       "shape",        "flatten",
                    "unflatten",  "squeeze",      "unsqueeze",
                    "expand",     "expand_as",    "chunk",
                    "split",      "unbind",       "select",
                    "slice",      "narrow",       "detach",
                    "alias",      "dim",          "numel",
                    "len",        "unfold",       "swapaxes",
                    "swapdims",   "movedim",      "identity",
                    "diagonal",   "real",         "imag",
                    "as_strided", "_unsafe_view", "split_with_sizes",
                    "mT",         "numpy_T",      "is_floating_point",
                    "adjoint"});
        add(kMemory, {"cat",
                      "stack",
                      "clone",
                      "contiguous",
                      "to",
                      "_to_copy",
                      "type",
                      "float",
                      "half",
                      "long",
                      "int",
                      "bool",
                      "double",
                      "bfloat16",
                      "copy",
                      "repeat",
                      "repeat_interleave",
                      "gather",
                      "index_select",
                      "index",
                      "scatter",
                      "embedding",
                      "pad",
                      "constant_pad_nd",
                      "roll",
                      "flip",
                      "tile",
                      "zeros",
                      "ones",
                      "empty",
                      "full",
                      "zeros_like",
                      "ones_like",
                      "arange",
                      "pixel_shuffle",
                      "pixel_unshuffle",
                      "channel_shuffle",
                      "masked_fill",
                      "where",
                      "tril",
                      "triu",
                      "setitem",
                      "one_hot",
                      "concat",
                      "concatenate",
                      "hstack",
                      "vstack",
                      "new_zeros",
                      "new_ones",
                      "full_like",
                      "index_put",
                      "scatter_add",
                      "type_as",
                      "dequantize"});
        add(kSum, {"sum", "mean", "max", "min", "amax", "amin", "argmax",  "argmin",    "prod",   "cumsum", "any",
                   "all", "norm", "var", "std", "topk", "sort", "argsort", "logsumexp", "median", "nonzero"});
        add(kCostly,
            {"exp", "log", "sigmoid", "tanh",       "gelu",  "silu",  "mish", "softplus", "elu",  "selu", "celu", "erf",
             "sin", "cos", "pow",     "logsigmoid", "log1p", "expm1", "tan",  "atan",     "sinh", "cosh", "atan2"});
        add(kNorm,
            {"batch_norm", "layer_norm", "native_layer_norm", "native_batch_norm", "group_norm", "native_group_norm",
             "instance_norm", "local_response_norm", "rms_norm", "normalize", "_native_batch_norm_legit_no_training"});
        add(kPool,
            {"adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d",
             "adaptive_max_pool2d", "adaptive_max_pool3d", "max_pool1d", "max_pool2d", "max_pool3d", "avg_pool1d",
             "avg_pool2d", "avg_pool3d", "lp_pool1d", "lp_pool2d", "max_pool2d_with_indices", "mean_pool"});
        add(kSoftmax, {"softmax", "log_softmax", "_softmax", "_log_softmax", "softmin", "cross_entropy", "nll_loss"});
        add({Kind::Elementwise, 4},
            {"interpolate", "upsample", "upsample_bilinear2d", "upsample_nearest2d", "grid_sample"});
        add({Kind::Elementwise, 3},
            {"hardswish", "hardsigmoid", "addcmul", "lerp", "sqrt", "rsqrt", "hardtanh", "clamp", "relu6"});
        return out;
    }();
    return kKnown;
}

bool isDigits(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

} // namespace

std::string operationName(std::string_view target) {
    if (target.starts_with("torch.ops.")) { // namespace, name, overload
        target.remove_prefix(10);
        target.remove_prefix(std::min(target.find('.') + 1, target.size()));
        target = target.substr(0, target.find('.'));
    } else if (const auto dot = target.rfind('.'); dot != target.npos) {
        target.remove_prefix(dot + 1);
    }
    if (target.ends_with('_') && !target.ends_with("__")) target.remove_suffix(1);
    return std::string(target);
}

OperationKind operationKind(std::string_view name) {
    const auto found = operations().find(name);
    return found == operations().end() ? OperationKind{} : found->second;
}

OperationKind moduleKind(std::string_view type) {
    const auto has = [&](std::string_view part) { return type.find(part) != type.npos; };
    while (!type.empty() && (type.back() == 'd') && type.size() > 1 && isDigits(type.substr(type.size() - 2, 1)))
        type.remove_suffix(2); // BatchNorm2d
    if (type == "Identity" || type.starts_with("Dropout") || type == "Flatten" || type == "Unflatten" ||
        type == "AlphaDropout")
        return kFree;
    if (has("Norm")) return kNorm;
    if (has("Pool")) return kPool;
    if (has("Embedding") || has("Pad") || has("Pixel") || type == "ChannelShuffle" || type == "Fold" ||
        type == "Unfold")
        return kMemory;
    if (has("Softmax") || has("Softmin") || has("Loss")) return kSoftmax;
    if (has("Upsampl")) return {Kind::Elementwise, 4};
    if (type == "ReLU" || type == "LeakyReLU" || type == "PReLU" || type == "Threshold") return {};
    return has("ELU") || has("GELU") || has("Sigmoid") || has("Tanh") || has("SiLU") || type == "Mish" ||
                   type == "Softplus"
               ? kCostly
               : OperationKind{Kind::Elementwise, 3};
}

} // namespace fx
