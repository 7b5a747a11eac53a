// SPDX-License-Identifier: GPL-3.0-or-later
// Elements of small tensors whose bytes are known, for constructors that compute with them.
#include "core/python/python_interpreter.h"
#include "core/tensor/storage.h"
#include "core/trace/constants/dtype_texts.h"

#include <algorithm>

namespace fx::python {
/// One element as Python's number; unset when it is not known.
Value Tensors::elementOf(const TensorRef& tensor, std::int64_t at) {
    std::optional<double> number;
    if (const auto* known = m_numbers.find(*tensor.storage)) {
        if (static_cast<std::size_t>(at) < known->size()) number = (*known)[static_cast<std::size_t>(at)];
    } else {
        number = elementFromBytes(tensor, at);
    }
    if (!number) return {};
    switch (tensor.dtype) {
    case DType::Bool: return {*number != 0};
    case DType::Float16:
    case DType::BFloat16:
    case DType::Float32:
    case DType::Float64: return {*number};
    default: return {static_cast<std::int64_t>(*number)};
    }
}

bool Tensors::hasNumbers(const TensorRef& tensor) const {
    return tensor.storage && (!tensor.storage->isExpression() || m_numbers.find(*tensor.storage)) &&
           tensor.elementCount() <= KnownNumbers::kMost;
}

/// The elements as nested lists, or as one number; unset when they are not known.
Value Tensors::numbersOf(const TensorPtr& asked) {
    const bool isKnown = asked->storage && m_numbers.find(*asked->storage);
    const TensorPtr valued = m_in.machine && !isKnown ? m_in.machine->valueOf(asked) : asked;
    const TensorRef& tensor = *valued;
    m_in.missedValues |= isShapeOnly(tensor);
    if (!hasNumbers(tensor)) return {};
    const std::function<Value(std::size_t, std::int64_t)> part = [&](std::size_t dimension,
                                                                     std::int64_t offset) -> Value {
        if (dimension == tensor.sizes.size()) return elementOf(tensor, offset);
        List* items = listOf({});
        for (std::int64_t i = 0; i < tensor.sizes[dimension]; ++i) {
            const Value each = part(dimension + 1, offset + i * tensor.strides[dimension]);
            if (!each.isSet()) return {};
            items->items.push_back(each);
        }
        return items;
    };
    return part(0, tensor.offset);
}

Value Tensors::partOf(const trace::TensorValue& whole, std::int64_t asked) {
    const TensorRef& tensor = *whole.tensor;
    if (m_in.machine || traces() || !hasNumbers(tensor) || tensor.sizes.empty()) return {};
    const std::int64_t at = asked < 0 ? asked + tensor.sizes[0] : asked;
    if (at < 0 || at >= tensor.sizes[0])
        raise("IndexError", "index " + std::to_string(asked) + " is out of bounds for dimension 0 with size " +
                                std::to_string(tensor.sizes[0]));
    auto part = std::make_shared<TensorRef>(tensor);
    part->offset += at * part->strides[0];
    part->sizes.erase(part->sizes.begin());
    part->strides.erase(part->strides.begin());
    part->isParameter = false;
    part->requiresGrad = whole.object().requiresGrad && !m_in.gradients.isInference;
    m_in.gradients.noteView(part, whole.data ? whole.data : whole.tensor);
    return traced({trace::TensorValue{part}});
}

Value Tensors::numberOf(const Value& tensor) {
    const TensorPtr& known = tensorIn(tensor)->tensor;
    if (known->elementCount() != 1) return {};
    Value numbers = numbersOf(known);
    while (const auto* list = numbers.as<List>()) numbers = list->items.at(0);
    return numbers;
}

namespace {
/// Those whose tensors have a class of their own.
constexpr DType kTyped[] = {DType::Float32, DType::Float64, DType::Float16,   DType::BFloat16,
                            DType::Int64,   DType::Int32,   DType::Int16,     DType::Int8,
                            DType::UInt8,   DType::Bool,    DType::Complex64, DType::Complex128};

/// The dtype that `tensor.type("torch.DoubleTensor")` or a class of that name converts to; unset for other arguments.
Value dtypeNamed(Interpreter& in, const Value& type) {
    const auto* text = type.as<Str>();
    const auto* of = type.as<Class>();
    if (!text && !(of && of->file && of->file->name == "torch")) return {};
    const std::string name = text ? text->text : "torch." + of->name;
    for (const DType dtype : kTyped)
        if (trace::typeText(dtype) == name) return in.resolve(std::string(dtypeName(dtype)));
    if (name.starts_with("torch.cuda.") || name.starts_with("torch.sparse."))
        throw trace::CannotFollow(Message("trace.not_computed", {{"function", "Tensor.type(" + name + ")"}}));
    in.raise("ValueError", "invalid type: '" + name + "'");
}

/// `tensor.type()`, which names the class of its dtype, and `tensor.type(...)`, which converts.
Native::Body typeMethod(const Value& tensor, const Value& convert) {
    return [tensor, convert](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
        Value* given = args.empty() ? keyword(kwargs, "dtype") : &args[0];
        if (given && !given->isNone()) {
            if (const Value dtype = dtypeNamed(in, *given); dtype.isSet()) *given = dtype;
            return in.call(convert, args, kwargs);
        }
        const TensorRef& known = tensorIn(tensor)->object();
        if (std::find(std::begin(kTyped), std::end(kTyped), known.dtype) == std::end(kTyped))
            throw trace::CannotFollow(Message("trace.not_computed", {{"function", "Tensor.type"}}));
        const std::string name = trace::typeText(known.dtype);
        return in.text(known.device == "meta" ? "torch.meta" + name.substr(name.find('.')) : name);
    };
}
} // namespace

Value Tensors::tensorMethod(const Value& tensor, std::string_view name) {
    if (name == "type")
        return native("type", typeMethod(tensor, fromTrace(tracer().attribute(tensor.get<Traced>().value, "type"))));
    if (name != "item" && name != "tolist" && name != "numpy") return {};
    if (name == "numpy" && tensorIn(tensor)->object().requiresGrad)
        return native("numpy", [](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
            const Value* force = keyword(kwargs, "force");
            if (!args.empty() || (force && in.truth(*force)))
                throw trace::CannotFollow(Message("trace.not_computed", {{"function", "Tensor.numpy(force=True)"}}));
            in.raise("RuntimeError", "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() "
                                     "instead.");
        });
    const Value numbers = name == "item" ? numberOf(tensor) : numbersOf(tensorIn(tensor)->tensor);
    if (!numbers.isSet()) return {};
    if (name == "numpy") {
        const std::string dtype = repr(attribute(tensor, "dtype")).substr(std::string_view("torch.").size());
        return native("numpy", [numbers, dtype](Interpreter& in, Values&, Keywords&) -> Value {
            const Value make = *in.run(*in.ownFile("numpy")).names.find("_of_tensor");
            return in.call(make, {numbers, in.text(dtype)});
        });
    }
    return native(std::string(name), [numbers](Interpreter&, Values&, Keywords&) -> Value { return numbers; });
}

} // namespace fx::python
