// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/ivalues.h"

#include <ATen/core/jit_type.h>
#include <ATen/ops/scalar_tensor.h>

namespace fx::engine {
namespace {

[[noreturn]] void refuse(const Value& value, const c10::Type& type) {
    if (value.wideInteger()) throw raised("OverflowError: int too big to convert");
    throw runError(Message("engine.expected_type", {{"expected", type.annotation_str()}, {"got", typeText(value)}}));
}

std::optional<at::Scalar> scalarOf(const Value& value) {
    if (const auto* v = value.as<bool>()) return at::Scalar(*v);
    if (const auto* v = value.as<std::int64_t>()) return at::Scalar(*v);
    if (const auto* v = value.as<double>()) return at::Scalar(*v);
    if (value.isTensor() && value.tensor().numel() == 1) return value.tensor().item();
    if (const BigInt* wide = value.wideInteger()) {
        if (const auto number = unsignedOf(*wide)) return at::Scalar(*number);
        throw raised("OverflowError: int too big to convert");
    }
    const Argument* constant = value.constant();
    if (const auto* v = constant ? constant->as<Complex>() : nullptr)
        return at::Scalar(c10::complex<double>(v->re, v->im));
    return std::nullopt;
}

std::optional<std::int64_t> integerOf(const Value& value) {
    if (const auto v = value.integer()) return v;
    if (const auto* v = value.as<at::ScalarType>()) return static_cast<std::int64_t>(*v);
    if (const auto* v = value.as<at::Layout>()) return static_cast<std::int64_t>(*v);
    if (const auto* v = value.as<at::MemoryFormat>()) return static_cast<std::int64_t>(*v);
    if (value.isTensor() && value.tensor().numel() == 1 && at::isIntegralType(value.tensor().scalar_type(), true))
        return value.tensor().item().toLong();
    // `dtype=float`: Python's own types stand for dtypes.
    const Callable* type = value.callable();
    if (type && type->name == "float") return static_cast<std::int64_t>(at::kDouble);
    if (type && type->name == "int") return static_cast<std::int64_t>(at::kLong);
    if (type && type->name == "bool") return static_cast<std::int64_t>(at::kBool);
    return std::nullopt;
}

std::optional<double> realOf(const Value& value) {
    if (const auto v = value.real()) return v;
    if (value.isTensor() && value.tensor().numel() == 1) return value.tensor().item().toDouble();
    return std::nullopt;
}

c10::IValue convert(const Value& value, const c10::Type& type, int size);

template<class T, class Convert> c10::IValue listOf(const Values& items, const c10::Type& type, Convert one) {
    c10::List<T> out;
    out.reserve(items.size());
    for (const Value& item : items) {
        auto converted = one(item);
        if (!converted) refuse(item, type);
        out.push_back(*converted);
    }
    return out;
}

c10::IValue convertList(const Values& items, const c10::ListType& list) {
    const c10::Type& element = *list.getElementType();
    switch (element.kind()) {
    case c10::TypeKind::IntType:
    case c10::TypeKind::SymIntType: return listOf<std::int64_t>(items, list, integerOf);
    case c10::TypeKind::FloatType: return listOf<double>(items, list, realOf);
    case c10::TypeKind::BoolType: return listOf<bool>(items, list, integerOf);
    case c10::TypeKind::TensorType:
        return listOf<at::Tensor>(items, list, [](const Value& item) {
            return item.isTensor() ? std::optional(item.tensor()) : std::nullopt;
        });
    case c10::TypeKind::OptionalType:
        if (element.expectRef<c10::OptionalType>().getElementType()->kind() != c10::TypeKind::TensorType) break;
        return listOf<std::optional<at::Tensor>>(
            items, list, [](const Value& item) -> std::optional<std::optional<at::Tensor>> {
                if (item.isNone()) return std::optional<at::Tensor>();
                return item.isTensor() ? std::optional(std::optional(item.tensor())) : std::nullopt;
            });
    default: break;
    }
    c10::impl::GenericList out(list.getElementType());
    for (const Value& item : items) out.push_back(convert(item, element, 0));
    return out;
}

/// As PyTorch passes a value for `Any`: lists and dicts have the type of their first item.
c10::IValue ofAnyType(const Value& value) {
    if (value.isNone()) return {};
    if (value.isTensor()) return value.tensor();
    if (const auto* text = value.text()) return *text;
    if (const auto* device = value.as<at::Device>()) return *device;
    if (const ScriptObject* object = value.scriptObject()) return object->value;
    if (const auto scalar = scalarOf(value)) return *scalar;
    std::vector<c10::IValue> keys, items;
    if (const Items* sequence = value.items())
        for (const Value& item : sequence->items) items.push_back(ofAnyType(item));
    if (const auto* mapping = value.mapping())
        for (const auto& [key, item] : mapping->items) keys.push_back(ofAnyType(key)), items.push_back(ofAnyType(item));
    const bool ofTensors = items.empty() || items.front().isTensor(); // whose own types know their sizes
    const c10::TypePtr type = ofTensors ? c10::TypePtr(c10::TensorType::get()) : items.front().type();
    if (value.mapping()) {
        c10::impl::GenericDict out(keys.empty() ? c10::TypePtr(c10::StringType::get()) : keys.front().type(), type);
        for (std::size_t i = 0; i < keys.size(); ++i) out.insert(keys[i], items[i]);
        return out;
    }
    if (!value.items()) refuse(value, *c10::AnyType::get());
    if (value.items()->kind != Items::Kind::List) return c10::ivalue::Tuple::create(std::move(items));
    c10::impl::GenericList out(type);
    for (c10::IValue& item : items) out.push_back(std::move(item));
    return out;
}

c10::IValue convert(const Value& value, const c10::Type& type, int size) {
    switch (type.kind()) {
    case c10::TypeKind::OptionalType:
        return value.isNone() ? c10::IValue()
                              : convert(value, *type.expectRef<c10::OptionalType>().getElementType(), size);
    case c10::TypeKind::TensorType:
        if (value.isTensor()) return value.tensor();
        if (value.isNone()) return at::Tensor();
        return wrappedNumber(value);
    case c10::TypeKind::NumberType:
        if (const auto v = scalarOf(value)) return *v;
        break;
    case c10::TypeKind::IntType:
    case c10::TypeKind::SymIntType:
        if (const auto v = integerOf(value)) return *v;
        break;
    case c10::TypeKind::FloatType:
        if (const auto v = realOf(value)) return *v;
        break;
    case c10::TypeKind::BoolType:
        if (const auto v = integerOf(value)) return *v != 0;
        break;
    case c10::TypeKind::StringType:
        if (const auto* v = value.text()) return *v;
        break;
    case c10::TypeKind::DeviceObjType:
        if (const auto* v = value.as<at::Device>()) return *v;
        if (const auto* v = value.text()) return at::Device(*v);
        break;
    case c10::TypeKind::ListType: {
        const auto& list = type.expectRef<c10::ListType>();
        if (const Items* items = value.items()) return convertList(items->items, list);
        if (size > 0) return convertList(Values(static_cast<std::size_t>(size), value), list);
        break;
    }
    case c10::TypeKind::ClassType:
        if (const ScriptObject* object = value.scriptObject()) return object->value;
        break;
    case c10::TypeKind::AnyType: return ofAnyType(value);
    default: break;
    }
    refuse(value, type);
}

Value itemsFrom(Items::Kind kind, std::size_t size, const std::function<Value(std::size_t)>& item) {
    Values out;
    for (std::size_t i = 0; i < size; ++i) out.push_back(item(i));
    return Value::sequence(kind, std::move(out));
}

} // namespace

Value objectValue(const c10::IValue& value) {
    if (value.isTensor()) return value.toTensor();
    return std::make_shared<const ScriptObject>(ScriptObject{value});
}

at::Tensor wrappedNumber(const Value& number) {
    const auto scalar = scalarOf(number);
    if (!scalar) throw runError(Message("engine.expected_type", {{"expected", "Tensor"}, {"got", typeText(number)}}));
    at::Tensor tensor = at::scalar_tensor(*scalar, scalar->type()); // uint64 from 2 ** 63 on, as in PyTorch
    tensor.unsafeGetTensorImpl()->set_wrapped_number(true);
    return tensor;
}

c10::IValue toIValue(const Value& value, const c10::Argument& argument) {
    try {
        return convert(value, *argument.type(), argument.N().value_or(0));
    } catch (fx::Error& error) {
        error.where = "argument " + argument.name();
        throw;
    }
}

Value fromIValue(c10::IValue value, ResultStyle style, const c10::Type* type) {
    if (value.isTensor()) return value.toTensor().defined() ? Value(std::move(value).toTensor()) : Value();
    if (value.isInt()) {
        const bool isDtype = type && type->kind() == c10::TypeKind::ScalarTypeType;
        if (isDtype && style == ResultStyle::Binding) return static_cast<at::ScalarType>(value.toInt());
        return value.toInt();
    }
    if (value.isBool()) return value.toBool();
    if (value.isDouble()) return value.toDouble();
    if (value.isNone()) return {};
    if (value.isString()) return value.toStringRef();
    if (value.isDevice()) return value.toDevice();
    if (value.isComplexDouble())
        return Value::constant(Complex{value.toComplexDouble().real(), value.toComplexDouble().imag()});
    if (value.isTensorList()) {
        const auto list = value.toTensorList();
        const auto kind = style == ResultStyle::Binding ? Items::Kind::Tuple : Items::Kind::List;
        return itemsFrom(kind, list.size(), [&](std::size_t i) { return Value(list.get(i)); });
    }
    if (value.isList()) {
        const auto list = value.toList();
        return itemsFrom(Items::Kind::List, list.size(),
                         [&](std::size_t i) { return fromIValue(list.get(i), style, nullptr); });
    }
    if (value.isTuple()) {
        const auto& elements = value.toTupleRef().elements();
        return itemsFrom(Items::Kind::Tuple, elements.size(),
                         [&](std::size_t i) { return fromIValue(elements[i], style, nullptr); });
    }
    if (value.isGenericDict()) {
        auto out = std::make_shared<Mapping>();
        for (const auto& entry : value.toGenericDict())
            out->items.emplace_back(fromIValue(entry.key(), style, nullptr), fromIValue(entry.value(), style, nullptr));
        return out;
    }
    if (value.isObject()) return objectValue(value);
    throw runError(Message("engine.result_kind", {{"type", value.tagKind()}}));
}

} // namespace fx::engine
