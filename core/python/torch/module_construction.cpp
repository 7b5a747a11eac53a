// SPDX-License-Identifier: GPL-3.0-or-later
// Construction of modules of torch.nn from the arguments of `__init__`.
#include "core/make/module_factory.h"
#include "core/make/observer_spec.h"
#include "core/ops/nn_modules.h"
#include "core/python/python_interpreter.h"
#include "core/python/torch/meta_device.h"
#include "core/python/torch/module_slots.h"

#include <algorithm>

namespace fx::python {
using trace::CannotFollow;

namespace {
/// Whether a module of torch.nn with these settings is made on the device "meta".
bool isMadeOnMeta(const ModuleSettings& settings, const std::string& defaultDevice) {
    for (const auto& [setting, value] : settings.values) {
        if (setting != "device" || value.isNone()) continue;
        const auto* device = value.as<Device>();
        const auto* name = value.as<std::string>();
        return (device && device->type == "meta") || (name && *name == "meta");
    }
    return defaultDevice == "meta";
}
} // namespace

/// Raises what the constructor of PyTorch raises for these settings.
void Modules::requireSettings(const Instance& self, const ops::NnModule& entry, const Values& args,
                              const Keywords& kwargs) {
    if (!entry.path().starts_with("torch.nn.modules.")) return;
    const Value* check = run(*ownFile("torch.nn.modules._checks")).names.find(entry.name());
    if (!check) return;
    const auto parameters = entry.parameters();
    Keywords given;
    for (std::size_t i = 0; i < args.size(); ++i) given.emplace_back(std::string(parameters[i].name), args[i]);
    given.insert(given.end(), kwargs.begin(), kwargs.end());
    call(*check, {text(self.type->name)}, std::move(given));
}

Argument Modules::settingOf(const Value& value) {
    const auto* type = value.as<Class>();
    const auto* traced = value.as<Traced>();
    const trace::Value operand = toOperand(value, false);
    const auto* function = operand.as<trace::FunctionValue>();
    if (function && (traced || (type && !type->torchPath.empty()))) return CallableValue{function->callable};
    const auto* plain = operand.as<Argument>();
    const auto* constant = plain ? plain->as<TorchConstant>() : nullptr;
    if (constant && constant->kind == TorchConstant::Kind::QScheme) return *plain; // which no graph holds
    return tracer().toArgument(operand);
}

void Modules::constructTorchModule(Instance& self, Class& type, const Values& args, const Keywords& kwargs) {
    self.awaitsInit = false;
    const auto entry = ops::findModule(type.torchPath);
    const auto parameters = entry->parameters();
    ModuleSettings settings;
    std::vector<std::pair<std::string, TensorPtr>> tensors; // `CrossEntropyLoss(weight=...)` keeps it as a buffer
    Value weight;
    const auto give = [&](std::string_view name, const Value& value) {
        if (isProxy(value)) throw CannotFollow(Message("call.module_class", {{"name", entry->publicPath()}}));
        if (tensorIn(value) && name == "_weight") return void(weight = value); // of Embedding and EmbeddingBag
        if (tensorIn(value) && (name == "weight" || name == "pos_weight"))
            return void(tensors.emplace_back(name, m_in.tensors().keptOf(value)));
        const auto* instance = value.as<Instance>();
        if (instance && instance->module) settings.modules.emplace_back(name, instance->module);
        else settings.values.emplace_back(name, settingOf(value));
    };
    if (args.size() > parameters.size())
        raise("TypeError", type.name + ".__init__() takes from 1 to " + std::to_string(parameters.size() + 1) +
                               " positional arguments but " + std::to_string(args.size() + 1) + " were given");
    for (std::size_t i = 0; i < args.size(); ++i) give(parameters[i].name, args[i]);
    for (const auto& [key, value] : kwargs) {
        const bool isKnown = std::any_of(parameters.begin(), parameters.end(), [k = &key](const auto& each) {
            return each.name == *k || each.kind == ops::Parameter::Kind::VarKeyword; // refused by what takes them
        });
        if (!isKnown && key == "proj_size" && (type.name == "GRU" || type.name == "RNN"))
            raise("ValueError", "proj_size argument is only supported for LSTM, not RNN or GRU");
        if (!isKnown) raise("TypeError", type.name + ".__init__() got an unexpected keyword argument '" + key + "'");
        give(key, value);
    }
    requireSettings(self, *entry, args, kwargs);
    const bool isMeta = isMadeOnMeta(settings, m_in.metaDevice().defaultDevices().back());
    const auto isDefault = [](const auto& each) {
        const auto* dtype = each.second.template as<TorchConstant>();
        return each.first == "device" ||
               (each.first == "dtype" && (each.second.isNone() || (dtype && dtype->name == "torch.float32")));
    };
    const bool isObserver = static_cast<bool>(quant::observerKind(type.torchPath)); // whose dtype is not of its tensors
    if (!isObserver) std::erase_if(settings.values, isDefault);
    self.construction.reset(new Instance::Construction{&type, args, kwargs});
    const auto wanted = std::find_if(settings.values.begin(), settings.values.end(),
                                     [](const auto& each) { return each.first == "dtype"; });
    const auto* named = wanted == settings.values.end() ? nullptr : wanted->second.as<TorchConstant>();
    const auto dtype = named ? dtypeFromName(named->name) : std::nullopt;
    const bool isDrawn = !isObserver && dtype && TorchGenerator::draws(*dtype);
    if (isDrawn) settings.values.erase(wanted);
    const DrawnType drawn(*m_in.moduleRandom, isDrawn ? *dtype : DType::Float32);
    const TorchGenerator::State state = m_in.moduleRandom->state();
    const auto made = makeModule(type.torchPath, settings, *m_in.moduleRandom);
    if (!made->parameters.empty()) m_in.attributeChanges().requireOwnInit();
    if (isMeta) { // PyTorch draws nothing for it
        m_in.moduleRandom->setState(state);
        forEachModule(*made, [](const std::string&, const Module& module) { setDevice(module, "meta"); });
    }
    for (const auto& [name, value] : made->attributes) {
        const auto* held = std::get_if<Argument>(&value);
        if (!held || name != "p" || type.name.find("Dropout") == type.name.npos) continue;
        const Value p = fromTrace({*held});
        if (p.isNumber() && (p.asReal() < 0 || p.asReal() > 1))
            raise("ValueError", "dropout probability has to be between 0 and 1, but got " + repr(p));
    }
    for (const auto& [name, tensor] : tensors) {
        forget(made->attributes, name);
        slotOf(made->buffers, name).tensor = tensor;
    }
    if (weight.isSet()) { // nothing is drawn
        m_in.moduleRandom->setState(state);
        auto& slot = slotOf(made->parameters, "weight");
        if (tensorIn(weight)->tensor->sizes != slot.tensor->sizes)
            raise("AssertionError", "Shape of weight does not match num_embeddings and embedding_dim");
        slot.tensor = tensorIn(m_in.tensors().makeParameter({weight, Value(slot.tensor->requiresGrad)}, {}))->tensor;
    }
    Module& module = *self.module;
    for (auto& slot : made->parameters) slotOf(module.parameters, slot.name) = std::move(slot);
    for (auto& slot : made->buffers) slotOf(module.buffers, slot.name) = std::move(slot);
    for (auto& child : made->children) slotOf(module.children, child.name) = std::move(child);
    if (module.attributes.empty()) {
        module.attributes = std::move(made->attributes);
        return;
    }
    for (auto& attribute : made->attributes) {
        forget(module.attributes, attribute.first);
        module.attributes.push_back(std::move(attribute));
    }
}

void Modules::resetTorchModule(Instance& self) {
    if (!self.construction)
        raise("AttributeError", "'" + self.type->name + "' object has no attribute 'reset_parameters'");
    const Instance::Construction& made = *self.construction;
    Instance fresh;
    fresh.type = self.type;
    fresh.module = std::make_shared<Module>();
    Keywords kwargs = made.kwargs; // on the device where the weights are now
    std::erase_if(kwargs, [](const auto& each) { return each.first == "device"; });
    const auto& slots = self.module->parameters;
    if (std::any_of(slots.begin(), slots.end(), [](const auto& each) { return each.tensor; })) {
        const bool isMeta = std::any_of(slots.begin(), slots.end(),
                                        [](const auto& each) { return each.tensor && each.tensor->device == "meta"; });
        kwargs.emplace_back("device", text(isMeta ? "meta" : "cpu"));
    }
    constructTorchModule(fresh, *made.type, made.args, kwargs);
    const auto draw = [](std::vector<Module::Slot>& into, const std::vector<Module::Slot>& from) {
        for (auto& slot : into)
            for (const auto& drawn : from)
                if (slot.name == drawn.name && slot.tensor && drawn.tensor && slot.tensor->sizes == drawn.tensor->sizes)
                    const_cast<TensorRef&>(*slot.tensor).storage = drawn.tensor->storage;
    };
    draw(self.module->parameters, fresh.module->parameters);
    draw(self.module->buffers, fresh.module->buffers);
}

} // namespace fx::python
