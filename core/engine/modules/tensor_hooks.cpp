// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/modules/tensor_hooks.h"

#include "core/engine/dispatch.h"
#include "core/engine/modules/module_call.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>

namespace fx::engine {
namespace {

/// A hook on one tensor: its fields, and the tensors of its module by the suffix of their names.
class TensorHook {
public:
    TensorHook(const Dict& fields, const ModuleCall& call, std::string_view nameField)
        : m_fields(fields), m_call(call) {
        const std::string* name = field<std::string>(nameField);
        if (!name) throw runError(Message("engine.module_hook", {{"class", call.module().qualifiedType()}}));
        m_name = *name;
    }
    const std::string& name() const { return m_name; }
    at::Tensor tensor(const char* suffix) const { return m_call.tensor(m_name + suffix); }
    bool training() const { return m_call.training(); }
    Value value(std::string_view key) const {
        const Argument* found = find(key);
        return found ? toValue(*found, [](NodeId) { return Value(); }) : Value();
    }
    std::int64_t integer(std::string_view key) const { return value(key).needInteger(); }

private:
    const Argument* find(std::string_view key) const {
        for (const auto& [name, value] : m_fields.items)
            if (const auto* text = name.as<std::string>(); text && *text == key) return &value;
        return nullptr;
    }
    template<class T> const T* field(std::string_view key) const {
        const Argument* found = find(key);
        return found ? found->as<T>() : nullptr;
    }

    const Dict& m_fields;
    const ModuleCall& m_call;
    std::string m_name;
};

at::Tensor weightNorm(const TensorHook& hook) {
    return callOperator("aten::_weight_norm", {{hook.tensor("_v"), hook.tensor("_g"), hook.value("dim")}, {}}).tensor();
}

at::Tensor normalizedBy(const at::Tensor& vector, const Value& eps) {
    return callFunction("torch.nn.functional.normalize", {vector, 2.0, 0, eps}).tensor();
}

/// The weight over its largest singular value, which power iterations approach in training.
at::Tensor spectralNorm(const TensorHook& hook) {
    const at::Tensor weight = hook.tensor("_orig"), u = hook.tensor("_u"), v = hook.tensor("_v");
    const at::Tensor turned = weight.movedim(hook.integer("dim"), 0), rows = turned.reshape({turned.size(0), -1});
    const std::int64_t turns = hook.training() ? hook.integer("n_power_iterations") : 0;
    for (std::int64_t turn = 0; turn < turns; ++turn) {
        v.copy_(normalizedBy(rows.t().mv(u), hook.value("eps")));
        u.copy_(normalizedBy(rows.mv(v), hook.value("eps")));
    }
    return weight / u.dot(rows.mv(v));
}

at::Tensor pruned(const TensorHook& hook) {
    const at::Tensor whole = hook.tensor("_orig");
    return hook.tensor("_mask").to(whole.scalar_type()) * whole;
}

struct HookClass {
    std::string_view type; ///< or the module of all its classes, with a dot at its end
    std::string_view name; ///< the field with the name of the tensor
    at::Tensor (*compute)(const TensorHook& hook);
};
constexpr HookClass kHookClasses[] = {{"torch.nn.utils.weight_norm.WeightNorm", "name", weightNorm},
                                      {"torch.nn.utils.spectral_norm.SpectralNorm", "name", spectralNorm},
                                      {"torch.nn.utils.prune.", "_tensor_name", pruned}};

const HookClass* hookClass(std::string_view type) {
    for (const HookClass& each : kHookClasses)
        if (each.type.ends_with('.') ? type.starts_with(each.type) : type == each.type) return &each;
    return nullptr;
}

/// Where the module keeps the tensor that a hook computes.
TensorPtr placeOf(const Module& module, const std::string& name) {
    const auto* attribute = module.attribute(name);
    if (const auto* tensor = attribute ? std::get_if<TensorPtr>(attribute) : nullptr) return *tensor;
    const Module::Slot* buffer = module.buffer(name);
    return buffer ? buffer->tensor : nullptr;
}

} // namespace

bool runTensorHooks(const Module& module, TensorStore& tensors) {
    const Argument* all = module.setting("_forward_pre_hooks");
    const auto* hooks = all ? all->as<Dict>() : nullptr;
    if (!hooks || hooks->items.empty()) return false;
    if (tensors.holdsShapes()) return true;
    const c10::InferenceMode ordinary(false); // `restore` overwrites what is computed here
    const at::NoGradGuard noGradients;
    const Message unknown("engine.module_hook", {{"class", module.qualifiedType()}});
    const Arguments none;
    const ModuleCall call(module, tensors, none);
    for (const auto& [key, hook] : hooks->items) {
        const auto* parts = hook.asTuple();
        const bool isPair = parts && parts->items.size() == 2;
        const auto* type = isPair ? parts->items[0].as<std::string>() : nullptr;
        const auto* fields = isPair ? parts->items[1].as<Dict>() : nullptr;
        const HookClass* known = type && fields ? hookClass(*type) : nullptr;
        if (!known) throw runError(unknown);
        const TensorHook tensorHook(*fields, call, known->name);
        const TensorPtr place = placeOf(module, tensorHook.name());
        if (!place) throw runError(unknown);
        tensors.replace(place, known->compute(tensorHook));
    }
    return true;
}

} // namespace fx::engine
