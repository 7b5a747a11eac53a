// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/make/source_tensors.h"

#include "core/trace/numbers/python_numbers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

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

/// The inverse of the error function as PyTorch's kernel for float32 computes it: a rational approximation (different
/// in the middle and in the tails, with fused multiplications) and two steps of Newton's method.
float inverseErf(float y) {
    const float size = std::abs(y);
    if (size == 1.0F) return std::copysign(std::numeric_limits<float>::infinity(), y);
    const auto polynomial = [](float z, std::initializer_list<float> factors) {
        float sum = *factors.begin();
        for (const float* next = factors.begin() + 1; next != factors.end(); ++next) sum = std::fma(sum, z, *next);
        return sum;
    };
    float x = 0;
    if (size <= 0.7F) {
        const float z = y * y;
        x = y * polynomial(z, {-0.140543331F, 0.914624893F, -1.645349621F, 0.886226899F}) /
            polynomial(z, {0.012229801F, -0.329097515F, 1.442710462F, -2.118377725F, 1.0F});
    } else {
        const auto z = static_cast<float>(std::sqrt(-std::log((1.0 - static_cast<double>(size)) / 2.0)));
        x = std::copysign(polynomial(z, {1.641345311F, 3.429567803F, -1.624906493F, -1.970840454F}), y) /
            polynomial(z, {1.637067800F, 3.543889200F, 1.0F});
    }
    const double slope = 2.0 / std::sqrt(3.14159265358979323846);
    for (int step = 0; step < 2; ++step)
        x = static_cast<float>(static_cast<double>(x) -
                               static_cast<double>(std::erf(x) - y) / (slope * static_cast<double>(std::exp(-x * x))));
    return x;
}

/// torch.nn.init.trunc_normal_: uniform numbers between the bounds' probabilities, through the inverse of the normal
/// distribution.
std::shared_ptr<const Storage> truncatedNormal(const TensorRef& tensor, double mean, double deviation, double low,
                                               double high, TorchGenerator& random) {
    const auto probability = [](double x) { return (1.0 + std::erf(x / std::sqrt(2.0))) / 2.0; };
    const double from = probability((low - mean) / deviation), to = probability((high - mean) / deviation);
    const TensorPtr drawn = random.uniform(tensor.sizes, 2 * from - 1, 2 * to - 1);
    if (isShapeOnly(*drawn) || !drawn->storage) return drawn->storage;
    std::vector<std::byte> bytes(static_cast<std::size_t>(tensor.elementCount()) * sizeof(float));
    drawn->storage->read(0, bytes);
    const auto scale = static_cast<float>(deviation * std::sqrt(2.0)), shift = static_cast<float>(mean);
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(float)) {
        float value = 0;
        std::memcpy(&value, bytes.data() + at, sizeof value);
        value = inverseErf(value) * scale + shift;
        value = std::clamp(value, static_cast<float>(low), static_cast<float>(high));
        std::memcpy(bytes.data() + at, &value, sizeof value);
    }
    return Storage::inMemory(std::move(bytes));
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
    if (name == "trunc_normal_")
        return truncatedNormal(tensor, number(1, "mean", 0), number(2, "std", 1), number(3, "a", -2), number(4, "b", 2),
                               random);
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
