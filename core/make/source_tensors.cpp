// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/make/source_tensors.h"

#include "core/tensor/encode_elements.h"
#include "core/trace/allowance.h"
#include "core/trace/constants/dtype_texts.h"
#include "core/trace/constants/size_errors.h"
#include "core/trace/numbers/python_numbers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace fx::trace {
namespace {

constexpr std::array<std::string_view, 11> kFactories = {
    "torch.zeros", "torch.ones", "torch.full",  "torch.empty",   "torch.tensor",  "torch.arange",
    "torch.eye",   "torch.rand", "torch.randn", "torch.randint", "torch.randperm"};

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
    const auto whole = plainInteger(value);
    constexpr std::int64_t kExact = std::int64_t{1} << 53; // doubles hold all integers up to it
    const auto number = whole && (*whole > kExact || *whole < -kExact) ? std::nullopt : plainReal(value);
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

void requireDeviation(double deviation) {
    if (!(deviation >= 0))
        throw PythonError("RuntimeError: normal expects std >= 0.0, but found std " + numberText(deviation));
}

/// Raises what Tensor.uniform_() raises for these bounds.
void requireBounds(DType dtype, double low, double high) {
    struct Limits {
        DType dtype;
        double most;
    };
    static constexpr Limits kLimits[] = {
        {DType::Float32, std::numeric_limits<float>::max()},
        {DType::Float64, std::numeric_limits<double>::max()},
        {DType::Float16, 65504.0},
        {DType::BFloat16, 0x1.fep127},
    };
    const auto limits =
        std::find_if(std::begin(kLimits), std::end(kLimits), [&](const auto& each) { return each.dtype == dtype; });
    if (limits == std::end(kLimits)) return;
    for (const auto& [name, bound] : {std::pair("from", low), std::pair("to", high)})
        if (!(std::abs(bound) <= limits->most))
            throw PythonError("RuntimeError: " + std::string(name) + " is out of bounds for " +
                              std::string(storedText(dtype)));
    if (low > high)
        throw PythonError("RuntimeError: uniform_ expects to return a [from, to) range, but found from=" +
                          numberText(low) + " > to=" + numberText(high));
    if (high - low > limits->most)
        throw PythonError("RuntimeError: uniform_ expects to-from <= std::numeric_limits<" +
                          std::string(scalarText(dtype)) + ">::max(), but found to=" + numberText(high) +
                          " and from=" + numberText(low) + " which result in to-from to exceed the limit");
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

/// The numbers of a drawn tensor; empty when only its shape is wanted.
std::vector<float> numbersIn(const TensorPtr& drawn) {
    if (isShapeOnly(*drawn) || !drawn->storage) return {};
    std::vector<float> numbers(static_cast<std::size_t>(drawn->elementCount()));
    drawn->storage->read(0, std::as_writable_bytes(std::span(numbers)));
    return numbers;
}

/// torch.nn.init.trunc_normal_ as of PyTorch 2.13: what falls outside of the bounds is drawn again. Where most would,
/// uniform numbers between them are taken or drawn again by the density there.
class TruncatedNormal {
public:
    TruncatedNormal(const TensorRef& tensor, double mean, double deviation, double low, double high,
                    TorchGenerator& random)
        : m_sizes(tensor.sizes), m_mean(mean), m_deviation(deviation), m_low(low), m_high(high), m_random(random) {}

    std::shared_ptr<const Storage> draw() {
        const auto probability = [&](double x) {
            return (1.0 + std::erf((x - m_mean) / m_deviation / std::sqrt(2.0))) / 2.0;
        };
        const bool isUsual = probability(m_high) - probability(m_low) > 0.3;
        if (isUsual) requireDeviation(m_deviation);
        else requireBounds(DType::Float32, m_low, m_high);
        const TensorPtr first =
            isUsual ? m_random.normal(m_sizes, m_mean, m_deviation) : m_random.uniform(m_sizes, m_low, m_high);
        std::vector<float> numbers = numbersIn(first);
        if (numbers.empty()) return first->storage;
        if (isUsual) redrawOutside(numbers);
        else redrawByDensity(numbers);
        const auto bytes = std::as_bytes(std::span(numbers));
        return Storage::inMemory(std::vector<std::byte>(bytes.begin(), bytes.end()));
    }

private:
    void redrawOutside(std::vector<float>& numbers) {
        const auto low = static_cast<float>(m_low), high = static_cast<float>(m_high);
        const auto isOutside = [&](float number) { return number < low || number > high; };
        while (std::any_of(numbers.begin(), numbers.end(), isOutside)) {
            const std::vector<float> fresh = numbersIn(m_random.normal(m_sizes, m_mean, m_deviation));
            for (std::size_t i = 0; i < numbers.size(); ++i)
                if (isOutside(numbers[i])) numbers[i] = fresh[i];
        }
    }
    void redrawByDensity(std::vector<float>& numbers) {
        std::vector<bool> isPending(numbers.size(), true);
        while (decide(numbers, isPending)) {
            const std::vector<float> fresh = numbersIn(m_random.uniform(m_sizes, m_low, m_high));
            for (std::size_t i = 0; i < numbers.size(); ++i)
                if (isPending[i]) numbers[i] = fresh[i];
        }
    }
    /// Takes candidates by the density at each; whether some are still pending.
    bool decide(const std::vector<float>& candidates, std::vector<bool>& isPending) {
        const double mode = std::max(m_low, std::min(m_mean, m_high));
        const double peak = -0.5 * std::pow((mode - m_mean) / m_deviation, 2);
        const auto mean = static_cast<float>(m_mean), deviation = static_cast<float>(m_deviation);
        const std::vector<float> drawn = numbersIn(m_random.uniform(m_sizes, 0, 1));
        bool isAny = false;
        for (std::size_t i = 0; i < candidates.size(); ++i) {
            const float apart = (candidates[i] - mean) / deviation;
            const float density = apart * apart * -0.5F - static_cast<float>(peak);
            isPending[i] = isPending[i] && std::log(drawn[i]) > density;
            isAny |= isPending[i];
        }
        return isAny;
    }

    const std::vector<std::int64_t>& m_sizes;
    double m_mean, m_deviation, m_low, m_high;
    TorchGenerator& m_random;
};

/// torch.randint(low, high, size) or (high, size), and torch.randperm(n).
Value wholeNumbers(std::string_view path, const Value& shaped, const std::shared_ptr<TensorRef>& tensor,
                   const Values& args, TorchGenerator& random) {
    const auto count = static_cast<std::size_t>(tensor->elementCount());
    const auto bound = [&](std::size_t i) { return i < args.size() ? plainReal(args[i]) : std::nullopt; };
    std::optional<Numbers> numbers;
    if (!canEncode(tensor->dtype) || !bound(0)) return shaped;
    if (path == "torch.randperm") numbers = random.permutation(count);
    else {
        const auto low = static_cast<std::int64_t>(bound(1) ? *bound(0) : 0);
        const auto high = static_cast<std::int64_t>(bound(1) ? *bound(1) : *bound(0));
        if (low >= high) return shaped; // PyTorch says why it refuses it
        numbers = random.integers(count, low, high);
    }
    if (!numbers) return {TensorValue{TorchGenerator::undrawn(*tensor)}};
    std::vector<std::byte> bytes(count * elementSize(tensor->dtype));
    for (std::size_t i = 0; i < count; ++i)
        encodeElement(tensor->dtype, (*numbers)[i], bytes.data() + i * elementSize(tensor->dtype));
    tensor->storage = Storage::inMemory(std::move(bytes));
    return {TensorValue{tensor}};
}

} // namespace

bool isTensorFactory(std::string_view path) {
    return std::find(kFactories.begin(), kFactories.end(), path) != kFactories.end();
}

Value filledFactory(std::string_view path, const Value& shaped, const Values& args, TorchGenerator& random) {
    const auto* made = shaped.as<TensorValue>();
    constexpr std::int64_t kMaxElements = 256 << 20;
    if (!made || !made->shapeKnown || made->tensor->elementCount() > kMaxElements) return shaped;
    chargeBytes(static_cast<std::uint64_t>(made->tensor->elementCount()) * sizeof(float));
    auto tensor = std::make_shared<TensorRef>(*made->tensor);
    if (path == "torch.randint" || path == "torch.randperm") return wholeNumbers(path, shaped, tensor, args, random);
    if (path == "torch.rand" || path == "torch.randn") {
        if (!TorchGenerator::draws(tensor->dtype)) return shaped;
        const DrawnType drawn(random, tensor->dtype);
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
    if (!TorchGenerator::draws(tensor.dtype)) return nullptr;
    const auto isNumber = [](const Value& value) { return plainReal(value).has_value(); };
    const bool takesNumbers = !name.starts_with("kaiming"); // of which some are texts; tensors are for the machine
    if (takesNumbers && !args.empty() &&
        (!std::all_of(args.begin() + 1, args.end(), isNumber) ||
         !std::all_of(kwargs.begin(), kwargs.end(), [&](const auto& each) { return isNumber(each.second); })))
        return nullptr;
    const DrawnType drawn(random, tensor.dtype);
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
    const auto constant = [&](double value) { return random.filled(tensor.sizes, value, false)->storage; };
    if (name == "zeros_") return constant(0);
    if (name == "ones_") return constant(1);
    if (name == "constant_") return constant(number(1, "val", 0));
    const auto uniform = [&](double low, double high) {
        requireBounds(tensor.dtype, low, high);
        return random.uniform(tensor.sizes, low, high)->storage;
    };
    const auto normal = [&](double mean, double deviation) {
        requireDeviation(deviation);
        return random.normal(tensor.sizes, mean, deviation)->storage;
    };
    if (name == "uniform_") return uniform(number(1, "a", 0), number(2, "b", 1));
    if (name == "normal_") return normal(number(1, "mean", 0), number(2, "std", 1));
    if (name == "trunc_normal_" && tensor.dtype != DType::Float32) return nullptr;
    if (name == "trunc_normal_")
        return TruncatedNormal(tensor, number(1, "mean", 0), number(2, "std", 1), number(3, "a", -2), number(4, "b", 2),
                               random)
            .draw();
    const auto fans = fansOf(tensor);
    if (!fans) return nullptr;
    const auto within = [&](double deviation) {
        const double bound = std::sqrt(3.0) * deviation;
        return uniform(-bound, bound);
    };
    const double gain = number(1, "gain", 1);
    if (name == "xavier_uniform_") return within(gain * std::sqrt(2.0 / (fans->in + fans->out)));
    if (name == "xavier_normal_") return normal(0, gain * std::sqrt(2.0 / (fans->in + fans->out)));
    if (given(2, "mode") || given(3, "nonlinearity")) return nullptr;
    const double slope = number(1, "a", 0), leaky = std::sqrt(2.0 / (1 + slope * slope)) / std::sqrt(fans->in);
    if (name == "kaiming_uniform_") return within(leaky);
    if (name == "kaiming_normal_") return random.normal(tensor.sizes, 0, leaky)->storage;
    return nullptr;
}

} // namespace fx::trace
