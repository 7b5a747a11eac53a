// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/semantics.h"

#include <unordered_map>
#include <unordered_set>

namespace fx::ops {
namespace {

using Kind = CostClass::Kind;
using Names = std::span<const std::string_view>;
constexpr double kTranscendental = 8; ///< exp, tanh, erf and the like by polynomials

// ── cost classes; what is in none of them works element by element at one flop each ──

constexpr CostClass kFree{Kind::Free, 0}, kMemory{Kind::Memory, 0}, kSum{Kind::Reduction, 1, true},
    kCostly{Kind::Elementwise, kTranscendental}, kNorm{Kind::Normalization, 5, true}, kPool{Kind::Pooling, 1, true},
    kSoftmax{Kind::Reduction, kTranscendental + 4, true}, kThree{Kind::Elementwise, 3}, kFour{Kind::Elementwise, 4};

// clang-format off
constexpr std::string_view kFreeNames[] = {
    "view", "view_as", "reshape", "transpose", "permute", "t", "T", "getitem", "getattr", "size", "shape", "flatten",
    "unflatten", "squeeze", "unsqueeze", "expand", "expand_as", "chunk", "split", "unbind", "select", "slice", "narrow",
    "detach", "alias", "dim", "numel", "len", "unfold", "swapaxes", "swapdims", "movedim", "identity", "diagonal",
    "real", "imag", "as_strided", "_unsafe_view", "split_with_sizes", "mT", "numpy_T", "is_floating_point", "adjoint"};
constexpr std::string_view kMemoryNames[] = {
    "cat", "stack", "clone", "contiguous", "to", "_to_copy", "type", "float", "half", "long", "int", "bool", "double",
    "bfloat16", "copy", "repeat", "repeat_interleave", "gather", "index_select", "index", "scatter", "embedding", "pad",
    "constant_pad_nd", "roll", "flip", "tile", "zeros", "ones", "empty", "full", "zeros_like", "ones_like", "arange",
    "pixel_shuffle", "pixel_unshuffle", "channel_shuffle", "masked_fill", "where", "tril", "triu", "setitem", "one_hot",
    "concat", "concatenate", "hstack", "vstack", "new_zeros", "new_ones", "full_like", "index_put", "scatter_add",
    "type_as", "dequantize"};
constexpr std::string_view kSumNames[] = {
    "sum", "mean", "max", "min", "amax", "amin", "argmax", "argmin", "prod", "cumsum", "any", "all", "norm", "var",
    "std", "topk", "sort", "argsort", "logsumexp", "median", "nonzero"};
constexpr std::string_view kCostlyNames[] = {
    "exp", "log", "sigmoid", "tanh", "gelu", "silu", "mish", "softplus", "elu", "selu", "celu", "erf", "sin", "cos",
    "pow", "logsigmoid", "log1p", "expm1", "tan", "atan", "sinh", "cosh", "atan2", "tanhshrink"};
constexpr std::string_view kNormNames[] = {
    "batch_norm", "layer_norm", "native_layer_norm", "native_batch_norm", "group_norm", "native_group_norm",
    "instance_norm", "local_response_norm", "rms_norm", "normalize", "_native_batch_norm_legit_no_training"};
constexpr std::string_view kPoolNames[] = {
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d", "adaptive_max_pool2d",
    "adaptive_max_pool3d", "max_pool1d", "max_pool2d", "max_pool3d", "avg_pool1d", "avg_pool2d", "avg_pool3d",
    "lp_pool1d", "lp_pool2d", "max_pool2d_with_indices", "mean_pool"};
constexpr std::string_view kSoftmaxNames[] = {
    "softmax", "log_softmax", "_softmax", "_log_softmax", "softmin", "cross_entropy", "nll_loss"};
constexpr std::string_view kFourNames[] = {
    "interpolate", "upsample", "upsample_bilinear2d", "upsample_nearest2d", "grid_sample", "upsampling_bilinear",
    "upsampling_nearest"}; // the last two are classes only
constexpr std::string_view kThreeNames[] = {
    "hardswish", "hardsigmoid", "addcmul", "lerp", "sqrt", "rsqrt", "hardtanh", "clamp", "relu6", "softsign"};

// ── what schemas leave out ──

/// Give their input, or a part of it, in some or all calls.
constexpr std::string_view kMayBeInput[] = {
    "getitem", "getattr", "float", "double", "half", "bfloat16", "int", "long", "short", "char", "byte", "bool", "cpu",
    "cuda", "type", "type_as", "dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_dropout",
    "feature_alpha_dropout", "unflatten", "broadcast_tensors", "meshgrid", "atleast_1d", "atleast_2d", "atleast_3d",
    "split", "requires_grad", "data"};
/// Draw random numbers, but their schemas have no such tag, or they are Python.
constexpr std::string_view kRandom[] = {
    "dropout1d", "dropout2d", "dropout3d", "gumbel_softmax", "fractional_max_pool2d", "fractional_max_pool3d",
    "fractional_max_pool2d_with_indices", "fractional_max_pool3d_with_indices", "multi_head_attention_forward",
    "trunc_normal", "xavier_uniform", "xavier_normal", "kaiming_uniform", "kaiming_normal", "orthogonal", "sparse"};
constexpr std::string_view kKeepsValues[] = {"requires_grad", "detach", "retain_grad", "rename"};
/// Find or replace values that are NaN or infinite.
constexpr std::string_view kTellsNonFinite[] = {
    "nan_to_num", "isnan", "isinf", "isposinf", "isneginf", "isfinite", "nansum", "nanmean", "nanmedian",
    "nanquantile", "fmax", "fmin"};
/// Their results have the shape of the first argument, or of all of them broadcast.
constexpr std::string_view kKeepsShape[] = {
    "relu", "relu6", "gelu", "silu", "mish", "elu", "selu", "celu", "leaky_relu", "prelu", "hardtanh", "hardswish",
    "hardsigmoid", "softplus", "softsign", "sigmoid", "tanh", "logsigmoid", "tanhshrink", "softmax", "log_softmax",
    "dropout", "feature_dropout", "alpha_dropout", "add", "sub", "rsub", "mul", "div", "true_divide", "floor_divide",
    "remainder", "pow", "neg", "abs", "exp", "log", "log1p", "expm1", "sqrt", "rsqrt", "sin", "cos", "erf", "square",
    "reciprocal", "clamp", "clip", "clamp_min", "clamp_max", "sign", "round", "floor", "ceil", "float", "double",
    "half", "bfloat16", "to", "type", "type_as", "contiguous", "clone", "detach", "alias", "_to_copy", "cpu",
    "requires_grad", "layer_norm", "rms_norm", "normalize", "cumsum", "flip", "roll", "masked_fill", "nan_to_num",
    "maximum", "minimum", "batch_norm", "instance_norm", "group_norm", "_native_batch_norm_legit_no_training",
    "quantize_per_tensor", "quantize_per_tensor_dynamic", "quantize_per_channel", "dequantize", "dequantize_per_tensor",
    "dequantize_per_channel", "fake_quantize_per_tensor_affine", "fake_quantize_per_channel_affine"};
// clang-format on

std::unordered_map<std::string_view, OperatorTraits> makeTraits() {
    std::unordered_map<std::string_view, OperatorTraits> out;
    const auto costs = [&](const CostClass& cost, Names names) {
        for (const std::string_view name : names) out[name].cost = cost;
    };
    costs(kFree, kFreeNames), costs(kMemory, kMemoryNames), costs(kSum, kSumNames), costs(kCostly, kCostlyNames);
    costs(kNorm, kNormNames), costs(kPool, kPoolNames), costs(kSoftmax, kSoftmaxNames);
    costs(kThree, kThreeNames), costs(kFour, kFourNames);
    for (const std::string_view name : kMayBeInput) out[name].mayBeItsInput = true;
    for (const std::string_view name : kRandom) out[name].isRandom = true;
    for (const std::string_view name : kKeepsShape) out[name].keepsShape = true;
    for (const std::string_view name : kKeepsValues) out[name].keepsValues = true;
    for (const std::string_view name : kTellsNonFinite) out[name].tellsNonFinite = true;
    return out;
}

const std::unordered_map<std::string_view, OperatorTraits>& allTraits() {
    static const auto kTraits = makeTraits();
    return kTraits;
}

} // namespace

const OperatorTraits& traitsOf(std::string_view canonicalName) {
    static const OperatorTraits kOrdinary;
    const auto found = allTraits().find(canonicalName);
    return found == allTraits().end() ? kOrdinary : found->second;
}

std::vector<std::string_view> namesWithTraits() {
    std::vector<std::string_view> names;
    for (const auto& [name, traits] : allTraits()) names.push_back(name);
    return names;
}

bool isSideEffectful(std::string_view qualifiedName) {
    static const std::unordered_set<std::string_view> kNames = {
        "_operator.setitem",
        "torch._C._set_grad_enabled",
        "torch._assert",
        "torch._assert_async",
        "torch._functorch.predispatch._enter_dual_level",
        "torch._functorch.predispatch._exit_dual_level",
        "torch._functorch.predispatch._jvp_decrement_nesting",
        "torch._functorch.predispatch._jvp_increment_nesting",
        "torch.amp.autocast_mode._enter_autocast",
        "torch.amp.autocast_mode._exit_autocast",
        "torch.ops.aten._assert_async.msg",
        "torch.ops.aten._assert_scalar.default",
        "torch.ops.aten._assert_tensor_metadata.default",
        "torch.ops.aten._linalg_check_errors.default",
        "torch.ops.aten._print.default",
        "torch.ops.aten.sym_constrain_range.default",
        "torch.ops.aten.sym_constrain_range_for_size.default",
        "torch.ops.higher_order.call_torchbind",
        "torch.ops.higher_order.invoke_leaf_function",
        "torch.ops.higher_order.print",
        "torch.ops.inductor.accumulate_grad_.default",
        "torch.ops.inductor.resize_storage_bytes_.default",
        "torch.ops.prims._sink_tokens.default",
        "torch.ops.profiler._record_function_enter",
        "torch.ops.profiler._record_function_enter.default",
        "torch.ops.profiler._record_function_enter_new",
        "torch.ops.profiler._record_function_enter_new.default",
        "torch.ops.profiler._record_function_exit",
        "torch.ops.profiler._record_function_exit._RecordFunction",
        "torch.bernoulli",
        "torch.multinomial",
        "torch.normal",
        "torch.poisson",
        "torch.rand",
        "torch.rand_like",
        "torch.randint",
        "torch.randint_like",
        "torch.randn",
        "torch.randn_like",
        "torch.randperm",
    };
    return kNames.contains(qualifiedName);
}

} // namespace fx::ops
