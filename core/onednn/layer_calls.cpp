// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/module/call_semantics.h"
#include "core/onednn/fused_layer.h"

#include <algorithm>
#include <array>

namespace fx::onednn {
namespace {

/// The settings of a layer or activation, of a module or of a call.
class Settings {
public:
    Settings(const Node& node, const Module* module) : m_node(node), m_module(module) {}

    const Argument* at(std::size_t place, std::string_view name) const {
        return m_module ? m_module->setting(name) : m_node.argument(place, name);
    }
    /// A number per dimension; nullopt if it is anything else.
    std::optional<std::vector<std::int64_t>> numbers(std::size_t place, std::string_view name, std::size_t count,
                                                     std::int64_t byDefault) const {
        const Argument* value = at(place, name);
        if (!value) return std::vector<std::int64_t>(count, byDefault);
        if (const auto* one = value->as<std::int64_t>()) return std::vector<std::int64_t>(count, *one);
        const auto* several = value->as<Sequence>();
        if (!several || several->items.empty()) return std::nullopt;
        std::vector<std::int64_t> out;
        for (const Argument& item : several->items) {
            if (!item.as<std::int64_t>()) return std::nullopt;
            out.push_back(*item.as<std::int64_t>());
        }
        if (out.size() == 1) out.resize(count, out[0]);
        return out.size() == count ? std::optional(out) : std::nullopt;
    }

private:
    const Node& m_node;
    const Module* m_module;
};

struct LayerForm {
    std::string_view name, moduleClass;
    Layer::Kind kind;
    std::size_t dimensions;
    std::size_t stride, padding, dilation, groups, outputPadding; ///< places among the arguments of the function
};
constexpr auto kConvolution = Layer::Kind::Convolution, kTransposed = Layer::Kind::Transposed;
constexpr std::size_t kNone = 99;
constexpr std::array<LayerForm, 5> kLayers = {{{"linear", "Linear", Layer::Kind::Linear, 0, 0, 0, 0, 0, 0},
                                               {"conv2d", "Conv2d", kConvolution, 2, 3, 4, 5, 6, kNone},
                                               {"conv3d", "Conv3d", kConvolution, 3, 3, 4, 5, 6, kNone},
                                               {"conv_transpose2d", "ConvTranspose2d", kTransposed, 2, 3, 4, 7, 6, 5},
                                               {"conv_transpose3d", "ConvTranspose3d", kTransposed, 3, 3, 4, 7, 6, 5}}};

struct ActivationForm {
    std::string_view name, moduleClass, aten, attribute;
    struct Number {
        std::string_view name;
        double byDefault;
        bool isFixed = false; ///< no argument of the call
    };
    std::array<Number, 2> numbers = {};
    std::size_t count = 0;
};
constexpr std::array<ActivationForm, 10> kActivations = {
    {{"relu", "ReLU", "relu", "relu"},
     {"relu6", "ReLU6", "hardtanh", "hardtanh", {{{"min_val", 0, true}, {"max_val", 6, true}}}, 2},
     {"hardtanh", "Hardtanh", "hardtanh", "hardtanh", {{{"min_val", -1}, {"max_val", 1}}}, 2},
     {"hardswish", "Hardswish", "hardswish", "hardswish"},
     {"hardsigmoid", "Hardsigmoid", "hardsigmoid", "hardsigmoid"},
     {"silu", "SiLU", "silu", "swish"},
     {"sigmoid", "Sigmoid", "sigmoid", "sigmoid"},
     {"tanh", "Tanh", "tanh", "tanh"},
     {"gelu", "GELU", "gelu", "gelu"},
     {"leaky_relu", "LeakyReLU", "leaky_relu", "leaky_relu", {{{"negative_slope", 0.01}}}, 1}}};

/// PyTorch's own module that a node calls, or null.
const Module* torchModule(PathResolver& paths, const Node& node) {
    if (node.op() != Op::CallModule) return nullptr;
    const Module* module = paths.resolve(node.target()).module;
    return module && module->classModule.starts_with("torch.nn.modules.") && !module->graphModule ? module : nullptr;
}

/// The form of a node by its class or by the name of what it calls; null if there is none.
template<class Forms> const auto* formOf(const Forms& forms, const Node& node, const Module* module) {
    const auto isIt = [name = module ? module->className : canonicalName(node), module](const auto& form) {
        return name == (module ? form.moduleClass : form.name);
    };
    const auto found = std::find_if(forms.begin(), forms.end(), isIt);
    const bool known = (module || node.op() == Op::CallFunction || node.op() == Op::CallMethod) && found != forms.end();
    return known ? &*found : nullptr;
}

/// The tensor of the model that an argument is, and its path; null if it is not given or not known; `known` says which.
TensorPtr constantOf(const GraphModule& model, PathResolver& paths, const Argument* value, std::string& path,
                     bool& known) {
    if (!value || value->isNone()) return nullptr;
    const Node* node = value->isNode() ? &model.graph.node(value->node()) : nullptr;
    TensorPtr tensor = node && node->op() == Op::GetAttr ? paths.resolve(node->target()).tensor : nullptr;
    if (tensor) path = node->target();
    known = known && tensor;
    return tensor;
}

/// Convolutions over one dimension, which have no packed form.
bool isOneDimensional(const Node& node, const Module* module) {
    if (module) return module->className == "Conv1d" || module->className == "ConvTranspose1d";
    const std::string name = node.op() == Op::CallFunction ? canonicalName(node) : std::string();
    return name == "conv1d" || name == "conv_transpose1d";
}

/// As numbers: 'valid' is zero, 'same' keeps the size. Nullopt where 'same' pads one side more than the other.
std::optional<std::vector<std::int64_t>> paddingOf(const Layer& layer, const LayerForm& form, const Settings& settings,
                                                   const std::vector<std::int64_t>& dilation) {
    const Argument* given = settings.at(form.padding, "padding");
    const std::string* word = given && form.kind == kConvolution ? given->as<std::string>() : nullptr;
    if (!word) return settings.numbers(form.padding, "padding", form.dimensions, 0);
    std::vector<std::int64_t> out(form.dimensions, 0);
    if (*word == "valid") return out;
    if (*word != "same" || layer.weight->sizes.size() != form.dimensions + 2) return std::nullopt;
    for (std::size_t i = 0; i < form.dimensions; ++i) {
        const std::int64_t both = dilation[i] * (layer.weight->sizes[i + 2] - 1);
        if (both % 2 != 0) return std::nullopt;
        out[i] = both / 2;
    }
    return out;
}

Message paddingMessage(const Layer& layer, const LayerForm& form, const Settings& settings) {
    const Argument* given = settings.at(form.padding, "padding");
    const std::string* word = given ? given->as<std::string>() : nullptr;
    if (word && *word == "same" && layer.weight->sizes.size() == form.dimensions + 2)
        return Message("passes.onednn_padding_same");
    return Message("passes.onednn_padding");
}

std::optional<Message> geometry(Layer& layer, const LayerForm& form, const Settings& settings, const Module* module) {
    if (form.dimensions == 0) return std::nullopt;
    const Argument* mode = module ? settings.at(kNone, "padding_mode") : nullptr;
    const std::string* word = mode ? mode->as<std::string>() : nullptr;
    if (mode && (!word || *word != "zeros"))
        return Message("passes.onednn_padding_mode", {{"mode", word ? *word : std::string("?")}});
    const auto stride = settings.numbers(form.stride, "stride", form.dimensions, 1),
               dilation = settings.numbers(form.dilation, "dilation", form.dimensions, 1),
               groups = settings.numbers(form.groups, "groups", 1, 1);
    auto outputPadding = std::optional(std::vector<std::int64_t>());
    if (form.kind == kTransposed)
        outputPadding = settings.numbers(form.outputPadding, "output_padding", form.dimensions, 0);
    const auto padding = dilation ? paddingOf(layer, form, settings, *dilation) : std::nullopt;
    if (dilation && !padding) return paddingMessage(layer, form, settings);
    if (!stride || !dilation || !groups || !outputPadding) return Message("passes.onednn_settings");
    layer.stride = *stride, layer.padding = *padding, layer.dilation = *dilation, layer.groups = groups->front(),
    layer.outputPadding = *outputPadding;
    return std::nullopt;
}

} // namespace

std::optional<Layer> layerAt(const GraphModule& model, PathResolver& paths, const Node& node,
                             std::optional<Message>& why) {
    const Module* module = torchModule(paths, node);
    const LayerForm* form = formOf(kLayers, node, module);
    if (!form) {
        if (isOneDimensional(node, module)) why = Message("passes.onednn_one_dimension");
        return std::nullopt;
    }
    const Settings settings(node, module);
    Layer layer;
    layer.kind = form->kind, layer.node = node.id();
    const Argument* input = Settings(node, nullptr).at(0, "input");
    bool known = input && input->isNode();
    if (module) {
        known = known && node.args().size() + node.kwargs().size() == 1;
        layer.weight = module->tensor("weight"), layer.bias = module->tensor("bias");
        layer.weightPath = node.target() + ".weight";
        if (layer.bias) layer.biasPath = node.target() + ".bias";
    } else {
        layer.weight = constantOf(model, paths, settings.at(1, "weight"), layer.weightPath, known);
        layer.bias = constantOf(model, paths, settings.at(2, "bias"), layer.biasPath, known);
    }
    if (!known || !layer.weight) return why = Message("passes.onednn_weights"), std::nullopt;
    layer.input = input->node();
    if (layer.weight->dtype != DType::Float32 && layer.weight->dtype != DType::BFloat16)
        return why = Message("passes.onednn_dtype", {{"dtype", dtypeName(layer.weight->dtype)}}), std::nullopt;
    if (layer.weight->device != "cpu" || layer.weight->layout != "torch.strided")
        return why = Message("passes.onednn_weights"), std::nullopt;
    why = geometry(layer, *form, settings, module);
    return why ? std::nullopt : std::optional(layer);
}

std::optional<Activation> activationAt(PathResolver& paths, const Node& node) {
    const Module* module = torchModule(paths, node);
    const ActivationForm* form = formOf(kActivations, node, module);
    const Argument* input = form ? Settings(node, nullptr).at(0, "input") : nullptr;
    if (!input || !input->isNode()) return std::nullopt;
    const Settings settings(node, module);
    Activation out{std::string(form->aten), std::string(form->attribute), {}, {}};
    for (std::size_t i = 0; i < form->count; ++i) {
        const auto& number = form->numbers[i];
        const Argument* given = number.isFixed ? nullptr : settings.at(i + 1, number.name);
        if (given && !given->as<double>() && !given->as<std::int64_t>()) return std::nullopt;
        out.numbers.push_back(!given                ? number.byDefault
                              : given->as<double>() ? *given->as<double>()
                                                    : static_cast<double>(*given->as<std::int64_t>()));
    }
    if (out.name != "gelu") return out;
    const Argument* approximate = settings.at(1, "approximate");
    if (approximate && !approximate->as<std::string>()) return std::nullopt;
    out.algorithm = approximate ? *approximate->as<std::string>() : "none";
    return out;
}

std::string_view kernelWord(Kernel kernel) {
    static constexpr std::string_view kWords[] = {"onednn", "mkl", "one_pass"};
    return kWords[static_cast<std::size_t>(kernel)];
}

std::optional<Kernel> kernelOf(const Module& module) {
    const auto* attribute = module.graphModule ? module.attribute(kKernelAttribute) : nullptr;
    const auto* value = attribute ? std::get_if<Argument>(attribute) : nullptr;
    const auto* word = value ? value->as<std::string>() : nullptr;
    for (const Kernel each : {Kernel::OneDnn, Kernel::Mkl, Kernel::OnePass})
        if (word && *word == kernelWord(each)) return each;
    return std::nullopt;
}

} // namespace fx::onednn
