// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/inputs/layer_inputs.h"

#include "core/module/call_semantics.h"

#include <algorithm>

namespace fx {
namespace {

std::optional<std::int64_t> number(const Module& module, std::string_view name) {
    const auto* whole = module.setting<std::int64_t>(name);
    return whole && *whole > 0 ? std::optional(*whole) : std::nullopt;
}

bool flag(const Module& module, std::string_view name) {
    const auto* set = module.setting<bool>(name);
    return set && *set;
}

/// Pictures of 3 channels are mostly of 224×224, of 1 channel of 28×28; what comes from other layers is smaller.
std::int64_t usualSize(std::int64_t channels, std::size_t dimensions) {
    if (dimensions == 1) return 64;
    if (dimensions == 3) return 16;
    return channels == 3 ? 224 : channels == 1 ? 28 : 32;
}

LayerInput channels(std::int64_t count, std::size_t dimensions) {
    const std::int64_t size = usualSize(count, dimensions);
    LayerInput out{{1, count}, 0, true, false, "torch.float32", 0, {}};
    out.sizes.insert(out.sizes.end(), dimensions, size);
    std::string text = std::to_string(size);
    for (std::size_t i = 1; i < dimensions; ++i) text += "×" + std::to_string(size);
    out.reason = Message("inputs.takes_channels", {{"count", count}, {"size", text}});
    return out;
}

LayerInput features(std::int64_t count) {
    return {{1, count}, 0, false, false, "torch.float32", 0, Message("inputs.takes_features", {{"count", count}})};
}

std::optional<LayerInput> featuresOf(const Module& module, const char* setting) {
    const auto count = number(module, setting);
    return count ? std::optional(features(*count)) : std::nullopt;
}

LayerInput rows(std::int64_t count) {
    return {{1, kLength},
            0,
            true,
            false,
            "torch.int64",
            count,
            Message("inputs.has_rows", {{"count", count}, {"length", kLength}})};
}

LayerInput sequence(std::int64_t count, bool batchFirst) {
    LayerInput out{{kLength, 1, count},
                   1,
                   true,
                   false,
                   "torch.float32",
                   0,
                   Message("inputs.takes_sequences", {{"count", count}, {"length", kLength}})};
    if (batchFirst) std::swap(out.sizes[0], out.sizes[1]), out.batchDim = 0;
    return out;
}

std::optional<LayerInput> lastSizes(const Argument* shape) {
    const Sequence* items = shape ? shape->as<Sequence>() : nullptr;
    LayerInput out{{1}, 0, false, false, "torch.float32", 0, {}};
    if (const auto* one = shape ? shape->as<std::int64_t>() : nullptr) out.sizes.push_back(*one);
    for (const Argument& item : items ? items->items : std::vector<Argument>()) {
        if (!item.as<std::int64_t>()) return std::nullopt;
        out.sizes.push_back(*item.as<std::int64_t>());
    }
    std::string text;
    for (std::size_t i = 1; i < out.sizes.size(); ++i) text += (i > 1 ? "×" : "") + std::to_string(out.sizes[i]);
    out.reason = Message("inputs.normalizes", {{"shape", text}});
    return out.sizes.size() > 1 ? std::optional(out) : std::nullopt;
}

/// Pooling, padding, shuffling: how many dimensions they take, and nothing of the channels.
LayerInput ofDimensions(std::size_t dimensions) {
    LayerInput out = channels(3, dimensions);
    out.weak = true;
    out.reason = Message("inputs.takes_dimensions", {{"count", dimensions}});
    return out;
}

bool isIn(std::string_view name, std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// The dimensions of Conv2d, ConvTranspose3d, BatchNorm1d...
std::optional<std::size_t> dimensionsOf(std::string_view name) {
    if (name.size() < 3 || name.back() != 'd' || name[name.size() - 2] < '1' || name[name.size() - 2] > '3')
        return std::nullopt;
    return static_cast<std::size_t>(name[name.size() - 2] - '0');
}

std::optional<LayerInput> normInput(const Module& module, std::string_view name) {
    const auto count = number(module, name == "GroupNorm" ? "num_channels" : "num_features");
    if (!count) return std::nullopt;
    const bool one = name == "BatchNorm1d";
    LayerInput out = one ? features(*count) : channels(*count, dimensionsOf(name).value_or(2));
    if (module.training && name.starts_with("BatchNorm")) out.sizes[0] = 2; // statistics of one value are refused
    return out;
}

/// What takes the input of a Sequential, as fused layers are (torch.ao.nn.intrinsic): its first module.
const Module& firstOf(const Module& module) {
    constexpr int kMostNested = 8;
    const Module* first = &module;
    for (int depth = 0; depth < kMostNested; ++depth) {
        const bool isSequence =
            first->className == "Sequential" || first->classModule == "torch.ao.nn.intrinsic.modules.fused";
        if (!isSequence || first->children.empty() || !first->children.front().module) break;
        first = first->children.front().module.get();
    }
    return *first;
}

/// Observers, fake quantisation and the stubs of eager mode give what they get.
bool observes(const Module& module) {
    const std::string_view package = module.classModule;
    return package == "torch.ao.quantization.observer" || package == "torch.ao.quantization.fake_quantize" ||
           package == "torch.ao.quantization.stubs" || module.className == "Quantize" ||
           module.className == "DeQuantize";
}

/// nn.Transformer and its parts: what their attention takes. Encoders and decoders hold layers.
std::optional<LayerInput> transformerInput(const Module& module) {
    const Module* part = &module;
    for (const char* name : {"encoder", "layers", "0", "self_attn"})
        if (const Module* child = part->child(name)) part = child;
    const auto count = number(*part, "embed_dim");
    return count ? std::optional(sequence(*count, flag(*part, "batch_first"))) : std::nullopt;
}

} // namespace

std::optional<LayerInput> moduleInput(const Module& given, std::size_t place) {
    if (!given.classModule.starts_with("torch.")) return std::nullopt;
    const Module& module = firstOf(given);
    const std::string_view name = module.className;
    const auto dimensions = dimensionsOf(name);
    if (name == "MultiheadAttention") {
        const auto count = number(module, place == 1 ? "kdim" : place == 2 ? "vdim" : "embed_dim");
        return count && place < 3 ? std::optional(sequence(*count, flag(module, "batch_first"))) : std::nullopt;
    }
    if (name.starts_with("Transformer")) return place < 2 ? transformerInput(module) : std::nullopt;
    if (name.starts_with("Bilinear"))
        return place < 2 ? featuresOf(module, place ? "in2_features" : "in1_features") : std::nullopt;
    if (place == 1 && isIn(name, {"LSTMCell", "GRUCell", "RNNCell"}))
        return name == "LSTMCell" ? std::nullopt : featuresOf(module, "hidden_size");
    if (place != 0) return std::nullopt;
    const auto counted = [&](const char* setting, auto make) { // a setting that the class has
        const auto count = number(module, setting);
        return count ? std::optional<LayerInput>(make(*count)) : std::nullopt;
    };
    if (dimensions && name.find("Conv") != name.npos)
        return counted("in_channels", [&](std::int64_t count) { return channels(count, *dimensions); });
    if (name == "GroupNorm" || (dimensions && (name.starts_with("BatchNorm") || name.starts_with("InstanceNorm"))))
        return normInput(module, name);
    if (name == "Linear") return featuresOf(module, "in_features");
    if (name == "Embedding" || name == "EmbeddingBag") return counted("num_embeddings", rows);
    if (isIn(name, {"LSTMCell", "GRUCell", "RNNCell"})) return featuresOf(module, "input_size");
    if (isIn(name, {"LSTM", "GRU", "RNN"}))
        return counted("input_size", [&](std::int64_t count) { return sequence(count, flag(module, "batch_first")); });
    if (name == "LayerNorm" || name == "RMSNorm") {
        const auto* shape = module.attribute("normalized_shape");
        return lastSizes(shape ? std::get_if<Argument>(shape) : nullptr);
    }
    if (dimensions) return ofDimensions(*dimensions);
    return std::nullopt;
}

std::optional<LayerInput> functionInput(const Node& node, std::size_t place,
                                        const std::function<const TensorRef*(const Argument&)>& tensorOf) {
    if (!node.isCall() || node.op() == Op::CallModule) return std::nullopt;
    const std::string name = canonicalName(node);
    const auto argument = [&](std::size_t index, std::string_view keyword) -> const TensorRef* {
        const Argument* given = node.argument(index, keyword);
        return given ? tensorOf(*given) : nullptr;
    };
    const auto dimensioned = [](const TensorRef* tensor, std::size_t least) {
        return tensor && tensor->sizes.size() >= least ? tensor : nullptr;
    };
    if (place == 0 && name == "linear") {
        if (const TensorRef* weight = dimensioned(argument(1, "weight"), 2)) return features(weight->sizes[1]);
    } else if (place == 0 && isIn(name, {"conv1d", "conv2d", "conv3d", "convolution"})) {
        const TensorRef* weight = dimensioned(argument(1, "weight"), 3);
        const Argument* given = node.argument(name == "convolution" ? 8 : 6, "groups");
        const std::int64_t groups = given && given->as<std::int64_t>() ? *given->as<std::int64_t>() : 1;
        if (weight) return channels(weight->sizes[1] * groups, weight->sizes.size() - 2);
    } else if (name == "embedding") {
        const bool aten = node.target().find("aten.") != std::string::npos; // there the weight comes first
        if (const TensorRef* weight =
                place == (aten ? 1 : 0) ? dimensioned(argument(aten ? 0 : 1, "weight"), 2) : nullptr)
            return rows(weight->sizes[0]);
    } else if ((place == 1 && name == "getitem") || (place == 2 && name == "index_select")) {
        const TensorRef* table = dimensioned(argument(0, "input"), 1);
        const auto* dim = place == 2 && node.args().size() > 1 ? node.args()[1].as<std::int64_t>() : nullptr;
        const std::int64_t at = !dim                ? 0
                                : *dim < 0 && table ? *dim + static_cast<std::int64_t>(table->sizes.size())
                                                    : *dim;
        if (table && at >= 0 && at < static_cast<std::int64_t>(table->sizes.size())) {
            LayerInput out = rows(table->sizes[static_cast<std::size_t>(at)]);
            if (place == 2) out.sizes = {kLength}, out.batchDim = -1; // indices of one dimension
            return out;
        }
    } else if (place == 0 && isIn(name, {"layer_norm", "rms_norm"}) && node.args().size() > 1) {
        return lastSizes(&node.args()[1]);
    } else if (isIn(name, {"matmul", "mm"})) {
        const TensorRef* other = dimensioned(argument(1 - place, place ? "input" : "other"), 2);
        if (other && place == 0) return features(other->sizes[other->sizes.size() - 2]);
    } else if (place == 0 && dimensionsOf(name) && name.find("pool") != name.npos) {
        return ofDimensions(*dimensionsOf(name));
    } else if (place < 2 && isIn(name, {"add", "sub", "mul", "div", "rsub", "pow", "maximum", "minimum"})) {
        const TensorRef* other = dimensioned(argument(1 - place, "other"), 1);
        if (other)
            return LayerInput{other->sizes, -1, true, true, "torch.float32", 0, Message("inputs.combines_tensor")};
    }
    return std::nullopt;
}

std::optional<LayerInput> packedInput(const Module& packed) {
    if (!packed.qualifiedType().starts_with("__torch__.torch.classes.quantized.")) return std::nullopt;
    const auto* value = packed.attribute("weight");
    const auto* weight = value ? std::get_if<TensorPtr>(value) : nullptr;
    if (!weight || !*weight || (*weight)->sizes.size() < 2) return std::nullopt;
    const std::vector<std::int64_t>& sizes = (*weight)->sizes;
    if (sizes.size() == 2) return features(sizes[1]);
    const bool isTransposed =
        packed.attribute("transposed") ? flag(packed, "transposed") : packed.attribute("output_padding") != nullptr;
    return channels(isTransposed ? sizes[0] : sizes[1] * number(packed, "groups").value_or(1), sizes.size() - 2);
}

std::optional<LayerInput> indexInput(const Node& node, std::size_t place, std::size_t item,
                                     const std::function<const TensorRef*(const Argument&)>& tensorOf) {
    if (place != 1 || node.args().empty() || !isIn(canonicalName(node), {"index", "getitem"})) return std::nullopt;
    const TensorRef* table = tensorOf(node.args()[0]);
    if (!table || item >= table->sizes.size()) return std::nullopt;
    return rows(table->sizes[item]);
}

bool keepsElements(const Node& node) {
    if (node.op() == Op::CallModule || !node.isCall()) return false;
    const ops::OperatorSemantics semantics =
        node.op() == Op::CallMethod ? ops::semanticsOfMethod(node.target()) : ops::semanticsOfFunction(node.target());
    // Views, and what may give its input. Copies share no memory; sums of indices and offsets are indices still.
    return !semantics.aliased.empty() || isIn(semantics.name, {"cat", "concat", "stack", "_to_copy", "clone", "repeat",
                                                               "tile", "flip", "roll", "add", "sub"});
}

bool keepsShape(const Node& node, const Module* module) {
    if (node.op() == Op::CallModule) {
        if (!module || !module->classModule.starts_with("torch.")) return false;
        const std::string_view name = module->className, package = module->classModule;
        if (observes(*module)) return true;
        if (isIn(name, {"Identity", "LayerNorm", "GroupNorm"}) || name.starts_with("BatchNorm") ||
            name.starts_with("InstanceNorm"))
            return true;
        return package.ends_with(".dropout") ||
               (package.ends_with(".activation") && name != "MultiheadAttention" && name != "GLU");
    }
    return node.isCall() && ops::traitsOf(canonicalName(node)).keepsShape;
}

} // namespace fx
