// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/function_forms.h"

#include "core/engine/modules/attention.h"

#include <cmath>
#include <map>

namespace fx::engine {
namespace {

Value sizeValue(const std::vector<std::int64_t>& sizes) { return Value::list(Values(sizes.begin(), sizes.end())); }

// ── softmax: dim=None means 0 for 0-, 1- and 3-dimensional inputs, else 1 ──

Value softmaxDim(const Names& n) {
    if (n.given("dim")) return n["dim"];
    const auto dims = n.tensor("input").dim();
    return dims == 0 || dims == 1 || dims == 3 ? 0 : 1;
}
Value softmaxBy(std::string_view function, const Names& n, const Value& input) {
    return callFunction(function, Arguments{{input, softmaxDim(n)}, {{"dtype", n["dtype"]}}});
}
Value softmax(const Names& n) { return softmaxBy("torch.softmax", n, n["input"]); }
Value logSoftmax(const Names& n) { return softmaxBy("torch.log_softmax", n, n["input"]); }
Value softmin(const Names& n) { return softmaxBy("torch.softmax", n, unaryOf("neg", n["input"])); }

Value gumbelSoftmax(const Names& n) {
    const Value logits = n["logits"];
    Value noise =
        callFunction("torch.empty_like", Arguments{{logits}, {{"memory_format", at::MemoryFormat::Contiguous}}});
    noise = unaryOf("neg", callMethod("log", {callMethod("exponential_", {noise})}));
    const Value scaled = binaryOf("truediv", binaryOf("add", logits, noise), n["tau"]);
    const Value soft = callMethod("softmax", {scaled, n["dim"]});
    if (!n.flag("hard")) return soft;
    const Value index = callMethod("max", Arguments{{soft, n["dim"]}, {{"keepdim", true}}}).items()->items[1];
    const Value zeros =
        callFunction("torch.zeros_like", Arguments{{logits}, {{"memory_format", at::MemoryFormat::Contiguous}}});
    const Value hard = callMethod("scatter_", {zeros, n["dim"], index, 1.0});
    return binaryOf("add", binaryOf("sub", hard, soft), soft);
}

// ── activations ──

Value softsign(const Names& n) {
    return binaryOf("truediv", n["input"], binaryOf("add", unaryOf("abs", n["input"]), 1));
}
Value tanhshrink(const Names& n) { return binaryOf("sub", n["input"], callMethod("tanh", {n["input"]})); }

/// Inputs without a batch get one for the while.
Value channelDropout(const Names& n, std::int64_t unbatched) {
    Value input = n["input"];
    const bool lacksBatch = input.tensor().dim() == unbatched;
    if (lacksBatch) input = callMethod(n.flag("inplace") ? "unsqueeze_" : "unsqueeze", {input, 0});
    Value out = callFunction(n.flag("inplace") ? "torch.feature_dropout_" : "torch.feature_dropout",
                             {input, n["p"], n["training"]});
    return lacksBatch ? callMethod(n.flag("inplace") ? "squeeze_" : "squeeze", {out, 0}) : out;
}
Value dropout1d(const Names& n) { return channelDropout(n, 2); }
Value dropout3d(const Names& n) { return channelDropout(n, 4); }

// ── normalisation ──

Value normalize(const Names& n) {
    Value length = callFunction("torch.norm", Arguments{{n["input"], n["p"], n["dim"]}, {{"keepdim", true}}});
    length = callMethod("expand_as", {callMethod("clamp_min", {length, n["eps"]}), n["input"]});
    if (!n.given("out")) return binaryOf("truediv", n["input"], length);
    return callFunction("torch.div", Arguments{{n["input"], length}, {{"out", n["out"]}}});
}

Value localResponseNorm(const Names& n) {
    const at::Tensor input = n.tensor("input");
    if (input.dim() < 3)
        throw raised("ValueError: Expected 3D or higher dimensionality input (got " + std::to_string(input.dim()) +
                     " dimensions)");
    if (input.numel() == 0) return input;
    const std::int64_t size = n.integer("size");
    Value div = callMethod("unsqueeze", {binaryOf("mul", input, input), 1});
    const std::vector<std::int64_t> sizes = input.sizes().vec();
    if (input.dim() == 3) {
        div = callFunction("torch.nn.functional.pad", {div, sizeValue({0, 0, size / 2, (size - 1) / 2})});
        div = callFunction("torch._C._nn.avg_pool2d", Arguments{{div, sizeValue({size, 1})}, {{"stride", 1}}});
        div = callMethod("squeeze", {div, 1});
    } else {
        div = callMethod("view", {div, sizes[0], 1, sizes[1], sizes[2], -1});
        div = callFunction("torch.nn.functional.pad", {div, sizeValue({0, 0, 0, 0, size / 2, (size - 1) / 2})});
        div = callFunction("torch._C._nn.avg_pool3d", Arguments{{div, sizeValue({size, 1, 1})}, {{"stride", 1}}});
        div = callMethod("view", {callMethod("squeeze", {div, 1}), sizeValue(sizes)});
    }
    div = callMethod("pow", {callMethod("add", {callMethod("mul", {div, n["alpha"]}), n["k"]}), n["beta"]});
    return binaryOf("truediv", input, div);
}

// ── pooling ──

/// None in the wanted size stands for the size of the input.
Value wantedSize(const Names& n, std::size_t dims) {
    const Value given = n["output_size"];
    const at::Tensor input = n.tensor("input");
    if (!given.items()) return dims == 1 ? given : Value::list(Values(dims, given));
    Values out = given.items()->items;
    for (std::size_t i = 0; i < out.size(); ++i)
        if (out[i].isNone()) out[i] = input.size(input.dim() - static_cast<std::int64_t>(out.size() - i));
    return Value::list(std::move(out));
}
Value adaptiveAvg2d(const Names& n) {
    return callFunction("torch._C._nn.adaptive_avg_pool2d", {n["input"], wantedSize(n, 2)});
}
Value adaptiveAvg3d(const Names& n) {
    return callFunction("torch._C._nn.adaptive_avg_pool3d", {n["input"], wantedSize(n, 3)});
}
Value adaptiveMax2d(const Names& n) {
    return callFunction("torch._C._nn.adaptive_max_pool2d", {n["input"], wantedSize(n, 2)});
}
Value adaptiveMax3d(const Names& n) {
    return callFunction("torch._C._nn.adaptive_max_pool3d", {n["input"], wantedSize(n, 3)});
}

/// Average pooling of sign-preserved powers.
Value lpPool(const Names& n, std::size_t dims, const char* pool) {
    const double norm = n.real("norm_type");
    const std::vector<std::int64_t> kernel = n.integers("kernel_size", dims);
    const Value kernelValue = dims == 1 ? Value(kernel[0]) : sizeValue(kernel);
    if (std::isinf(norm)) {
        const char* maxPools[] = {"torch.max_pool1d", "torch.max_pool2d", "torch.max_pool3d"};
        Value input = unaryOf("abs", n["input"]);
        if (norm < 0) input = unaryOf("neg", input);
        const Value out = callFunction(
            maxPools[dims - 1],
            {input, n["kernel_size"], n.given("stride") ? n["stride"] : n["kernel_size"], 0, 1, n["ceil_mode"]});
        return norm < 0 ? unaryOf("neg", out) : out;
    }
    Arguments call{{callMethod("pow", {n["input"], n["norm_type"]}), kernelValue}, {}};
    if (n.given("stride")) call.positional.push_back(n["stride"]);
    call.positional.resize(3, Value::list({}));
    if (!n.given("stride")) call.positional[2] = kernelValue;
    call.positional.push_back(0);
    call.positional.push_back(n["ceil_mode"]);
    const Value out = callFunction(pool, std::move(call));
    std::int64_t count = 1;
    for (const std::int64_t size : kernel) count *= size;
    const Value signedOut =
        binaryOf("mul", callFunction("torch.sign", {out}), callFunction("torch.relu", {unaryOf("abs", out)}));
    return callMethod("pow", {callMethod("mul", {signedOut, count}), 1.0 / norm});
}
Value lpPool1d(const Names& n) { return lpPool(n, 1, "torch.avg_pool1d"); }
Value lpPool2d(const Names& n) { return lpPool(n, 2, "torch._C._nn.avg_pool2d"); }
Value lpPool3d(const Names& n) { return lpPool(n, 3, "torch._C._nn.avg_pool3d"); }

Value maxUnpool(const Names& n, std::size_t dims) {
    const auto kernel = n.integers("kernel_size", dims), padding = n.integers("padding", dims);
    const auto stride = n.given("stride") ? n.integers("stride", dims) : kernel;
    const at::Tensor input = n.tensor("input");
    std::vector<std::int64_t> size;
    for (std::size_t d = 0; d < dims; ++d) {
        const std::int64_t in = input.size(input.dim() - static_cast<std::int64_t>(dims - d));
        size.push_back((in - 1) * stride[d] + kernel[d] - 2 * padding[d]);
    }
    if (n.given("output_size")) {
        const auto wanted = n.integers("output_size", dims);
        size.assign(wanted.end() - static_cast<std::ptrdiff_t>(dims), wanted.end());
    }
    if (dims == 3)
        return callFunction("torch._C._nn.max_unpool3d",
                            {n["input"], n["indices"], sizeValue(size), sizeValue(stride), sizeValue(padding)});
    if (dims == 2) return callFunction("torch._C._nn.max_unpool2d", {n["input"], n["indices"], sizeValue(size)});
    size.push_back(1);
    const Value out =
        callFunction("torch._C._nn.max_unpool2d", {callMethod("unsqueeze", {n["input"], -1}),
                                                   callMethod("unsqueeze", {n["indices"], -1}), sizeValue(size)});
    return callMethod("squeeze", {out, -1});
}
Value maxUnpool1d(const Names& n) { return maxUnpool(n, 1); }
Value maxUnpool2d(const Names& n) { return maxUnpool(n, 2); }
Value maxUnpool3d(const Names& n) { return maxUnpool(n, 3); }

Value fractionalMax(const Names& n, std::size_t dims) {
    const at::Tensor input = n.tensor("input");
    std::vector<std::int64_t> size;
    if (n.given("output_size")) {
        size = n.integers("output_size", dims);
    } else {
        if (!n.given("output_ratio"))
            throw raised(
                "ValueError: fractional_max_pool requires specifying either an output_size or an output_ratio");
        const Value ratio = n["output_ratio"];
        for (std::size_t d = 0; d < dims; ++d) {
            const double r = (ratio.items() ? ratio.items()->items.at(d) : ratio).real().value_or(0);
            size.push_back(static_cast<std::int64_t>(
                static_cast<double>(input.size(input.dim() - static_cast<std::int64_t>(dims - d))) * r));
        }
    }
    Value samples = n["_random_samples"];
    if (samples.isNone()) {
        const bool batched = input.dim() == static_cast<std::int64_t>(dims) + 2;
        samples =
            callFunction("torch.rand", Arguments{{sizeValue({batched ? input.size(0) : 1, input.size(batched ? 1 : 0),
                                                             static_cast<std::int64_t>(dims)})},
                                                 {{"dtype", input.scalar_type()}, {"device", input.device()}}});
    }
    const char* name = dims == 2 ? "torch._C._nn.fractional_max_pool2d" : "torch._C._nn.fractional_max_pool3d";
    return callFunction(name, {n["input"], n["kernel_size"], sizeValue(size), samples});
}
Value fractionalMax2d(const Names& n) { return fractionalMax(n, 2); }
Value fractionalMax3d(const Names& n) { return fractionalMax(n, 3); }

// ── embeddings ──

void renormalise(const Names& n, const Value& weight, const Value& input) {
    if (n.given("max_norm"))
        callFunction("torch.embedding_renorm_", {callMethod("detach", {weight}), input, n["max_norm"], n["norm_type"]});
}

Value embedding(const Names& n) {
    const at::Tensor weight = n.tensor("weight");
    std::int64_t padding = -1;
    if (n.given("padding_idx")) padding = n.integer("padding_idx");
    if (padding < 0 && n.given("padding_idx")) padding += weight.size(0);
    Value input = n["input"];
    if (n.given("max_norm")) input = callMethod("contiguous", {input});
    renormalise(n, weight, input);
    return callFunction("torch.embedding", {weight, input, padding, n["scale_grad_by_freq"], n["sparse"]});
}

Value embeddingBag(const Names& n) {
    Value input = n["input"], offsets = n["offsets"], perSample = n["per_sample_weights"];
    bool lastOffset = n.flag("include_last_offset");
    if (input.tensor().dim() == 2) {
        if (!offsets.isNone()) throw raised("ValueError: if input is 2D, then offsets has to be None");
        const at::Tensor& t = input.tensor();
        offsets = callFunction("torch.arange", Arguments{{0, t.numel(), t.size(1)}, {{"dtype", t.scalar_type()}}});
        lastOffset = false;
        input = callMethod("reshape", {input, -1});
        if (!perSample.isNone()) perSample = callMethod("reshape", {perSample, -1});
    }
    const std::string mode = n.text("mode");
    renormalise(n, n["weight"], input);
    const Value out = callFunction("torch.embedding_bag", {n["weight"], input, offsets, n["scale_grad_by_freq"],
                                                           mode == "sum"    ? 0
                                                           : mode == "mean" ? 1
                                                                            : 2,
                                                           n["sparse"], perSample, lastOffset, n["padding_idx"]});
    return out.items()->items.at(0);
}

// ── images ──

Value gridSample(const Names& n) {
    const std::string mode = n.text("mode"), padding = n.text("padding_mode");
    const int modeNumber = mode == "bilinear" ? 0 : mode == "nearest" ? 1 : mode == "bicubic" ? 2 : -1;
    const int paddingNumber = padding == "zeros" ? 0 : padding == "border" ? 1 : padding == "reflection" ? 2 : -1;
    if (modeNumber < 0 || paddingNumber < 0)
        throw raised("ValueError: grid_sample() does not know mode '" + mode + "' with padding_mode '" + padding + "'");
    return callFunction("torch.grid_sampler", {n["input"], n["grid"], modeNumber, paddingNumber,
                                               n.given("align_corners") && n.flag("align_corners")});
}
Value affineGrid(const Names& n) {
    return callFunction("torch.affine_grid_generator",
                        {n["theta"], n["size"], n.given("align_corners") && n.flag("align_corners")});
}

// ── losses ──

Value reduced(const Value& loss, std::int64_t reduction) {
    return reduction == 0 ? loss : callFunction(reduction == 1 ? "torch.mean" : "torch.sum", {loss});
}

/// Losses of two tensors that are broadcast first.
Value elementLoss(const Names& n, std::string_view function, Values more) {
    const Value both = callFunction("torch.functional.broadcast_tensors", {n["input"], n["target"]});
    Values call = both.items()->items;
    call.push_back(reductionOf(n));
    call.insert(call.end(), more.begin(), more.end());
    return callFunction(function, std::move(call));
}
/// The weighted mean of errors, as mse_loss and l1_loss have it.
Value weightedErrors(const Names& n, Value (*errors)(const Value& difference)) {
    const Values both = callFunction("torch.functional.broadcast_tensors", {n["input"], n["target"]}).items()->items;
    const Value weighted = binaryOf("mul", errors(binaryOf("sub", both[0], both[1])), n["weight"]);
    const std::int64_t reduction = reductionOf(n);
    if (reduction == 0) return weighted;
    const Value sum = callFunction("torch.sum", {weighted});
    return reduction == 2 ? sum : binaryOf("truediv", sum, callFunction("torch.sum", {n["weight"]}));
}
Value mseLoss(const Names& n) {
    if (n.given("weight"))
        return weightedErrors(n, [](const Value& difference) { return callFunction("torch.pow", {difference, 2}); });
    return elementLoss(n, "torch._C._nn.mse_loss", {});
}
Value l1Loss(const Names& n) {
    if (n.given("weight"))
        return weightedErrors(n, [](const Value& difference) { return callFunction("torch.abs", {difference}); });
    return elementLoss(n, "torch._C._nn.l1_loss", {});
}
Value huberLoss(const Names& n) {
    if (!n.given("weight")) return elementLoss(n, "torch._C._nn.huber_loss", {n["delta"]});
    const Values both = callFunction("torch.functional.broadcast_tensors", {n["input"], n["target"]}).items()->items;
    return reduced(
        binaryOf("mul", callFunction("torch._C._nn.huber_loss", {both[0], both[1], 0, n["delta"]}), n["weight"]),
        reductionOf(n));
}

/// Without its options, which compute the same in pieces.
Value linearCrossEntropy(const Names& n) {
    if (n.given("options")) throw runError(Message("engine.cross_entropy_options"));
    Value weight = n["linear_weight"], bias = n["linear_bias"];
    const std::vector<std::int64_t> sizes = weight.tensor().sizes().vec(), batches = n.tensor("input").sizes().vec();
    if (sizes.size() > 2) {
        weight = callMethod("reshape", {weight, -1, sizes.back()});
        if (!bias.isNone()) bias = callMethod("reshape", {bias, -1});
    }
    std::vector<std::int64_t> shape(batches.begin(), batches.end() - 1);
    shape.insert(shape.end(), sizes.begin(), sizes.end() - 1);
    const Value logits =
        callMethod("reshape", {callFunction("torch._C._nn.linear", {n["input"], weight, bias}), sizeValue(shape)});
    return callFunction("torch.nn.functional.cross_entropy",
                        Arguments{{logits, n["target"]},
                                  {{"weight", n["weight"]},
                                   {"reduction", n["reduction"]},
                                   {"ignore_index", n.given("ignore_index") ? n["ignore_index"] : Value(-100)},
                                   {"label_smoothing", n["label_smoothing"]}}});
}
Value smoothL1Loss(const Names& n) {
    if (n.real("beta") == 0) return elementLoss(n, "torch._C._nn.l1_loss", {});
    return elementLoss(n, "torch._C._nn.smooth_l1_loss", {n["beta"]});
}

Value klDiv(const Names& n) {
    if (n.text("reduction") != "batchmean")
        return callFunction("torch.kl_div",
                            Arguments{{n["input"], n["target"], reductionOf(n)}, {{"log_target", n["log_target"]}}});
    const Value sum =
        callFunction("torch.kl_div", Arguments{{n["input"], n["target"], 2}, {{"log_target", n["log_target"]}}});
    const at::Tensor input = n.tensor("input");
    return input.dim() == 0 ? sum : binaryOf("truediv", sum, input.size(0));
}

Value binaryCrossEntropy(const Names& n) {
    Value weight = n["weight"];
    if (!weight.isNone()) weight = callMethod("expand", {weight, Value::size(n.tensor("target").sizes())});
    return callFunction("torch._C._nn.binary_cross_entropy", {n["input"], n["target"], weight, reductionOf(n)});
}

Value gaussianNllLoss(const Names& n) {
    Value var = n["var"];
    const at::Tensor input = n.tensor("input");
    if (var.real()) var = binaryOf("mul", *var.real(), callFunction("torch.ones_like", {n["input"]}));
    if (var.tensor().sizes() != input.sizes() && input.dim() > 0 &&
        var.tensor().sizes() == input.sizes().slice(0, static_cast<std::size_t>(input.dim() - 1)))
        var = callFunction("torch.unsqueeze", {var, -1});
    var = callMethod("clone", {var});
    callMethod("clamp_", Arguments{{var}, {{"min", n["eps"]}}});
    const Value square = binaryOf("pow", binaryOf("sub", n["input"], n["target"]), 2);
    Value loss =
        binaryOf("mul", 0.5, binaryOf("add", callFunction("torch.log", {var}), binaryOf("truediv", square, var)));
    if (n.flag("full")) loss = binaryOf("add", loss, 0.5 * std::log(2 * M_PI));
    return reduced(loss, reductionOf(n));
}

Value multilabelSoftMarginLoss(const Names& n) {
    const Value positive = binaryOf("mul", n["target"], callFunction("torch._C._nn.log_sigmoid", {n["input"]}));
    const Value negative = binaryOf("mul", binaryOf("sub", 1, n["target"]),
                                    callFunction("torch._C._nn.log_sigmoid", {unaryOf("neg", n["input"])}));
    Value loss = unaryOf("neg", binaryOf("add", positive, negative));
    if (n.given("weight")) loss = binaryOf("mul", loss, n["weight"]);
    const at::Tensor input = n.tensor("input");
    loss = binaryOf("truediv", callMethod("sum", Arguments{{loss}, {{"dim", input.dim() - 1}}}), input.size(-1));
    return reduced(loss, reductionOf(n));
}

Value tripletWithDistance(const Names& n) {
    const auto distance = [&](const Value& a, const Value& b) {
        if (n.given("distance_function")) throw runError(Message("engine.distance_function"));
        return callFunction("torch.pairwise_distance", {a, b});
    };
    const Value positive = distance(n["anchor"], n["positive"]);
    Value negative = distance(n["anchor"], n["negative"]);
    if (n.flag("swap")) negative = callFunction("torch.minimum", {negative, distance(n["positive"], n["negative"])});
    const Value loss =
        callFunction("torch.clamp_min", {binaryOf("sub", binaryOf("add", n["margin"], positive), negative), 0});
    return reduced(loss, reductionOf(n));
}

const std::map<std::string_view, FunctionalForm>& functionalForms() {
    static const std::map<std::string_view, FunctionalForm> kTable = {
        {"softmax", softmax},
        {"log_softmax", logSoftmax},
        {"softmin", softmin},
        {"gumbel_softmax", gumbelSoftmax},
        {"softsign", softsign},
        {"tanhshrink", tanhshrink},
        {"dropout1d", dropout1d},
        {"dropout3d", dropout3d},
        {"normalize", normalize},
        {"local_response_norm", localResponseNorm},
        {"adaptive_avg_pool2d", adaptiveAvg2d},
        {"adaptive_avg_pool3d", adaptiveAvg3d},
        {"adaptive_max_pool2d_with_indices", adaptiveMax2d},
        {"adaptive_max_pool3d_with_indices", adaptiveMax3d},
        {"lp_pool1d", lpPool1d},
        {"lp_pool2d", lpPool2d},
        {"lp_pool3d", lpPool3d},
        {"max_unpool1d", maxUnpool1d},
        {"max_unpool2d", maxUnpool2d},
        {"max_unpool3d", maxUnpool3d},
        {"fractional_max_pool2d_with_indices", fractionalMax2d},
        {"fractional_max_pool3d_with_indices", fractionalMax3d},
        {"embedding", embedding},
        {"embedding_bag", embeddingBag},
        {"interpolate", interpolate},
        {"grid_sample", gridSample},
        {"affine_grid", affineGrid},
        {"mse_loss", mseLoss},
        {"l1_loss", l1Loss},
        {"huber_loss", huberLoss},
        {"smooth_l1_loss", smoothL1Loss},
        {"kl_div", klDiv},
        {"linear_cross_entropy", linearCrossEntropy},
        {"binary_cross_entropy", binaryCrossEntropy},
        {"gaussian_nll_loss", gaussianNllLoss},
        {"multilabel_soft_margin_loss", multilabelSoftMarginLoss},
        {"triplet_margin_with_distance_loss", tripletWithDistance},
        {"multi_head_attention_forward", multiHeadAttention},
    };
    return kTable;
}

} // namespace

FunctionalForm functionalForm(std::string_view name) {
    const auto found = functionalForms().find(name);
    return found == functionalForms().end() ? nullptr : found->second;
}

} // namespace fx::engine
