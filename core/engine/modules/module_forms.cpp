// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/dispatch.h"
#include "core/engine/modules/module_call.h"

#include <map>

// Modules whose forward is more than one call; the others are in core/ops/nn_modules.tsv. core/python/library has some
// of these as PyTorch's tracer follows them, with checks of dimensions that proxies do not pass, and script_modules of
// core/torchscript as text that keeps `self.training` open; here modes, shapes and statistics are values.
namespace fx::engine {
namespace {

Value sizeValue(const std::vector<std::int64_t>& sizes) { return Value::list(Values(sizes.begin(), sizes.end())); }

// ── convolutions ──

template<int kDims> Value convolution(const ModuleCall& m) {
    static constexpr const char* kNames[] = {"torch.conv1d", "torch.conv2d", "torch.conv3d"};
    Value input = m["$0"], padding = m["padding"];
    if (m.text("padding_mode") != "zeros") {
        input = callFunction("torch._C._nn.pad", {input, m["_reversed_padding_repeated_twice"], m["padding_mode"]});
        padding = sizeValue(std::vector<std::int64_t>(kDims, 0));
    }
    return callFunction(kNames[kDims - 1],
                        {input, m["weight"], m["bias"], m["stride"], padding, m["dilation"], m["groups"]});
}

/// What output_size asks for beyond the smallest size.
Value outputPadding(const ModuleCall& m, std::size_t dims) {
    const Value wanted = m.input(1, "output_size");
    if (wanted.isNone()) return m["output_padding"];
    const at::Tensor input = m.tensor("$0");
    const auto stride = m.integers("stride", dims), padding = m.integers("padding", dims),
               kernel = m.integers("kernel_size", dims), dilation = m.integers("dilation", dims);
    const Values sizes = iterate(wanted);
    std::vector<std::int64_t> out;
    for (std::size_t d = 0; d < dims; ++d) {
        const std::int64_t in = input.size(input.dim() - static_cast<std::int64_t>(dims - d));
        const std::int64_t least = (in - 1) * stride[d] - 2 * padding[d] + dilation[d] * (kernel[d] - 1) + 1;
        const std::int64_t size = sizes.at(sizes.size() - dims + d).needInteger();
        if (size < least || size > least + stride[d] - 1)
            throw raised("ValueError: requested an output size of " + std::to_string(size) +
                         ", but valid sizes range from " + std::to_string(least) + " to " +
                         std::to_string(least + stride[d] - 1));
        out.push_back(size - least);
    }
    return sizeValue(out);
}

template<int kDims> Value transposedConvolution(const ModuleCall& m) {
    static constexpr const char* kNames[] = {"torch.conv_transpose1d", "torch.conv_transpose2d",
                                             "torch.conv_transpose3d"};
    return callFunction(kNames[kDims - 1], {m["$0"], m["weight"], m["bias"], m["stride"], m["padding"],
                                            outputPadding(m, kDims), m["groups"], m["dilation"]});
}

// ── normalisation with running statistics ──

/// As torch.nn.functional.batch_norm in training: one value has no variance.
void requireSeveralValues(const at::Tensor& input) {
    std::int64_t values = 1;
    std::string sizes;
    for (std::int64_t dim = 0; dim < input.dim(); ++dim) {
        if (dim != 1) values *= input.size(dim);
        sizes += (dim > 0 ? ", " : "") + std::to_string(input.size(dim));
    }
    if (values == 1) throw runError(Message("engine.one_value_per_channel", {{"sizes", sizes}}));
}

Value batchNorm(const ModuleCall& m) {
    const bool tracks = m.flag("track_running_stats");
    Value factor = m.given("momentum") ? m["momentum"] : Value(0.0);
    if (m.training() && tracks && m.given("num_batches_tracked")) {
        const Value count = callMethod("add_", {m["num_batches_tracked"], 1});
        if (!m.given("momentum")) factor = 1.0 / callMethod("item", {count}).real().value_or(1);
    }
    const bool batchStatistics = m.training() || (!m.given("running_mean") && !m.given("running_var"));
    if (batchStatistics && m["$0"].isTensor()) requireSeveralValues(m["$0"].tensor());
    const bool usesRunning = !m.training() || tracks;
    return callFunction("torch.batch_norm",
                        {m["$0"], m["weight"], m["bias"], usesRunning ? m["running_mean"] : Value(),
                         usesRunning ? m["running_var"] : Value(), batchStatistics, factor, m["eps"], true});
}

template<int kUnbatched> Value instanceNorm(const ModuleCall& m) {
    Value input = m["$0"];
    const bool unbatched = input.tensor().dim() == kUnbatched;
    if (unbatched) input = callMethod("unsqueeze", {input, 0});
    const Value out =
        callFunction("torch.instance_norm", {input, m["weight"], m["bias"], m["running_mean"], m["running_var"],
                                             m.training() || !m.flag("track_running_stats"),
                                             m.given("momentum") ? m["momentum"] : Value(0.0), m["eps"], true});
    return unbatched ? callMethod("squeeze", {out, 0}) : out;
}

// ── the rest ──

Value identity(const ModuleCall& m) { return m["$0"]; }

Value sequential(const ModuleCall& m) {
    Value value = m["$0"];
    for (const Module::Child& child : m.module().children)
        if (child.module) value = callModule(*child.module, m.tensors(), Arguments{{value}, {}});
    return value;
}

Value tripletWithDistance(const ModuleCall& m) {
    return callFunction("torch.nn.functional.triplet_margin_with_distance_loss",
                        Arguments{{m["$0"], m["$1"], m["$2"]},
                                  {{"margin", m["margin"]}, {"swap", m["swap"]}, {"reduction", m["reduction"]}}});
}

Value linearCrossEntropy(const ModuleCall& m) {
    const Arguments none;
    const ModuleCall linear(m.childModule("linear"), m.tensors(), none);
    Values shape = {m["num_classes"]};
    for (const Value& size : iterate(m["out_features"])) shape.push_back(size);
    const Value bias = linear["bias"].isNone() ? Value() : callMethod("reshape", {linear["bias"], Value::list(shape)});
    shape.push_back(linear["in_features"]);
    return callFunction("torch.nn.functional.linear_cross_entropy",
                        Arguments{{m["$0"], callMethod("reshape", {linear["weight"], Value::list(shape)}), m["$1"]},
                                  {{"linear_bias", bias},
                                   {"weight", m["weight"]},
                                   {"reduction", m["reduction"]},
                                   {"ignore_index", m["ignore_index"]},
                                   {"label_smoothing", m["label_smoothing"]},
                                   {"options", m["options"]}}});
}

Value crossMapLrn(const ModuleCall& m) {
    return callFunction("torch.nn.functional.local_response_norm", {m["$0"], m["size"], m["alpha"], m["beta"], m["k"]});
}

const std::map<std::string_view, ModuleForm>& table() {
    static const std::map<std::string_view, ModuleForm> kTable = {
        {"Identity", identity},
        {"Conv1d", convolution<1>},
        {"Conv2d", convolution<2>},
        {"Conv3d", convolution<3>},
        {"ConvTranspose1d", transposedConvolution<1>},
        {"ConvTranspose2d", transposedConvolution<2>},
        {"ConvTranspose3d", transposedConvolution<3>},
        {"BatchNorm1d", batchNorm},
        {"BatchNorm2d", batchNorm},
        {"BatchNorm3d", batchNorm},
        {"SyncBatchNorm", batchNorm},
        {"InstanceNorm1d", instanceNorm<2>},
        {"InstanceNorm2d", instanceNorm<3>},
        {"InstanceNorm3d", instanceNorm<4>},
        {"Sequential", sequential},
        {"TripletMarginWithDistanceLoss", tripletWithDistance},
        {"CrossMapLRN2d", crossMapLrn},
        {"LinearCrossEntropyLoss", linearCrossEntropy},
    };
    return kTable;
}

} // namespace

ModuleForm moduleForm(std::string_view className) {
    const auto found = table().find(className);
    return found == table().end() ? nullptr : found->second;
}

} // namespace fx::engine
