// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/torchscript/leaf_quantised.h"

#include "core/torchscript/folding.h"
#include "core/torchscript/leaf_match.h"

#include <algorithm>

namespace fx::script {
namespace {

constexpr std::string_view kPlaces[] = {"torch.ao.nn.quantized.modules.", "torch.ao.nn.quantized.dynamic.modules.",
                                        "torch.ao.nn.intrinsic.quantized.modules.",
                                        "torch.ao.nn.intrinsic.quantized.dynamic.modules."};

std::shared_ptr<Module> emptyModule(const Program& program, const Object& object) {
    auto module = fx::emptyModule(plainClassName(object.className));
    const Argument* training = object.setting(program, "training");
    module->training = training && training->as<bool>() && *training->as<bool>();
    return module;
}

const Object* objectIn(const Object& holder, std::string_view name) {
    const Object::Field* field = holder.field(name);
    const auto* inner = field ? std::get_if<const Object*>(field) : nullptr;
    return inner ? *inner : nullptr;
}

/// A weight or bias: a part of the state that torch.ao's class is saved with, or only in the packed weights, as in
/// files that Lancet has written.
TensorPtr weightOf(const Object& object, std::string_view name) {
    if (const TensorPtr own = object.tensor(name)) return own;
    const Object* packed = objectIn(object, "_packed_params");
    const auto* held = packed && packed->packed ? packed->packed->attribute(name) : nullptr;
    const auto* tensor = held ? std::get_if<TensorPtr>(held) : nullptr;
    return tensor ? *tensor : nullptr;
}

/// All settings of a convolution are in the state that its class is saved with.
std::shared_ptr<Module> convolution(const Program& program, const Object& object) {
    auto module = emptyModule(program, object);
    const TensorPtr weight = weightOf(object, "weight"), bias = weightOf(object, "bias");
    if (!weight) return nullptr;
    const auto copy = [&](const char* name) {
        const Argument* value = object.setting(program, name);
        if (value) module->attributes.emplace_back(name, *value);
        return value != nullptr;
    };
    for (const char* name : {"in_channels", "out_channels", "kernel_size", "stride", "padding", "dilation",
                             "transposed", "output_padding", "groups", "padding_mode"})
        if (!copy(name)) return nullptr;
    module->attributes.emplace_back("weight", weight);
    if (bias) module->attributes.emplace_back("bias", bias);
    else module->attributes.emplace_back("bias", Argument());
    return copy("scale") && copy("zero_point") ? module : nullptr;
}

/// The module with the packed weights of a linear layer, which become its `weight` and `bias`.
std::shared_ptr<Module> linearHolder(const Program& program, const Object& object) {
    const Object* holder = objectIn(object, "_packed_params");
    const Object* packed = holder ? objectIn(*holder, "_packed_params") : nullptr;
    const Argument* dtype = holder ? holder->setting(program, "dtype") : nullptr;
    const auto* held = packed && packed->packed ? packed->packed->attribute("weight") : nullptr;
    const TensorPtr weight = held && std::get_if<TensorPtr>(held) ? std::get<TensorPtr>(*held) : nullptr;
    if (!weight || weight->sizes.size() != 2) return nullptr;
    auto module = emptyModule(program, *holder);
    const auto* number = dtype ? dtype->as<std::int64_t>() : nullptr; // files that Lancet has written lack it
    module->attributes.emplace_back(
        "dtype", number ? dtypeNumbered(*number)
                        : Argument::dtype(weight->dtype == DType::QInt8 ? "torch.qint8" : "torch.float16"));
    for (const auto& attribute : packed->packed->attributes) module->attributes.push_back(attribute);
    return module;
}

using LinearSettings = std::vector<std::pair<const char*, Argument>>;

/// What a linear layer does to its input beside its weights: attributes of scripts, arguments in traces.
std::optional<LinearSettings> linearSettings(const Program& program, const Object& object, LeafMatch& match) {
    const std::string type = plainClassName(object.className);
    const std::string_view name = lastAtom(type);
    const std::string op = name == "Linear"            ? "quantized::linear"
                           : name == "LinearReLU"      ? "quantized::linear_relu"
                           : name == "LinearTanh"      ? "quantized::linear_tanh"
                           : name == "LinearLeakyReLU" ? "quantized::linear_leaky_relu"
                                                       : "";
    if (op.empty()) return std::nullopt;
    if (type.find(".dynamic.") == type.npos) {
        const bool leaky = name == "LinearLeakyReLU";
        const std::string body = op + "($0, _, {scale}, {zero_point}" + (leaky ? ", {negative_slope})" : ")");
        if (!match.matches({type, body})) return std::nullopt;
        LinearSettings out = {{"scale", match.settings["scale"]}, {"zero_point", match.settings["zero_point"]}};
        if (leaky) out.emplace_back("negative_slope", match.settings["negative_slope"]);
        return out;
    }
    LinearSettings out = {{"scale", Argument(1.0)}, {"zero_point", Argument(0)}, {"version", Argument(4)}};
    for (const char* inner : {"_dynamic($0, _, True)", "_dynamic_fp16($0, _)"})
        if (match.matches({type, "aten::to(" + op + inner + ", ...)"}) || match.matches({type, op + inner})) return out;
    // A script decides by its version and dtype which operator it calls.
    const Argument* version = object.setting(program, "version");
    if (!version || !version->as<std::int64_t>()) return std::nullopt;
    out.back().second = *version;
    return out;
}

std::shared_ptr<Module> linear(const Program& program, const Object& object, const Method& method,
                               const std::vector<std::string>& own) {
    LeafMatch match(program, object, method, own);
    auto holder = linearHolder(program, object);
    const auto settings = holder ? linearSettings(program, object, match) : std::nullopt;
    if (!settings) return nullptr;
    auto module = emptyModule(program, object);
    const auto& weight = std::get<TensorPtr>(*holder->attribute("weight"));
    module->attributes.emplace_back("in_features", Argument(weight->sizes[1]));
    module->attributes.emplace_back("out_features", Argument(weight->sizes[0]));
    for (const auto& [name, value] : *settings) module->attributes.emplace_back(name, value);
    module->children.push_back({"_packed_params", std::move(holder)});
    return module;
}

} // namespace

bool isQuantisedLeaf(std::string_view plainName) {
    const std::string_view name = lastAtom(plainName);
    return (name.starts_with("Conv") || (name.starts_with("Linear") && name != "LinearPackedParams")) &&
           std::any_of(std::begin(kPlaces), std::end(kPlaces),
                       [&](std::string_view place) { return plainName.starts_with(place); });
}

std::optional<LeafCall> quantisedLeaf(const Program& program, const Object& object, const Method& method,
                                      const std::vector<std::string>& own) {
    if (!method.name.starts_with("forward") || method.parameters.size() < 2) return std::nullopt;
    const bool isConv = lastAtom(plainClassName(object.className)).starts_with("Conv");
    LeafCall call{isConv ? convolution(program, object) : linear(program, object, method, own), {}, {}, {{}}};
    if (!call.module) return std::nullopt;
    for (std::uint32_t i = 0; i + 1 < method.parameters.size(); ++i) call.inputs.push_back({i});
    return call;
}

} // namespace fx::script
