// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/torchscript/writing/script_quantised.h"

#include "core/io/graphmodule/packed_params.h"
#include "core/ops/compositions.h"
#include "core/ops/parameter_list.h"
#include "core/torchscript/writing/script_compositions.h"

#include <map>

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

std::string padded(const Module& module, const std::string& input, std::size_t dims) {
    const std::string mode = term(module, "padding_mode");
    if (mode == "\"zeros\"" || mode == "None") return input;
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

/// "conv2d" with "_relu", "_dynamic" and the like.
std::string convolution(const Module& module, const std::vector<std::string>& inputs, bool isDynamic) {
    const std::string_view name = module.className;
    const std::size_t digit = name.find_first_of("123");
    if (digit == name.npos) return {};
    const std::string input = padded(module, inputs[0], static_cast<std::size_t>(name[digit] - '0'));
    if (input.empty()) return {};
    std::string op = std::string(name.starts_with("ConvTranspose") ? "conv_transpose" : "conv") + name[digit] + "d";
    const bool adds = name.starts_with("ConvAdd");
    if (adds && inputs.size() < 2) return {};
    if (adds) op += "_add";
    if (name.find("ReLU") != name.npos) op += "_relu";
    if (isDynamic) return "return ops.quantized." + op + "_dynamic(" + input + ", self._packed_params, True)";
    return "return ops.quantized." + op + "(" + input + (adds ? ", " + inputs[1] : "") + ", self._packed_params" +
           qparams(module) + ")";
}

const Module* holderOf(const Module& module) { return module.child("_packed_params"); }

bool isHalf(const Module& module) {
    const Module* holder = holderOf(module);
    const auto* weight = holder ? holder->attribute("weight") : nullptr;
    const auto* tensor = weight ? std::get_if<TensorPtr>(weight) : nullptr;
    return tensor && *tensor && (*tensor)->dtype != DType::QInt8;
}

std::string linear(const Module& module, const std::string& input, bool isDynamic) {
    const std::string_view name = module.className;
    std::string op = "linear", more = qparams(module);
    if (name == "LinearReLU") op += "_relu";
    if (name == "LinearTanh") op += "_tanh";
    if (name == "LinearLeakyReLU") op += "_leaky_relu", more += ", " + number(module, "negative_slope");
    if (isDynamic) op += isHalf(module) ? "_dynamic_fp16" : "_dynamic", more = isHalf(module) ? "" : ", True";
    return "return ops.quantized." + op + "(" + input + ", self._packed_params._packed_params" + more + ")";
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
    const std::size_t open = text.find('(');
    std::string out;
    for (const ops::CallArgument& argument : ops::parseCallArguments(text.substr(open + 1, text.size() - open - 2))) {
        const std::string_view name = argument.expression;
        const bool isReal = name.ends_with("scale") || name == "eps" || name == "alpha" || name == "negative_slope";
        out += (out.empty() ? "" : ", ") + (name == "$0" ? inputs[0]
                                            : isReal     ? number(module, name)
                                                         : term(module, name));
    }
    const std::string_view function = text.substr(0, open);
    return "return " + (function.starts_with("torch.ops.") ? std::string(function.substr(6)) : std::string(function)) +
           "(" + out + ")";
}

std::string quantised(const Module& module, const std::vector<std::string>& inputs) {
    const std::string_view name = module.className;
    const bool isDynamic = module.classModule.find("quantized.dynamic.") != std::string::npos;
    if (name.starts_with("Conv")) return convolution(module, inputs, isDynamic);
    if (name.starts_with("Linear") && holderOf(module)) return linear(module, inputs[0], isDynamic);
    if (isDynamic) return {};
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
    if (name.starts_with("Conv")) return convolutionBody(module, inputs, weight);
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
