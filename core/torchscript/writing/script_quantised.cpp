// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/torchscript/writing/script_quantised.h"

#include "core/io/graphmodule/packed_params.h"
#include "core/ops/compositions.h"
#include "core/ops/parameter_list.h"
#include "core/torchscript/writing/script_compositions.h"

namespace fx::script {
namespace {

/// A setting as a literal, or a tensor of the module; "None" for what it lacks.
std::string term(const Module& module, std::string_view name) {
    for (const auto* slots : {&module.parameters, &module.buffers})
        for (const Module::Slot& slot : *slots)
            if (slot.name == name) return slot.tensor ? "self." + slot.name : "None";
    const auto* attribute = module.attribute(name);
    if (!attribute) return "None";
    if (const auto* literal = std::get_if<Argument>(attribute)) return literalTerm(*literal, {});
    return std::get<TensorPtr>(*attribute) ? "self." + std::string(name) : "None";
}

std::string number(const Module& module, std::string_view name) {
    std::string out = term(module, name);
    const bool isInteger = !out.empty() && out.find_first_not_of("-0123456789") == out.npos;
    return isInteger ? out + ".0" : out;
}

std::string qparams(const Module& module) { return ", " + number(module, "scale") + ", " + term(module, "zero_point"); }

/// The input of a convolution with the padding that its operator lacks; empty if a script cannot express it.
std::string padded(const Module& module, const std::string& input) {
    const std::string mode = term(module, "padding_mode");
    if (mode == "\"zeros\"" || mode == "None") return input;
    const std::size_t digit = module.className.find_first_of("123");
    const auto dims = digit == std::string::npos ? 4 : static_cast<std::size_t>(module.className[digit] - '0');
    const auto* attribute = module.attribute("padding");
    const auto* sizes =
        attribute && std::get_if<Argument>(attribute) ? std::get<Argument>(*attribute).as<Sequence>() : nullptr;
    if (!sizes || sizes->items.size() < dims) return {};
    std::string twice;
    for (std::size_t i = dims; i-- > 0;) {
        const std::string size = literalTerm(sizes->items[i], {});
        twice += (twice.empty() ? "" : ", ") + size + ", " + size;
    }
    return "torch.pad(" + input + ", [" + twice + "], " + mode + ")";
}

/// The packed weights of a convolution or a linear layer.
std::string packedTerm(const Module& module) {
    return module.className.starts_with("Linear") ? "self._packed_params._packed_params" : "self._packed_params";
}

const Module* holderOf(const Module& module) { return module.child("_packed_params"); }

bool isHalf(const Module& module) {
    const Module* holder = holderOf(module);
    const auto* weight = holder ? holder->attribute("weight") : nullptr;
    const auto* tensor = weight ? std::get_if<TensorPtr>(weight) : nullptr;
    return tensor && *tensor && (*tensor)->dtype != DType::QInt8;
}

/// "conv2d_dynamic" and the like.
std::string dynamic(const Module& module, const std::string& input) {
    const std::string_view name = module.className;
    std::string op = name == "LinearReLU" ? "linear_relu" : "linear";
    if (name.starts_with("Conv")) {
        const char digit = name[name.size() - 2];
        if (digit < '1' || digit > '3') return {};
        op = std::string(name.starts_with("ConvTranspose") ? "conv_transpose" : "conv") + digit + "d";
    } else if (!name.starts_with("Linear")) {
        return {};
    }
    const std::string given = name.starts_with("Conv") ? padded(module, input) : input;
    const bool half = isHalf(module);
    return given.empty() ? given
                         : "return ops.quantized." + op + (half ? "_dynamic_fp16(" : "_dynamic(") + given + ", " +
                               packedTerm(module) + (half ? ")" : ", True)");
}

bool isFourBits(const Module& module) {
    const auto* dtype = module.setting<TorchConstant>("dtype");
    return dtype && dtype->name == "torch.quint4x2";
}

/// Empty, which refuses it, for 4 bits: LibTorch writes half a byte for each weight and wants a whole one on loading.
std::string embedding(const Module& module, const std::vector<std::string>& inputs) {
    if (isFourBits(module)) return {};
    const std::string bits = "_byte(", weight = "self._packed_params._packed_weight, ";
    if (module.className == "Embedding") return "return ops.quantized.embedding" + bits + weight + inputs[0] + ")";
    const auto at = [&](std::size_t place) { return place < inputs.size() ? inputs[place] : std::string("None"); };
    const auto flag = [&](std::string_view name) {
        const std::string given = term(module, name);
        return given == "None" ? std::string("False") : given;
    };
    return "return ops.quantized.embedding_bag" + bits + weight + at(0) + ", " + at(1) + ", False, 0, " +
           flag("pruned_weights") + ", " + at(2) + ", " + at(3) + ", " + flag("include_last_offset") + ")";
}

/// A composition with the module's terms in the place of its names.
std::string composed(const Module& module, const std::vector<std::string>& inputs, std::string_view text) {
    constexpr std::string_view kTorch = "torch.", kOps = "torch.ops.quantized.";
    const std::size_t open = text.find('(');
    std::string out;
    for (const ops::CallArgument& argument : ops::parseCallArguments(text.substr(open + 1, text.size() - open - 2))) {
        const std::string_view name = argument.expression;
        const bool isReal = name.ends_with("scale") || name == "eps" || name == "alpha" || name == "negative_slope";
        const std::string word = name == "$0"       ? inputs[0]
                                 : name == "$1"     ? (inputs.size() > 1 ? inputs[1] : std::string())
                                 : name == "padded" ? padded(module, inputs[0])
                                 : name == "packed" ? packedTerm(module)
                                 : isReal           ? number(module, name)
                                                    : term(module, name);
        if (word.empty()) return {};
        out += (out.empty() ? "" : ", ") + word;
    }
    std::string_view function = text.substr(0, open);
    if (function.starts_with(kOps)) // without the overload
        function = function.substr(kTorch.size(), function.find('.', kOps.size()) - kTorch.size());
    return "return " + std::string(function) + "(" + out + ")";
}

std::string quantised(const Module& module, const std::vector<std::string>& inputs) {
    const std::string_view name = module.className;
    const bool isDynamic = module.classModule.find("quantized.dynamic.") != std::string::npos;
    if (name.starts_with("Linear") && !holderOf(module)) return {};
    if (isDynamic) return dynamic(module, inputs[0]);
    if (name.starts_with("Embedding") && holderOf(module)) return embedding(module, inputs);
    if (name == "Dropout") return "return " + inputs[0];
    if (name == "Softmax") {
        const std::string dim = term(module, "dim");
        return dim == "None" ? std::string()
                             : "return ops.quantized.softmax(" + inputs[0] + ", " + dim + qparams(module) + ")";
    }
    const char* composition = ops::quantizedComposition(name);
    return composition ? composed(module, inputs, composition) : std::string();
}

/// A float layer whose weight goes through integers first.
std::string reference(const Module& module, const std::vector<std::string>& inputs) {
    const std::string scheme = [&] {
        const auto* constant = module.setting<TorchConstant>("weight_qscheme");
        return constant ? constant->name : std::string();
    }();
    const std::string decomposed = term(module, "is_decomposed");
    if (decomposed == "True") return {};
    const std::string dtype = term(module, "weight_dtype"),
                      values = "self.weight, self.weight_scale, self.weight_zero_point, ";
    std::string weight = "self.weight";
    if (scheme == "torch.per_tensor_affine")
        weight = "torch.dequantize(torch.quantize_per_tensor(" + values + dtype + "))";
    else if (!scheme.empty())
        weight = "torch.dequantize(torch.quantize_per_channel(" + values + term(module, "weight_axis_int") + ", " +
                 dtype + "))";
    const std::string_view name = module.className;
    if (name == "Linear") return "return torch.linear(" + inputs[0] + ", " + weight + ", " + term(module, "bias") + ")";
    if (name.starts_with("Conv")) return convolutionBody(module, inputs, weight, false); // as torch.ao's, by zeros
    if (name == "Embedding" && term(module, "max_norm") == "None")
        return "return torch.embedding(" + weight + ", " + inputs[0] + ")";
    return {};
}

} // namespace

std::string quantisedBody(const Module& module, const std::vector<std::string>& inputs) {
    const std::string_view place = module.classModule;
    if (place.starts_with("torch.ao.nn.quantized.reference.")) return reference(module, inputs);
    if (place.starts_with("torch.ao.nn.quantized.") || place.starts_with("torch.ao.nn.intrinsic.quantized."))
        return quantised(module, inputs);
    return {};
}

std::string_view packedAttribute(const Module& module) {
    if (!module.attribute("weight")) return {};
    return hasStateTuple(module) ? std::string_view("_packed_params") : packedField(module);
}

} // namespace fx::script
