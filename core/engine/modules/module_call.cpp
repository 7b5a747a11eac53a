// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/modules/module_call.h"

#include "core/engine/dispatch.h"
#include "core/engine/modules/mkldnn_modules.h"
#include "core/engine/modules/parametrized_modules.h"
#include "core/engine/modules/script_block.h"
#include "core/engine/modules/tensor_hooks.h"
#include "core/engine/own/own_call.h"
#include "core/engine/quant/observers.h"
#include "core/engine/quant/qat_forms.h"
#include "core/engine/quant/quantized_modules.h"
#include "core/module/stand_in.h"
#include "core/ops/compositions.h"
#include "core/ops/nn_modules.h"
#include "core/torchscript/torchscript.h"

#include <charconv>
#include <optional>

namespace fx::engine {

ModuleCall::ModuleCall(const Module& module, TensorStore& tensors, const Arguments& arguments)
    : m_module(module), m_tensors(tensors), m_arguments(arguments) {}

/// The names of a module's inputs; empty if there is one, which has one meaning.
static std::vector<ops::Parameter> inputNames(const Module& module) {
    const auto type = ops::findModule(module.classModule + "." + module.className);
    const auto parameters = type ? type->forwardParameters() : std::vector<ops::Parameter>();
    return parameters.size() > 1 ? parameters : std::vector<ops::Parameter>();
}

Value ModuleCall::input(std::size_t index, std::string_view name) const {
    if (index < m_arguments.positional.size()) return m_arguments.positional[index];
    if (name.empty() && !m_arguments.named.empty())
        if (const auto names = inputNames(m_module); !names.empty()) {
            const Value* value = index < names.size() ? m_arguments.find(names[index].name) : nullptr;
            return value ? *value : Value();
        }
    if (const Value* value = name.empty() ? nullptr : m_arguments.find(name)) return *value;
    // Keyword inputs of modules with one meaning for each: in their order.
    const std::size_t named = index - m_arguments.positional.size();
    return name.empty() && named < m_arguments.named.size() ? m_arguments.named[named].second : Value();
}

bool ModuleCall::has(std::string_view name) const {
    return name == "training" || m_module.parameter(name) || m_module.buffer(name) || m_module.attribute(name) ||
           parametrizationOf(m_module, name);
}

Value ModuleCall::operator[](std::string_view name) const {
    if (name.front() == '$') {
        std::size_t index = 0;
        std::from_chars(name.data() + 1, name.data() + name.size(), index);
        return input(index);
    }
    if (name == "training") return m_module.training;
    if (const Module* list = parametrizationOf(m_module, name)) return parametrizedTensor(*list, m_tensors);
    if (const Module::Slot* slot = m_module.parameter(name)) return m_tensors.value(slot->tensor);
    if (const Module::Slot* slot = m_module.buffer(name)) return m_tensors.value(slot->tensor);
    if (const auto* attribute = m_module.attribute(name)) {
        if (const auto* tensor = std::get_if<TensorPtr>(attribute)) return m_tensors.value(*tensor);
        return toValue(std::get<Argument>(*attribute), [](NodeId) { return Value(); });
    }
    throw runError(Message("engine.module_attribute", {{"class", m_module.qualifiedType()}, {"name", name}}));
}

const Module& ModuleCall::childModule(std::string_view name) const {
    if (const Module* child = m_module.child(name)) return *child;
    throw runError(Message("engine.module_child", {{"class", m_module.qualifiedType()}, {"name", name}}));
}

Value ModuleCall::child(std::string_view name, Values inputs) const {
    return callModule(childModule(name), m_tensors, Arguments{std::move(inputs), {}});
}

/// What torch.ao fuses is a Sequential by another name; those that add take two inputs and have a forward of their own.
static bool isFusedSequential(const Module& module) {
    return module.classModule == "torch.ao.nn.intrinsic.modules.fused" &&
           module.className.find("Add") == std::string::npos;
}

/// The forward of a class of torch.nn; nullopt for classes that it lacks.
static std::optional<Value> callTorchModule(std::string_view className, const ModuleCall& call) {
    for (const auto find : {moduleForm, recurrentForm, transformerForm})
        if (const ModuleForm form = find(className)) {
            const bool plain =
                className.starts_with("Conv") || (className.starts_with("BatchNorm") && !call.training());
            dependsOnMore() = dependsOnMore() || !plain;
            return form(call);
        }
    if (const char* composition = ops::moduleComposition(className)) return runComposition(composition, call);
    return std::nullopt;
}

static std::string textOf(const Argument& argument) {
    const auto* text = argument.as<std::string>();
    return text ? *text : std::string();
}

/// Modules with parametrisations, their lists, and the parametrisations themselves.
static std::optional<Value> callParametrized(const ModuleCall& call) {
    const Module& module = call.module();
    if (const std::string_view plain = classBeforeParametrizations(module); !plain.empty()) {
        dependsOnMore() = true; // it computes its weights
        return callTorchModule(plain, call);
    }
    if (module.className == "ParametrizationList" && module.classModule == "torch.nn.utils.parametrize") {
        dependsOnMore() = true;
        return parametrizedTensor(module, call.tensors());
    }
    const ModuleForm form = parametrizationForm(module);
    return form ? std::optional(form(call)) : std::nullopt;
}

Value callModule(const Module& module, TensorStore& tensors, const Arguments& arguments) {
    const ModuleCall call(module, tensors, arguments);
    if (isOwnCall(module)) {
        dependsOnMore() = true;
        return callOwn(module, tensors, arguments);
    }
    if (runTensorHooks(module, tensors)) dependsOnMore() = true;
    if (module.classModule.starts_with("torch.nn.modules.") || module.classModule == "torch.nn") {
        if (auto result = callTorchModule(module.className, call)) return *result;
        if (module.className.starts_with("Lazy"))
            throw runError(Message("engine.lazy_module",
                                   {{"class", module.qualifiedType()}, {"plain", module.className.substr(4)}}));
    }
    if (script::isScriptBlock(module)) {
        dependsOnMore() = true;
        return callScriptBlock(module, arguments);
    }
    if (script::isScriptFile(module)) {
        dependsOnMore() = true;
        return callScriptFile(module, arguments, tensors);
    }
    if (module.className == "GuardsFn") return {}; // of exported programs: it checks inputs and returns nothing
    if (const ModuleForm form = quantizedForm(module)) return form(call);
    if (const ModuleForm form = mkldnnForm(module)) {
        dependsOnMore() = true;
        return form(call);
    }
    if (const ModuleForm form = qatForm(module)) return form(call);
    if (const ModuleForm form = observerForm(module)) {
        dependsOnMore() = true; // it keeps state
        return form(call);
    }
    if (isFusedSequential(module)) return moduleForm("Sequential")(call);
    if (auto result = callParametrized(call)) return *result;
    if (const auto* refusal = module.setting<Sequence>(kRefusal); refusal && refusal->items.size() == 2)
        throw runError(Message("engine.own_call", {{"name", module.qualifiedType()},
                                                   {"reason", textOf(refusal->items[0])},
                                                   {"remedy", textOf(refusal->items[1])}}));
    throw runError(Message("engine.module_class", {{"class", module.qualifiedType()}}));
}

} // namespace fx::engine
