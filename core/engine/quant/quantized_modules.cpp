// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/quant/quantized_modules.h"

#include "core/engine/dispatch.h"
#include "core/engine/modules/script_block.h"
#include "core/engine/quant/packed_weights.h"
#include "core/engine/quant/recurrent_cells.h"
#include "core/ops/compositions.h"
#include "core/torchscript/torchscript.h"

#include <map>
#include <unordered_map>

namespace fx::engine {
namespace {

void needDims(const at::Tensor& input, std::int64_t dims) {
    static constexpr const char* kShapes[] = {"(N, C, L)", "(N, C, H, W)", "(N, C, D, H, W)"};
    if (input.dim() != dims + 2)
        throw raised("ValueError: Input shape must be `" + std::string(kShapes[dims - 1]) + "`!");
}

/// The input, padded if the mode is not "zeros".
Value paddedInput(const ModuleCall& m, std::int64_t dims) {
    const Value input = m.input(0, "input");
    if (!input.isTensor()) throw raised("AttributeError: expected a Tensor, got " + typeText(input));
    needDims(input.tensor(), dims);
    if (!m.has("padding_mode") || m.text("padding_mode") == "zeros") return input;
    Values twice; // for each dimension, the last first
    const auto padding = m.integers("padding", static_cast<std::size_t>(dims));
    for (auto size = padding.rend() - dims; size != padding.rend(); ++size) twice.insert(twice.end(), {*size, *size});
    return callFunction("torch._C._nn.pad", {input, Value::list(twice), m["padding_mode"]});
}

Value call(const std::string& name, Values positional) {
    return callOperator("quantized::" + name, Arguments{std::move(positional), {}});
}

/// The dimensions of a convolution, from its class; 0 for a linear layer.
std::int64_t dimensionsOf(const Module& module) {
    const std::size_t digit = module.className.find_first_of("123");
    return digit == std::string::npos ? 0 : module.className[digit] - '0';
}

/// A module's names with the input and the weights of its quantised operator.
class PackedNames final : public Names {
public:
    explicit PackedNames(const ModuleCall& call) : m_call(call) {}
    Value operator[](std::string_view name) const override {
        const std::int64_t dims = dimensionsOf(m_call.module());
        if (name == "padded") return paddedInput(m_call, dims);
        if (name == "packed") return dims > 0 ? packedConv(m_call, dims) : packedLinear(m_call);
        return m_call[name];
    }

private:
    const ModuleCall& m_call;
};

Value embedding(const ModuleCall& m) {
    return call(isFourBits(m) ? "embedding_4bit" : "embedding_byte", {packedEmbedding(m), m.input(0, "indices")});
}
Value embeddingBag(const ModuleCall& m) {
    return call(isFourBits(m) ? "embedding_bag_4bit" : "embedding_bag_byte",
                {packedEmbedding(m), m.input(0, "indices"), m.input(1, "offsets"), false, 0,
                 m.has("pruned_weights") ? m["pruned_weights"] : Value(false), m.input(2, "per_sample_weights"),
                 m.input(3, "compressed_indices_mapping"),
                 m.has("include_last_offset") ? m["include_last_offset"] : Value(false)});
}

Value softmax(const ModuleCall& m) {
    const std::int64_t dims = m.tensor("$0").dim();
    const Value dim = m.given("dim") ? m["dim"] : Value(std::int64_t{dims == 0 || dims == 1 || dims == 3 ? 0 : 1});
    return call("softmax", {m["$0"], dim, m["scale"], m["zero_point"]});
}

Value composed(const ModuleCall& m) {
    return runComposition(ops::quantizedComposition(m.module().className), PackedNames(m));
}
Value quantizedIdentity(const ModuleCall& m) { return m["$0"]; }

ModuleForm staticForm(std::string_view name) {
    static const std::unordered_map<std::string_view, ModuleForm> kTable = {
        {"Embedding", embedding},
        {"EmbeddingBag", embeddingBag},
        {"Softmax", softmax},
        {"Dropout", quantizedIdentity},
    };
    if (ops::quantizedComposition(name)) return composed;
    const auto found = kTable.find(name);
    return found == kTable.end() ? nullptr : found->second;
}

// ── dynamic ──

template<bool kRelu> Value dynamicLinear(const ModuleCall& m) {
    const Value input = m.input(0, "x");
    const std::string name = kRelu ? "linear_relu_dynamic" : "linear_dynamic";
    Value out;
    if (isHalfLinear(m)) out = call(name + "_fp16", {input, packedLinear(m)});
    else {
        const bool old = m.has("version") && (!m.given("version") || m.integer("version") < 4);
        out = call(name, {input, packedLinear(m), !old || kRelu});
    }
    if (!input.isTensor() || out.tensor().scalar_type() == input.tensor().scalar_type()) return out;
    return out.tensor().to(input.tensor().scalar_type());
}

template<int kDims, bool kTransposed> Value dynamicConv(const ModuleCall& m) {
    return call((kTransposed ? "conv_transpose" : "conv") + std::to_string(kDims) + "d_dynamic",
                {paddedInput(m, kDims), packedConv(m, kDims), true});
}

ModuleForm dynamicForm(std::string_view name) {
    static const std::unordered_map<std::string_view, ModuleForm> kTable = {
        {"Linear", dynamicLinear<false>},          {"LinearReLU", dynamicLinear<true>},
        {"Conv1d", dynamicConv<1, false>},         {"Conv2d", dynamicConv<2, false>},
        {"Conv3d", dynamicConv<3, false>},         {"ConvTranspose1d", dynamicConv<1, true>},
        {"ConvTranspose2d", dynamicConv<2, true>}, {"ConvTranspose3d", dynamicConv<3, true>},
    };
    const auto found = kTable.find(name);
    return found == kTable.end() ? dynamicRecurrentForm(name) : found->second;
}

// ── reference: float layers with a weight that went through integers ──

/// A module's names with another weight.
class WithWeight final : public Names {
public:
    WithWeight(const ModuleCall& call, Value weight) : m_call(call), m_weight(std::move(weight)) {}
    Value operator[](std::string_view name) const override { return name == "weight" ? m_weight : m_call[name]; }

private:
    const ModuleCall& m_call;
    Value m_weight;
};

/// torch.ao ReferenceQuantizedModule `get_weight`.
Value referenceWeight(const ModuleCall& m) {
    const Value weight = m["weight"], scale = m["weight_scale"], zero = m["weight_zero_point"],
                axis = m["weight_axis_int"];
    const std::string qscheme = constantName(m, "weight_qscheme"), dtype = constantName(m, "weight_dtype");
    if (qscheme.empty()) return weight;
    if (m.has("is_decomposed") && m.flag("is_decomposed")) {
        const bool perChannel = qscheme.starts_with("torch.per_channel");
        Values qparams = {scale, zero};
        if (perChannel) qparams.push_back(axis);
        qparams.insert(qparams.end(), {m["weight_quant_min"], m["weight_quant_max"], m["weight_dtype"]});
        const std::string name = perChannel ? "per_channel.default" : "per_tensor.tensor";
        Values to = qparams, from = qparams;
        to.insert(to.begin(), weight);
        from.insert(from.begin(), callOperator("torch.ops.quantized_decomposed.quantize_" + name, Arguments{to, {}}));
        return callOperator("torch.ops.quantized_decomposed.dequantize_" + name, Arguments{from, {}});
    }
    if (dtype == "torch.float16") return weight.tensor().to(at::kHalf).to(at::kFloat);
    const Value quantized =
        qscheme == "torch.per_tensor_affine"
            ? callFunction("torch.quantize_per_tensor", {weight, scale, zero, m["weight_dtype"]})
            : callFunction("torch.quantize_per_channel", {weight, scale, zero, axis, m["weight_dtype"]});
    return callMethod("dequantize", {quantized});
}

Value reference(const ModuleCall& m) {
    static const std::map<std::string_view, const char*> kTable = {
        {"Conv1d", "torch.conv1d($0, weight, bias, stride, padding, dilation, groups)"},
        {"Conv2d", "torch.conv2d($0, weight, bias, stride, padding, dilation, groups)"},
        {"Conv3d", "torch.conv3d($0, weight, bias, stride, padding, dilation, groups)"},
        {"ConvTranspose1d",
         "torch.conv_transpose1d($0, weight, bias, stride, padding, output_padding, groups, dilation)"},
        {"ConvTranspose2d",
         "torch.conv_transpose2d($0, weight, bias, stride, padding, output_padding, groups, dilation)"},
        {"ConvTranspose3d",
         "torch.conv_transpose3d($0, weight, bias, stride, padding, output_padding, groups, dilation)"},
    };
    const auto found = kTable.find(m.module().className);
    const char* text = found == kTable.end() ? ops::moduleComposition(m.module().className) : found->second;
    if (!text) throw runError(Message("engine.module_class", {{"class", m.module().qualifiedType()}}));
    return runComposition(text, WithWeight(m, referenceWeight(m)));
}

} // namespace

ModuleForm quantizedForm(const Module& module) {
    const std::string_view place = module.classModule;
    if (place.starts_with("torch.ao.nn.quantized.reference.")) return reference;
    if (place.starts_with("torch.ao.nn.quantized.dynamic.") ||
        place.starts_with("torch.ao.nn.intrinsic.quantized.dynamic."))
        return dynamicForm(module.className);
    if (place.starts_with("torch.ao.nn.quantized.modules") ||
        place.starts_with("torch.ao.nn.intrinsic.quantized.modules"))
        return staticForm(module.className);
    return nullptr;
}

Value packedParams(const Module& module, TensorStore& tensors) {
    const Arguments none;
    const ModuleCall m(module, tensors, none);
    const std::string_view name = module.className;
    if (script::isFileObject(module)) return scriptFileObject(module);
    if (name == "CellParamsBase") return packedCell(m);
    if (name.starts_with("Linear")) return packedLinear(m);
    if (name.starts_with("Embedding")) return packedEmbedding(m);
    if (const std::int64_t dims = dimensionsOf(module); name.starts_with("Conv") && dims > 0)
        return packedConv(m, dims);
    throw runError(Message("engine.module_class", {{"class", module.qualifiedType()}}));
}

} // namespace fx::engine
