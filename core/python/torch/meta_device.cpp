// SPDX-License-Identifier: GPL-3.0-or-later
// Tensors on the device "meta": `with torch.device("meta")`, `device="meta"`, `to_empty`.
#include "core/python/torch/meta_device.h"

#include "core/make/source_tensors.h"
#include "core/python/python_interpreter.h"

#include <algorithm>

namespace fx::python {

namespace {
void place(const TensorRef& tensor, std::string_view device) { const_cast<TensorRef&>(tensor).device = device; }

const Device* deviceIn(const Value& value) {
    const auto* traced = value.as<Traced>();
    const auto* argument = traced ? traced->value.as<Argument>() : nullptr;
    return argument ? argument->as<Device>() : nullptr;
}

/// The type of a device that is given as one or as text; empty for other values.
std::string_view deviceType(const Value& value) {
    if (const Device* device = deviceIn(value)) return device->type;
    const auto* text = value.as<Str>();
    return text ? std::string_view(text->text).substr(0, text->text.find(':')) : std::string_view();
}

bool isMeta(const Value& value) { return tensorIn(value) && tensorIn(value)->tensor->device == "meta"; }

bool holdsMeta(const Value& value) { return anyInside(value, isMeta); }

void placeResult(const Value& value) {
    anyInside(value, [](const Value& each) {
        if (tensorIn(each)) place(*tensorIn(each)->tensor, "meta");
        return false;
    });
}

template<class Visit> void forEachTensor(const Module& module, Visit visit) {
    for (const auto& slot : module.parameters)
        if (slot.tensor) visit(*slot.tensor);
    for (const auto& slot : module.buffers)
        if (slot.tensor) visit(*slot.tensor);
    for (const auto& attribute : module.attributes)
        if (const auto* tensor = std::get_if<TensorPtr>(&attribute.second); tensor && *tensor) visit(**tensor);
}
} // namespace

void setDevice(const Module& module, std::string_view device) {
    forEachTensor(module, [&](const TensorRef& tensor) { place(tensor, device); });
}

bool MetaDevice::isOnMeta(const Traced& callee, const Values& args, const Keywords& kwargs) const {
    const auto* function = callee.value.as<trace::FunctionValue>();
    const auto* method = callee.value.as<trace::BoundMethod>();
    const auto isRecorded = [](const auto& each) { return holdsProxy(each.second); };
    if ((!function && !method) || std::any_of(args.begin(), args.end(), holdsProxy) ||
        std::any_of(kwargs.begin(), kwargs.end(), isRecorded))
        return false;
    for (const auto& [key, value] : kwargs)
        if (key == "device" && !value.isNone()) return deviceType(value) == "meta";
    if (method) {
        if (method->name == "to" && !args.empty() && deviceType(args[0]) == "meta") return true;
        const auto* self = method->self.as<trace::TensorValue>();
        if (self && self->tensor->device == "meta") return true;
    }
    if (std::any_of(args.begin(), args.end(), holdsMeta) ||
        std::any_of(kwargs.begin(), kwargs.end(), [](const auto& each) { return holdsMeta(each.second); }))
        return true;
    return function && m_defaultDevices.back() == "meta" && trace::isTensorFactory(function->path);
}

Value MetaDevice::calledOnMeta(const Traced& callee, Values args, Keywords kwargs) {
    std::erase_if(kwargs, [](const auto& each) { return each.first == "device"; });
    for (Value& arg : args)
        if (deviceIn(arg) || (callee.value.as<trace::BoundMethod>() && deviceType(arg) == "meta")) arg = text("cpu");
    struct Restore {
        TensorMachine* machine;
        TorchGenerator &random, *drawsFrom;
        TorchGenerator::State state;
        ~Restore() {
            random.setState(state);
            if (machine) machine->random = drawsFrom;
        }
    } restore{m_in.machine, m_in.random(), m_in.machine ? std::exchange(m_in.machine->random, nullptr) : nullptr,
              m_in.random().state()};
    Value made = m_in.calls().calledByTracer(callee, std::move(args), std::move(kwargs));
    const auto* method = callee.value.as<trace::BoundMethod>();
    const auto* self = method ? method->self.as<trace::TensorValue>() : nullptr;
    if (self && tensorIn(made) && tensorIn(made)->tensor == self->tensor && self->tensor->device != "meta")
        made = traced({trace::TensorValue{std::make_shared<TensorRef>(*self->tensor)}}); // `to("meta")`
    placeResult(made);
    return made;
}

bool MetaDevice::enterDevice(const Value& context) {
    if (!deviceIn(context)) return false;
    m_defaultDevices.push_back(deviceIn(context)->type);
    return true;
}

void MetaDevice::leaveDevice(const Value& context) {
    if (deviceIn(context) && m_defaultDevices.size() > 1) m_defaultDevices.pop_back();
}

void MetaDevice::dropValues(const Module& root) {
    forEachModule(root, [](const std::string&, const Module& module) {
        forEachTensor(module, [](const TensorRef& tensor) {
            if (tensor.device == "meta") const_cast<TensorRef&>(tensor).storage = nullptr;
        });
    });
}

void MetaDevice::addDeviceHelpers() {
    m_in.builtins().names().set(
        "__set_device__", native("__set_device__", [](Interpreter& in, Values& args, Keywords&) -> Value {
            place(*in.tensors().tensorOf(args.at(0)), deviceType(args.at(1)) == "meta" ? "meta" : "cpu");
            return Value::none();
        }));
    m_in.builtins().names().set("__default_device__",
                                native("__default_device__", [](Interpreter& in, Values& args, Keywords&) {
                                    if (!args.empty()) in.metaDevice().m_defaultDevices.front() = deviceType(args[0]);
                                    return Value(in.text(in.metaDevice().m_defaultDevices.back()));
                                }));
}

} // namespace fx::python
