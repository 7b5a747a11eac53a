// SPDX-License-Identifier: GPL-3.0-or-later
// Elements of small tensors whose bytes are known, for constructors that compute with them.
#include "core/python/interpreter.h"
#include "core/tensor/storage.h"

#include <cstring>

namespace fx::python {
namespace {
constexpr std::int64_t kMost = 1 << 16;

template<class T> Value numberAt(const std::byte* bytes) {
    T value;
    std::memcpy(&value, bytes, sizeof value);
    if constexpr (std::is_same_v<T, bool>) return {value};
    else if constexpr (std::is_floating_point_v<T>) return {static_cast<double>(value)};
    else return {static_cast<std::int64_t>(value)};
}

Value elementAt(const TensorRef& tensor, std::int64_t at) {
    const std::size_t size = elementSize(tensor.dtype);
    std::byte bytes[16];
    tensor.storage->read(static_cast<std::uint64_t>(at) * size, std::span(bytes, size));
    switch (tensor.dtype) {
    case DType::Float32: return numberAt<float>(bytes);
    case DType::Float64: return numberAt<double>(bytes);
    case DType::Int64: return numberAt<std::int64_t>(bytes);
    case DType::Int32: return numberAt<std::int32_t>(bytes);
    case DType::Bool: return numberAt<bool>(bytes);
    default: return {};
    }
}
} // namespace

/// The elements as nested lists, or as one number; unset when they are not known.
Value Interpreter::numbersOf(const TensorRef& tensor) {
    if (!tensor.storage || tensor.storage->isExpression() || tensor.elementCount() > kMost) return {};
    const std::function<Value(std::size_t, std::int64_t)> part = [&](std::size_t dimension,
                                                                     std::int64_t offset) -> Value {
        if (dimension == tensor.sizes.size()) return elementAt(tensor, offset);
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

/// `tensor[at]` as a view, where the bytes are known and nothing is recorded; unset otherwise.
Value Interpreter::partOf(const TensorRef& tensor, std::int64_t at) {
    if (m_traces || !tensor.storage || tensor.storage->isExpression() || tensor.sizes.empty()) return {};
    if (at < 0) at += tensor.sizes[0];
    if (at < 0 || at >= tensor.sizes[0])
        raise("IndexError", "index is out of bounds for dimension 0 with size " + std::to_string(tensor.sizes[0]));
    auto part = std::make_shared<TensorRef>(tensor);
    part->offset += at * part->strides[0];
    part->sizes.erase(part->sizes.begin());
    part->strides.erase(part->strides.begin());
    part->isParameter = false;
    return traced({trace::TensorValue{part}});
}

/// `item` and `tolist` of a tensor with known elements; unset otherwise.
Value Interpreter::tensorMethod(const Value& tensor, std::string_view name) {
    if (name != "item" && name != "tolist") return {};
    const Value numbers = numbersOf(*tensorIn(tensor)->tensor);
    if (!numbers.isSet() || (name == "item" && numbers.as<List>())) return {};
    return native(std::string(name), [numbers](Interpreter&, Values&, Keywords&) -> Value { return numbers; });
}

} // namespace fx::python
