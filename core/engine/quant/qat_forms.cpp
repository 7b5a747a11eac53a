// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/quant/qat_forms.h"

#include "core/engine/dispatch.h"
#include "core/ops/compositions.h"

namespace fx::engine {
namespace {

/// A layer's own names, with another weight and bias.
class WithTensors final : public ModuleCall {
public:
    WithTensors(const ModuleCall& m, Value weight, Value bias)
        : ModuleCall(m.module(), m.tensors(), m.arguments()), m_weight(std::move(weight)), m_bias(std::move(bias)) {}
    Value operator[](std::string_view name) const override {
        return name == "weight" ? m_weight : name == "bias" ? m_bias : ModuleCall::operator[](name);
    }

private:
    Value m_weight, m_bias;
};

/// "Conv2d" of "ConvBnReLU2d", "Linear" of "LinearBn1d".
std::string floatClass(const std::string& name) {
    if (name.starts_with("Linear")) return "Linear";
    const std::size_t digit = name.find_first_of("123");
    return name.starts_with("Conv") && digit != name.npos ? "Conv" + name.substr(digit) : name;
}

Value layer(const ModuleCall& m, Value weight, Value bias) {
    const std::string type = floatClass(m.module().className);
    const WithTensors names(m, std::move(weight), std::move(bias));
    if (const char* composition = ops::moduleComposition(type)) return runComposition(composition, names);
    if (const ModuleForm form = moduleForm(type)) return form(names);
    throw runError(Message("engine.module_class", {{"class", m.module().qualifiedType()}}));
}

/// torch.ao `_forward_approximate`: the weight is scaled as the running statistics will scale the result, quantised so,
/// and the result is scaled back before the normalisation.
Value withNorm(const ModuleCall& m) {
    const Arguments none;
    const ModuleCall norm(m.childModule("bn"), m.tensors(), none);
    if (m.has("_enable_slow_path_for_better_numerical_stability") &&
        m.flag("_enable_slow_path_for_better_numerical_stability"))
        throw runError(Message("engine.module_class", {{"class", m.module().qualifiedType()}}));
    const at::Tensor weight = m.tensor("weight"), input = m.tensor("$0");
    const at::Tensor scale = norm.tensor("weight").div(norm.tensor("running_var").add(norm.real("eps")).sqrt());
    std::vector<std::int64_t> ofWeight(static_cast<std::size_t>(weight.dim()), 1), ofResult = ofWeight;
    ofWeight.at(0) = -1, ofResult.at(1) = -1;
    const Value scaled = m.child("weight_fake_quant", {weight.mul(scale.reshape(ofWeight))});
    // The layer's own bias is added afterwards.
    const at::Tensor zeros = scale.new_zeros({weight.size(0)}, input.options());
    at::Tensor result = layer(m, scaled, zeros).tensor().div(scale.reshape(ofResult));
    if (m.given("bias")) result = result.add(m.tensor("bias").reshape(ofResult));
    return m.child("bn", {result});
}

Value trainedLayer(const ModuleCall& m) {
    const Value bias = m.has("bias") ? m["bias"] : Value(); // embeddings have none
    Value result = m.module().child("bn") ? withNorm(m) : layer(m, m.child("weight_fake_quant", {m["weight"]}), bias);
    if (m.module().className.find("ReLU") == std::string::npos) return result;
    return callFunction("torch.nn.functional.relu", {result});
}

} // namespace

ModuleForm qatForm(const Module& module) {
    const bool isQat = module.classModule.starts_with("torch.ao.nn.qat.") ||
                       module.classModule.starts_with("torch.ao.nn.intrinsic.qat.");
    return isQat && module.child("weight_fake_quant") ? trainedLayer : nullptr;
}

} // namespace fx::engine
