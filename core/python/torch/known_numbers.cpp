// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/python/torch/known_numbers.h"

#include "core/tensor/storage.h"
#include "core/trace/numbers/python_numbers.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>

namespace fx::python {
namespace {

using Numbers = std::vector<double>;

template<class T> double numberFrom(const std::byte* bytes) {
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return static_cast<double>(value);
}

bool isRowMajor(const TensorRef& tensor) {
    std::int64_t stride = 1;
    for (std::size_t i = tensor.sizes.size(); i-- > 0;) {
        if (tensor.sizes[i] != 1 && tensor.strides[i] != stride) return false;
        stride *= tensor.sizes[i];
    }
    return true;
}

/// A number as an element of the dtype has it.
std::optional<double> rounded(DType dtype, double value) {
    switch (dtype) {
    case DType::Float64: return value;
    case DType::Float32: return static_cast<double>(static_cast<float>(value));
    case DType::Bool: return value != 0 ? 1 : 0;
    case DType::Int32:
    case DType::Int64: return std::abs(value) < 9e15 ? std::optional(std::trunc(value)) : std::nullopt;
    default: return std::nullopt;
    }
}

template<class T> std::function<T(T, T)> twoOf(std::string_view name) {
    if (name == "add") return [](T a, T b) { return a + b; };
    if (name == "sub" || name == "subtract") return [](T a, T b) { return a - b; };
    if (name == "mul" || name == "multiply") return [](T a, T b) { return a * b; };
    if (name == "truediv" || name == "div" || name == "divide" || name == "true_divide")
        return [](T a, T b) { return a / b; };
    if (name == "pow") return [](T a, T b) { return std::pow(a, b); };
    return {};
}
template<class T> std::function<T(T)> oneOf(std::string_view name) {
    if (name == "log") return [](T a) { return std::log(a); };
    if (name == "log2") return [](T a) { return std::log2(a); };
    if (name == "exp") return [](T a) { return std::exp(a); };
    if (name == "sqrt") return [](T a) { return std::sqrt(a); };
    if (name == "round") return [](T a) { return std::nearbyint(a); };
    if (name == "floor") return [](T a) { return std::floor(a); };
    if (name == "ceil") return [](T a) { return std::ceil(a); };
    if (name == "abs") return [](T a) { return std::abs(a); };
    if (name == "neg") return [](T a) { return -a; };
    static constexpr std::array<std::string_view, 9> kCasts = {"int",   "long",       "float",  "double", "bool",
                                                               "clone", "contiguous", "detach", "cpu"};
    if (std::find(kCasts.begin(), kCasts.end(), name) != kCasts.end()) return [](T a) { return a; };
    return {};
}

/// Element by element in the arithmetic of T; a single number goes with every element.
template<class T>
std::optional<Numbers> elementwise(std::string_view name, const std::vector<Numbers>& operands, std::size_t count) {
    Numbers out(count);
    const auto each = [](const Numbers& from, std::size_t i) {
        return static_cast<T>(from.size() == 1 ? from[0] : from[i]);
    };
    const bool fits = std::all_of(operands.begin(), operands.end(),
                                  [&](const Numbers& from) { return from.size() == count || from.size() == 1; });
    if (!fits) return std::nullopt;
    if (const auto two = twoOf<T>(name); two && operands.size() == 2) {
        for (std::size_t i = 0; i < count; ++i) out[i] = two(each(operands[0], i), each(operands[1], i));
        return out;
    }
    const auto one = oneOf<T>(name);
    if (!one || operands.size() != 1) return std::nullopt;
    for (std::size_t i = 0; i < count; ++i) out[i] = one(each(operands[0], i));
    return out;
}

/// torch.linspace in float32: from both ends to the middle, each with one rounding.
std::optional<Numbers> spaced(const std::vector<Numbers>& operands, std::size_t count) {
    if (operands.size() < 2 || operands[0].size() != 1 || operands[1].size() != 1) return std::nullopt;
    const auto start = static_cast<float>(operands[0][0]), end = static_cast<float>(operands[1][0]);
    const float step = count > 1 ? (end - start) / static_cast<float>(count - 1) : 0.0F;
    Numbers out(count);
    for (std::size_t i = 0; i < count; ++i)
        out[i] = count == 1 || i < count / 2 ? std::fma(step, static_cast<float>(i), start)
                                             : std::fma(-step, static_cast<float>(count - 1 - i), end);
    return out;
}

} // namespace

static double fromHalf(std::uint16_t bits) {
    const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    const double size = exponent == 31  ? (mantissa == 0 ? INFINITY : NAN)
                        : exponent == 0 ? std::ldexp(mantissa, -24)
                                        : std::ldexp(mantissa + 1024, exponent - 25);
    return bits >> 15 ? -size : size;
}

std::optional<double> elementFromBytes(const TensorRef& tensor, std::int64_t at) {
    const std::size_t size = elementSize(tensor.dtype);
    std::byte bytes[16];
    if (size == 0 || size > sizeof bytes) return std::nullopt;
    tensor.storage->read(static_cast<std::uint64_t>(at) * size, std::span(bytes, size));
    switch (tensor.dtype) {
    case DType::Float32: return numberFrom<float>(bytes);
    case DType::Float64: return numberFrom<double>(bytes);
    case DType::Int64: return numberFrom<std::int64_t>(bytes);
    case DType::Int32: return numberFrom<std::int32_t>(bytes);
    case DType::Bool: return numberFrom<bool>(bytes);
    case DType::UInt8: return numberFrom<std::uint8_t>(bytes);
    case DType::Int8: return numberFrom<std::int8_t>(bytes);
    case DType::Int16: return numberFrom<std::int16_t>(bytes);
    case DType::BFloat16: // the upper half of a float
        return std::bit_cast<float>(static_cast<std::uint32_t>(numberFrom<std::uint16_t>(bytes)) << 16);
    case DType::Float16: return fromHalf(numberFrom<std::uint16_t>(bytes));
    default: return std::nullopt;
    }
}

const Numbers* KnownNumbers::find(const Storage& storage) const {
    const auto found = m_entries.find(&storage);
    return found == m_entries.end() ? nullptr : &found->second.numbers;
}

Numbers KnownNumbers::elements(const TensorRef& tensor) const {
    const std::int64_t count = tensor.elementCount();
    if (!tensor.storage || count > kMost || !isRowMajor(tensor)) return {};
    const Numbers* known = find(*tensor.storage);
    if (!known && (tensor.storage->isExpression() || m_isStale)) return {};
    Numbers out;
    for (std::int64_t at = tensor.offset; at < tensor.offset + count; ++at) {
        if (known && static_cast<std::size_t>(at) >= known->size()) return {};
        const auto number = known ? (*known)[static_cast<std::size_t>(at)] : elementFromBytes(tensor, at);
        if (!number) return {};
        out.push_back(*number);
    }
    return out;
}

/// The parts of a tensor without gaps that is split along its first dimension: each has its share, in order.
void KnownNumbers::learnParts(const trace::Values& args, const trace::ValueSequence& parts) {
    const auto* whole = args.empty() ? nullptr : args[0].as<trace::TensorValue>();
    const Numbers all = whole && whole->shapeKnown ? elements(*whole->tensor) : Numbers();
    std::size_t at = 0;
    for (const trace::Value& each : parts.items) {
        const auto* part = each.as<trace::TensorValue>();
        if (!part || !part->shapeKnown || part->tensor->offset != 0 || !isRowMajor(*part->tensor)) return;
        const auto count = static_cast<std::size_t>(part->tensor->elementCount());
        if (at + count > all.size()) return;
        const auto first = all.begin() + static_cast<std::ptrdiff_t>(at);
        m_entries[part->tensor->storage.get()] = {part->tensor->storage,
                                                  Numbers(first, first + static_cast<std::ptrdiff_t>(count))};
        at += count;
    }
}

void KnownNumbers::learnPart(const TensorRef& whole, std::int64_t index, const trace::Value& part) {
    const auto* made = part.as<trace::TensorValue>();
    const Numbers all = elements(whole);
    if (!made || !made->shapeKnown || all.empty() || !isRowMajor(*made->tensor) || !made->tensor->storage) return;
    if (made->tensor->offset != 0 || whole.sizes.empty() || made->tensor->storage == whole.storage) return;
    const auto count = static_cast<std::size_t>(made->tensor->elementCount());
    const auto at = static_cast<std::size_t>(index < 0 ? index + whole.sizes[0] : index) * count;
    if (at + count > all.size()) return;
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(at);
    m_entries[made->tensor->storage.get()] = {made->tensor->storage,
                                              Numbers(first, first + static_cast<std::ptrdiff_t>(count))};
}

void KnownNumbers::learn(std::string_view operation, const trace::Values& args, const trace::Value& made) {
    static constexpr std::array<std::string_view, 4> kSplits = {"split", "chunk", "tensor_split", "unbind"};
    if ((operation.ends_with('_') && !operation.ends_with("__")) || operation == "setitem") return forget();
    const auto* parts = made.as<trace::ValueSequence>();
    const auto* split = args.empty() ? nullptr : args[0].as<trace::TensorValue>();
    if (parts && split && std::find(kSplits.begin(), kSplits.end(), operation) != kSplits.end() &&
        split->tensor->sizes.size() == 1)
        return learnParts(args, *parts);
    const auto* result = made.as<trace::TensorValue>();
    if (!result || !result->shapeKnown || !result->tensor->storage || !result->tensor->storage->isExpression()) return;
    const TensorRef& tensor = *result->tensor;
    const std::int64_t all = tensor.elementCount();
    if (all == 0 || all > kMost || tensor.offset != 0 || !isRowMajor(tensor) || find(*tensor.storage)) return;
    std::vector<Numbers> operands;
    for (const trace::Value& arg : args) {
        const auto* from = arg.as<trace::TensorValue>();
        const auto number = from ? std::nullopt : trace::plainReal(arg);
        operands.push_back(from && from->shapeKnown ? elements(*from->tensor) : number ? Numbers{*number} : Numbers());
        if (operands.back().empty()) return;
    }
    const auto count = static_cast<std::size_t>(all);
    std::optional<Numbers> numbers;
    if (operation == "linspace" && tensor.dtype == DType::Float32) numbers = spaced(operands, count);
    else if (tensor.dtype == DType::Float32) numbers = elementwise<float>(operation, operands, count);
    else numbers = elementwise<double>(operation, operands, count);
    if (!numbers) return;
    for (double& number : *numbers) {
        const auto value = rounded(tensor.dtype, number);
        if (!value) return;
        number = *value;
    }
    m_entries[tensor.storage.get()] = {tensor.storage, std::move(*numbers)};
}

} // namespace fx::python
