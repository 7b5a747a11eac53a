// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/make/source_tensors.h"

#include "core/trace/python_numbers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace fx::trace {
namespace {

constexpr std::array<std::string_view, 9> kFactories = {"torch.zeros", "torch.ones",   "torch.full",
                                                        "torch.empty", "torch.tensor", "torch.arange",
                                                        "torch.eye",   "torch.rand",   "torch.randn"};

using Numbers = std::vector<double>;

template<class T> std::shared_ptr<const Storage> encodedAs(const Numbers& numbers) {
    std::vector<std::byte> bytes(numbers.size() * sizeof(T));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const T value = static_cast<T>(numbers[i]);
        std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
    }
    return Storage::inMemory(std::move(bytes));
}

/// Null for dtypes that are not encoded here.
std::shared_ptr<const Storage> encoded(DType dtype, const Numbers& numbers) {
    switch (dtype) {
    case DType::Float32: return encodedAs<float>(numbers);
    case DType::Float64: return encodedAs<double>(numbers);
    case DType::Int64: return encodedAs<std::int64_t>(numbers);
    case DType::Int32: return encodedAs<std::int32_t>(numbers);
    case DType::Bool: return encodedAs<bool>(numbers);
    default: return nullptr;
    }
}

/// The numbers of nested lists, in order; false when something else is among them.
bool flatten(const Value& value, Numbers& numbers) {
    if (const auto* sequence = value.as<ValueSequence>())
        return std::all_of(sequence->items.begin(), sequence->items.end(),
                           [&](const Value& item) { return flatten(item, numbers); });
    const auto number = plainReal(value);
    if (number) numbers.push_back(*number);
    return number.has_value();
}

std::optional<Numbers> numbersOf(std::string_view path, const TensorRef& shape, const Values& args) {
    Numbers numbers(static_cast<std::size_t>(shape.elementCount()));
    const auto argument = [&](std::size_t i) { return i < args.size() ? plainReal(args[i]) : std::nullopt; };
    if (path == "torch.ones") std::fill(numbers.begin(), numbers.end(), 1.0);
    if (path == "torch.full") {
        if (!argument(1)) return std::nullopt;
        std::fill(numbers.begin(), numbers.end(), *argument(1));
    }
    if (path == "torch.tensor") {
        Numbers given;
        if (args.empty() || !flatten(args[0], given) || given.size() != numbers.size()) return std::nullopt;
        return given;
    }
    if (path == "torch.arange") {
        if (!argument(0) || (args.size() > 1 && !argument(1)) || (args.size() > 2 && !argument(2))) return std::nullopt;
        const double start = args.size() > 1 ? *argument(0) : 0, step = args.size() > 2 ? *argument(2) : 1;
        for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = start + static_cast<double>(i) * step;
    }
    if (path == "torch.eye")
        for (std::size_t i = 0;
             shape.sizes.size() == 2 && i < static_cast<std::size_t>(std::min(shape.sizes[0], shape.sizes[1])); ++i)
            numbers[i * static_cast<std::size_t>(shape.sizes[1]) + i] = 1;
    return numbers;
}

/// How many values flow into and out of each element of a weight (torch.nn.init `_calculate_fan_in_and_fan_out`).
struct Fans {
    double in = 0, out = 0;
};
std::optional<Fans> fansOf(const TensorRef& tensor) {
    if (tensor.sizes.size() < 2) return std::nullopt;
    double field = 1;
    for (std::size_t i = 2; i < tensor.sizes.size(); ++i) field *= static_cast<double>(tensor.sizes[i]);
    return Fans{static_cast<double>(tensor.sizes[1]) * field, static_cast<double>(tensor.sizes[0]) * field};
}

} // namespace

bool isTensorFactory(std::string_view path) {
    return std::find(kFactories.begin(), kFactories.end(), path) != kFactories.end();
}

Value filledFactory(std::string_view path, const Value& shaped, const Values& args, TorchGenerator& random) {
    const auto* made = shaped.as<TensorValue>();
    constexpr std::int64_t kMaxElements = 256 << 20;
    if (!made || !made->shapeKnown || made->tensor->elementCount() > kMaxElements) return shaped;
    auto tensor = std::make_shared<TensorRef>(*made->tensor);
    if (path == "torch.rand" || path == "torch.randn") {
        if (tensor->dtype != DType::Float32) return shaped;
        tensor->storage =
            (path == "torch.rand" ? random.uniform(tensor->sizes, 0, 1) : random.normal(tensor->sizes, 0, 1))->storage;
        return {TensorValue{tensor}};
    }
    const auto numbers = numbersOf(path, *tensor, args);
    const auto storage = numbers ? encoded(tensor->dtype, *numbers) : nullptr;
    if (!storage) return shaped;
    tensor->storage = storage;
    return {TensorValue{tensor}};
}

std::shared_ptr<const Storage> initialValues(std::string_view name, const TensorRef& tensor, const Values& args,
                                             const KeywordValues& kwargs, TorchGenerator& random) {
    if (tensor.dtype != DType::Float32) return nullptr;
    const auto given = [&](std::size_t i, std::string_view keyword) -> const Value* {
        if (i < args.size()) return &args[i];
        const auto found =
            std::find_if(kwargs.begin(), kwargs.end(), [&](const auto& item) { return item.first == keyword; });
        return found == kwargs.end() ? nullptr : &found->second;
    };
    const auto number = [&](std::size_t i, std::string_view keyword, double otherwise) {
        const Value* value = given(i, keyword);
        return value ? plainReal(*value).value_or(otherwise) : otherwise;
    };
    const auto constant = [&](double value) {
        return random.filled(tensor.sizes, static_cast<float>(value), false)->storage;
    };
    if (name == "zeros_") return constant(0);
    if (name == "ones_") return constant(1);
    if (name == "constant_") return constant(number(1, "val", 0));
    if (name == "uniform_") return random.uniform(tensor.sizes, number(1, "a", 0), number(2, "b", 1))->storage;
    if (name == "normal_") return random.normal(tensor.sizes, number(1, "mean", 0), number(2, "std", 1))->storage;
    const auto fans = fansOf(tensor);
    if (!fans) return nullptr;
    const auto within = [&](double deviation) {
        const double bound = std::sqrt(3.0) * deviation;
        return random.uniform(tensor.sizes, -bound, bound)->storage;
    };
    const double gain = number(1, "gain", 1);
    if (name == "xavier_uniform_") return within(gain * std::sqrt(2.0 / (fans->in + fans->out)));
    if (name == "xavier_normal_")
        return random.normal(tensor.sizes, 0, gain * std::sqrt(2.0 / (fans->in + fans->out)))->storage;
    if (given(2, "mode") || given(3, "nonlinearity")) return nullptr;
    const double slope = number(1, "a", 0), leaky = std::sqrt(2.0 / (1 + slope * slope)) / std::sqrt(fans->in);
    if (name == "kaiming_uniform_") return within(leaky);
    if (name == "kaiming_normal_") return random.normal(tensor.sizes, 0, leaky)->storage;
    return nullptr;
}

} // namespace fx::trace
