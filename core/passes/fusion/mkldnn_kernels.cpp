// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/fusion/mkldnn_kernels.h"

#include "core/base/one_of.h"
#include "core/passes/value_facts.h"
#include "core/passes/value_sizes.h"

#include <algorithm>

namespace fx {
namespace {

using Sizes = std::vector<std::int64_t>;

constexpr std::string_view kAdaptivePool = "torch.nn.functional.adaptive_avg_pool2d";

bool isSetTo(const Module& module, std::string_view name, const Argument& value) {
    const Argument* setting = module.setting(name);
    return !setting || *setting == value;
}

bool isDilated(const Module& pool) {
    const Argument* dilation = pool.setting("dilation");
    if (!dilation) return false;
    const auto* each = dilation->as<Sequence>();
    const auto isOne = [](const Argument& number) { return number == Argument(1); };
    return each ? !std::all_of(each->items.begin(), each->items.end(), isOne) : !isOne(*dilation);
}

bool takesSettings(const Module& module) {
    const std::string& name = module.className;
    if (name == "MaxPool2d") return !isDilated(module) && isSetTo(module, "return_indices", Argument(false));
    if (name == "AvgPool2d") return isSetTo(module, "divisor_override", Argument());
    if (name != "Conv2d") return true;
    const Argument* padding = module.setting("padding");
    return padding && !padding->as<std::string>() && isSetTo(module, "padding_mode", Argument("zeros"));
}

bool hasKernel(const Module& module) {
    return isOneOf(module.qualifiedType(),
                   {"torch.nn.modules.conv.Conv2d", "torch.nn.modules.linear.Linear",
                    "torch.nn.modules.batchnorm.BatchNorm2d", "torch.nn.modules.activation.ReLU",
                    "torch.nn.modules.pooling.MaxPool2d", "torch.nn.modules.pooling.AvgPool2d",
                    "torch.nn.modules.pooling.AdaptiveAvgPool2d"}) &&
           takesSettings(module);
}

void checkWeights(const Module& module, const Node& node) {
    const auto slot = std::find_if(module.parameters.begin(), module.parameters.end(),
                                   [](const Module::Slot& each) { return each.tensor != nullptr; });
    if (slot == module.parameters.end()) return;
    const auto refuse = [&](Message why) {
        throw Error(ErrorKind::Refused, std::move(why)).onNode(node.name()).onModule(node.target());
    };
    if (slot->tensor->dtype != DType::Float32) refuse(Message("passes.mkldnn_float"));
    if (slot->tensor->device != "cpu") refuse(Message("passes.mkldnn_cpu"));
}

void checkNorm(const Module& norm, const Node& node) {
    const auto refuse = [&](std::string_view condition) {
        throw Error(ErrorKind::Refused, Message("passes.mkldnn_norm", {{"condition", condition}}))
            .onNode(node.name())
            .onModule(node.target());
    };
    if (norm.training) refuse("eval mode batchnorm");
    if (!norm.buffer("running_mean") || !norm.buffer("running_mean")->tensor) refuse("track_running_stats=True");
    if (!norm.parameter("weight") || !norm.parameter("weight")->tensor) refuse("affine=True");
}

/// What an adaptive pool pools to; null for other nodes.
const Argument* pooledTo(const Node& node, PathResolver& paths) {
    if (node.op() == Op::CallFunction && node.target() == kAdaptivePool) return node.argument(1, "output_size");
    const Module* module = node.op() == Op::CallModule ? paths.resolve(node.target()).module : nullptr;
    return module && module->className == "AdaptiveAvgPool2d" ? module->setting("output_size") : nullptr;
}

/// `wanted`: a number for both dimensions, or one for each, None for the size of the input.
bool divides(const Argument& wanted, const Sizes& input) {
    const auto* each = wanted.as<Sequence>();
    if (input.size() < 2 || (each && each->items.size() != 2)) return true; // fails in any layout
    for (std::size_t i = 0; i < 2; ++i) {
        const auto* size = (each ? each->items[i] : wanted).as<std::int64_t>();
        if (size && (*size <= 0 || input[input.size() - 2 + i] % *size != 0)) return false;
    }
    return true;
}

/// Unknown, too, where the inputs cannot be guessed or the model does not run.
std::optional<Sizes> sizesOf(const Node& node, ValueSizes& sizes) {
    try {
        return sizes.of(node);
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled) throw;
        return std::nullopt;
    }
}

/// Whether a kernel takes values of these sizes; nullopt: they are not known.
std::optional<bool> takesSizes(const Node& node, const Graph& graph, PathResolver& paths, ValueSizes& sizes) {
    const auto sizesAt = [&](std::size_t place) { return sizesOf(graph.node(node.args()[place].node()), sizes); };
    if (isSumOrProduct(node)) {
        const auto left = sizesAt(0), right = sizesAt(1);
        if (!left || !right) return std::nullopt;
        return *left == *right;
    }
    const Argument* wanted = pooledTo(node, paths);
    if (!wanted || divides(*wanted, {1, 1})) return true; // to one value: of any size
    if (node.args().empty() || !node.args()[0].isNode()) return true;
    const auto input = sizesAt(0);
    if (!input) return std::nullopt;
    return divides(*wanted, *input);
}

} // namespace

bool hasKernel(const Node& node, PathResolver& paths) {
    if (node.op() == Op::CallModule) {
        const Module* module = paths.resolve(node.target()).module;
        if (!module || module->graphModule || !hasKernel(*module)) return false;
        checkWeights(*module, node);
        if (module->className == "BatchNorm2d") checkNorm(*module, node);
        return true;
    }
    return node.op() == Op::CallFunction &&
           isOneOf(node.target(), {"torch.relu", "torch.transpose", "torch.sigmoid", "torch.nn.functional.relu",
                                   "torch._C._nn.avg_pool2d", kAdaptivePool});
}

bool isSumOrProduct(const Node& node) {
    return node.op() == Op::CallFunction && isOneOf(node.target(), {"_operator.add", "_operator.mul"}) &&
           std::all_of(node.args().begin(), node.args().end(), [](const Argument& arg) { return arg.isNode(); });
}

KernelSizes kernelSizes(const PassRun& run) {
    PathResolver paths(*run.model.root);
    KernelSizes out;
    bool some = false;
    for (const Node& node : run.graph().nodes()) some = some || hasKernel(node, paths);
    if (!some) return out;
    ValueSizes sizes(run);
    for (const Node& node : run.graph().nodes()) {
        const auto taken = takesSizes(node, run.graph(), paths, sizes);
        if (!taken) out.unknown.insert(node.id());
        else if (!*taken) out.refused.insert(node.id());
    }
    return out;
}

} // namespace fx
