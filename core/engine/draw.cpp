// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/draw.h"

#include "core/engine/calls.h"
#include "core/engine/dispatch.h"
#include "core/engine/machine.h"
#include "core/engine/value_conversion.h"

#include <c10/util/Exception.h>

#include <cmath>
#include <unordered_map>

namespace fx::engine {
namespace {

Value number(const InputSpec& input) {
    if (input.dtype == "bool") return input.value != 0;
    if (input.dtype == "int") return static_cast<std::int64_t>(std::llround(input.value));
    return input.value;
}

/// Whether tensors of the type hold all integers from `low` to `last`.
bool holds(at::ScalarType type, std::int64_t low, std::int64_t last) {
    const auto bits = static_cast<int>(8 * c10::elementSize(type));
    const bool isSigned = at::isSignedType(type);
    if (!isSigned && low < 0) return false;
    if (bits >= 64) return true;
    const std::int64_t most = (std::int64_t{1} << (isSigned ? bits - 1 : bits)) - 1;
    return last <= most && low >= -most - 1;
}

Value integers(const InputSpec& input, const Value& shape, at::ScalarType type) {
    if (input.high > input.low && !holds(type, input.low, input.high - 1))
        throw Error(ErrorKind::Usage, Message("engine.draw_range", {{"name", input.name},
                                                                    {"dtype", input.dtype.substr(6)},
                                                                    {"low", input.low},
                                                                    {"last", input.high - 1}}));
    if (input.high <= input.low)
        throw Error(ErrorKind::Usage,
                    Message("engine.draw_integers", {{"name", input.name}, {"dtype", input.dtype.substr(6)}}));
    const std::vector<std::pair<std::string, Value>> longs = {{"dtype", at::kLong}};
    const Value drawn = input.low == 0 ? callOperator("aten::randint", {{input.high, shape}, longs})
                                       : callOperator("aten::randint.low", {{input.low, input.high, shape}, longs});
    return callMethod("to", {drawn, type});
}

Value copyOf(const Value& value, std::unordered_map<const c10::TensorImpl*, at::Tensor>& made) {
    if (value.isTensor()) {
        at::Tensor& copy = made[value.tensor().unsafeGetTensorImpl()];
        if (!copy.defined()) copy = value.tensor().clone();
        return copy;
    }
    if (const Items* items = value.items()) {
        auto out = std::make_shared<Items>(*items);
        for (Value& item : out->items) item = copyOf(item, made);
        return out;
    }
    if (const Mapping* mapping = value.mapping()) {
        auto out = std::make_shared<Mapping>(*mapping);
        for (auto& [key, item] : out->items) item = copyOf(item, made);
        return out;
    }
    return value;
}

Value drawnFrom(const InputSpec& input) {
    if (input.dtype == "int" || input.dtype == "float" || input.dtype == "bool") return number(input);
    const auto type = scalarType(input.dtype);
    if (!type)
        throw Error(ErrorKind::Usage, Message("engine.draw_dtype", {{"name", input.name}, {"dtype", input.dtype}}));
    const Value shape = Value::list(Values(input.sizes.begin(), input.sizes.end()));
    switch (input.generator) {
    case Generator::Constant: return callOperator("aten::full", {{shape, input.value}, {{"dtype", *type}}});
    case Generator::Uniform: {
        const Value drawn = callOperator("aten::rand", {{shape}, {{"dtype", *type}}});
        if (input.from == 0 && input.to == 1) return drawn;
        return callMethod("add_", {callMethod("mul_", {drawn, input.to - input.from}), input.from});
    }
    default:
        if (at::isIntegralType(*type, false)) return integers(input, shape, *type);
        return randomInput(input.sizes, *type, input.high);
    }
}

} // namespace

Value copyOf(const Value& value) {
    std::unordered_map<const c10::TensorImpl*, at::Tensor> made;
    return copyOf(value, made);
}

Value drawInput(const InputSpec& input, TensorStore& tensors) {
    if (input.given) return fromTree(*input.given, tensors);
    if (input.generator == Generator::File)
        throw Error(ErrorKind::Usage, Message("engine.draw_file", {{"name", input.name}})).in(input.file);
    try {
        return drawnFrom(input);
    } catch (const c10::Error& error) { // more than there is memory, or a type without random numbers
        throw Error(ErrorKind::Usage,
                    Message("engine.draw_failed",
                            {{"name", input.name}, {"input", inputText(input)}, {"detail", messageOf(error)}}));
    }
}

} // namespace fx::engine
