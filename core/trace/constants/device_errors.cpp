// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/python_functions.h"
#include "core/trace/constants/argument_parser.h"
#include "core/trace/constants/constant_sizes.h"
#include "core/trace/constants/size_errors.h"
#include "core/trace/function_calls.h"

namespace fx::trace {
namespace {

/// The type of a device or of its text; empty for other values.
std::string_view deviceType(const Value& value) {
    const auto* argument = value.as<Argument>();
    if (const auto* device = argument ? argument->as<Device>() : nullptr) return device->type;
    const auto* text = argument ? argument->as<std::string>() : nullptr;
    return text ? std::string_view(*text).substr(0, text->find(':')) : std::string_view();
}

void requireAccelerator(const Value& device) {
    const auto* argument = device.as<Argument>();
    if (argument && argument->as<std::int64_t>())
        raiseAs("RuntimeError", "Cannot access accelerator device when none is available.");
    const std::string_view type = deviceType(device);
    if (type == "cuda") raiseAs("AssertionError", "Torch not compiled with CUDA enabled");
    if (type == "xpu") raiseAs("AssertionError", "Torch not compiled with XPU enabled");
}

} // namespace

void requireDeviceOf(const Value& callee, const Values& args, const KeywordValues& kwargs) {
    const auto* method = callee.as<BoundMethod>();
    const bool isOfTensor = method && method->self.as<TensorValue>();
    const bool moves = isOfTensor && (method->name == "cuda" || method->name == "xpu");
    const Value* device = kwargs.empty() ? nullptr : keywordOf(kwargs, "device");
    if (!device && !args.empty() && (moves || (isOfTensor && method->name == "to"))) device = &args[0];
    if (!device && !moves) return;
    const auto* function = callee.as<FunctionValue>();
    const bool isOfTorch = function && function->known &&
                           function->known->kind() == ops::PythonFunction::Kind::CFunction &&
                           function->callable->fromTorch;
    if ((!isOfTensor && !isOfTorch) || anyProxy(args, kwargs)) return;
    if (device && !device->isNone()) return requireAccelerator(*device);
    if (moves) requireAccelerator({Argument(method->name)});
}

} // namespace fx::trace
