// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/observer_source.h"

#include "core/ir/code_words.h"
#include "core/ir/print.h"
#include "core/module/constructor_settings.h"
#include "core/ops/nn_modules.h"
#include "core/tensor/elements.h"

namespace fx {
namespace {

constexpr double kDefaultEps = 1.1920928955078125e-07; // torch.finfo(torch.float32).eps

std::string pathOf(const Module& module) {
    const auto type = ops::findModule(module.qualifiedType());
    if (!type) requireDotted(module.qualifiedType());
    return type ? std::string(type->publicPath()) : module.qualifiedType();
}

std::string textOf(const Argument& value) {
    static const Graph noNodes;
    std::string text = reprOf(noNodes, value);
    requireWithoutCalls(value, text); // what its file imports may have that name
    return text;
}

bool isTrue(const Module& module, std::string_view name) {
    const Argument* value = module.setting(name);
    return value && *value == Argument(true);
}

std::optional<double> bufferOf(const Module& module, std::string_view name) {
    const Module::Slot* slot = module.buffer(name);
    if (!slot || !slot->tensor || !slot->tensor->storage || slot->tensor->storage->isExpression()) return std::nullopt;
    const std::vector<double> values = elementValues(*slot->tensor);
    return values.size() == 1 ? std::optional(values[0]) : std::nullopt;
}

class Arguments {
public:
    void add(std::string_view name, const std::string& value) {
        m_text += (m_text.empty() ? "" : ", ") + std::string(name) + "=" + value;
    }
    void add(const Module& module, std::string_view name) {
        if (const Argument* value = module.setting(name); value && !value->isNone()) add(name, textOf(*value));
    }
    std::string take() { return std::move(m_text); }

private:
    std::string m_text;
};

/// Scale and zero point of FixedQParamsObserver, and an `eps` that is not the default.
void addBuffers(const Module& observer, Arguments& arguments) {
    if (const auto scale = bufferOf(observer, "scale")) arguments.add("scale", textOf(*scale));
    if (const auto zero = bufferOf(observer, "zero_point"))
        arguments.add("zero_point", textOf(static_cast<std::int64_t>(*zero)));
    if (const auto eps = bufferOf(observer, "eps"); eps && *eps != kDefaultEps) arguments.add("eps", textOf(*eps));
}

std::string ofObserver(const Module& observer) {
    Arguments arguments;
    addBuffers(observer, arguments);
    for (const Setting& setting : constructorSettings(observer)) {
        const bool isRange =
            setting.name == "quant_min" || setting.name == "quant_max" || setting.name == "reduce_range";
        const bool isBuffer = setting.name == "scale" || setting.name == "zero_point";
        if (!isRange && !isBuffer && !setting.isDefault) arguments.add(setting.name, textOf(setting.value));
    }
    arguments.add(observer, "dtype");
    const bool follows = observer.setting("has_customized_qrange") && !isTrue(observer, "has_customized_qrange");
    if (follows && isTrue(observer, "reduce_range")) arguments.add("reduce_range", "True");
    if (!follows) arguments.add(observer, "quant_min"), arguments.add(observer, "quant_max");
    return arguments.take();
}

} // namespace

bool isTorchAoObserver(const Module& module) {
    return module.classModule == "torch.ao.quantization.observer" ||
           module.classModule == "torch.ao.quantization.fake_quantize";
}

std::string observerArguments(const Module& module) {
    const Module* observer = module.child("activation_post_process");
    if (!observer) return ofObserver(module);
    const std::string arguments = ofObserver(*observer);
    if (module.className == "FixedQParamsFakeQuantize")
        return "observer=" + pathOf(*observer) + ".with_args(" + arguments + ")";
    return "observer=" + pathOf(*observer) + (arguments.empty() ? "" : ", ") + arguments;
}

std::string qconfigSource(const Module& weightFakeQuant) {
    return "torch.ao.quantization.QConfig(torch.nn.Identity, " + pathOf(weightFakeQuant) + ".with_args(" +
           observerArguments(weightFakeQuant) + "))";
}

} // namespace fx
