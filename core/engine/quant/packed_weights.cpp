// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/quant/packed_weights.h"

#include "core/engine/ivalues.h"

namespace fx::engine {
namespace {

/// The tensor of that name wherever a module keeps it, null if it has none.
TensorPtr tensorOf(const Module& module, std::string_view name) {
    if (const auto* attribute = module.attribute(name))
        if (const auto* tensor = std::get_if<TensorPtr>(attribute)) return *tensor;
    return module.tensor(name);
}

TensorPtr weightNamed(const Module& module, std::string_view name) {
    if (TensorPtr weight = tensorOf(module, name)) return weight;
    throw runError(Message("engine.packed_weights", {{"class", module.qualifiedType()}}));
}
TensorPtr weightOf(const Module& module) { return weightNamed(module, "weight"); }

/// PyTorch packs the bias without gradients.
Value biasOf(const ModuleCall& m, const Module& module, std::string_view name = "bias") {
    const TensorPtr bias = tensorOf(module, name);
    return bias ? Value(m.tensors().whole().tensor(bias).detach()) : Value();
}

Value pack(const ModuleCall& m, const TensorPtr& weight, const std::string& op,
           const std::function<Values()>& arguments) {
    return objectValue(m.tensors().packed(weight, op, [&] {
        const Kernel* kernel = findKernel(op);
        if (!kernel) throw runError(Message("engine.unknown_operator", {{"name", op}, {"similar", ""}}));
        const Value packed = callKernel(*kernel, Arguments{arguments(), {}}, ResultStyle::Overload);
        return packed.scriptObject() ? packed.scriptObject()->value : c10::IValue(packed.tensor());
    }));
}

/// float16 weights are packed from float32.
Value packLinear(const ModuleCall& m, const Module& holder, const TensorPtr& weight, std::string_view bias) {
    const bool isHalf = weight->dtype != DType::QInt8;
    return pack(m, weight, isHalf ? "quantized::linear_prepack_fp16" : "quantized::linear_prepack", [&]() -> Values {
        at::Tensor values = m.tensors().whole().tensor(weight).detach();
        if (isHalf && values.scalar_type() != at::kFloat) values = values.to(at::kFloat);
        return {values, biasOf(m, holder, bias)};
    });
}

const Module& linearHolder(const ModuleCall& m) {
    const Module* child = m.module().child("_packed_params");
    return child ? *child : m.module();
}
const Module& embeddingHolder(const ModuleCall& m) { return linearHolder(m); }

Value sizesOf(const ModuleCall& m, std::string_view name, std::size_t dims, bool zero = false) {
    const auto sizes = zero ? std::vector<std::int64_t>(dims, 0) : m.integers(name, dims);
    return Value::list(
        Values(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(std::min(sizes.size(), dims))));
}

} // namespace

std::string constantName(const ModuleCall& m, std::string_view name) {
    const auto* constant = m.module().setting<TorchConstant>(name);
    return constant ? constant->name : std::string();
}

Value packedConv(const ModuleCall& m, std::int64_t dims) {
    const TensorPtr weight = weightOf(m.module());
    const bool transposed = m.has("transposed") ? m.flag("transposed") : m.has("output_padding");
    const bool padsItself = m.has("padding_mode") && m.text("padding_mode") != "zeros";
    const auto count = static_cast<std::size_t>(dims);
    const std::string op =
        std::string("quantized::conv") + (transposed ? "_transpose" : "") + std::to_string(dims) + "d_prepack";
    return pack(m, weight, op, [&]() -> Values {
        Values out{m.tensors().whole().tensor(weight), biasOf(m, m.module()), sizesOf(m, "stride", count),
                   sizesOf(m, "padding", count, padsItself)};
        if (transposed) out.push_back(sizesOf(m, "output_padding", count));
        out.insert(out.end(), {sizesOf(m, "dilation", count), m["groups"]});
        return out;
    });
}

Value packedLinear(const ModuleCall& m) {
    const Module& holder = linearHolder(m);
    return packLinear(m, holder, weightOf(holder), "bias");
}

namespace {
/// The linear part as torch.save writes a cell: an object of its own.
const Module* partOf(const ModuleCall& m, std::string_view weight) {
    return m.module().child("_packed_" + std::string(weight));
}
} // namespace

Value packedPart(const ModuleCall& m, std::string_view weight, std::string_view bias) {
    if (const Module* part = partOf(m, weight)) return packLinear(m, *part, weightOf(*part), "bias");
    return packLinear(m, m.module(), weightNamed(m.module(), weight), bias);
}
bool isHalfPart(const ModuleCall& m, std::string_view weight) {
    const Module* part = partOf(m, weight);
    return (part ? weightOf(*part) : weightNamed(m.module(), weight))->dtype != DType::QInt8;
}

Value packedEmbedding(const ModuleCall& m) {
    const TensorPtr weight = weightOf(embeddingHolder(m));
    return pack(m, weight, "quantized::embedding_bag_prepack",
                [&]() -> Values { return {m.tensors().whole().tensor(weight)}; });
}

bool isHalfLinear(const ModuleCall& m) { return weightOf(linearHolder(m))->dtype != DType::QInt8; }
bool isFourBits(const ModuleCall& m) { return constantName(m, "dtype") == "torch.quint4x2"; }

} // namespace fx::engine
