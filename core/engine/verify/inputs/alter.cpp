// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/inputs/alter.h"

#include "core/engine/for_each_tensor.h"
#include "core/engine/verify/compare.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace fx::engine {
namespace {

constexpr std::int64_t kFlips = 4;       ///< one of so many flags is flipped
constexpr std::int64_t kZeroRows = 4;    ///< one of so many rows is zero
constexpr std::int64_t kShuffled = 4096; ///< so many places are drawn without repeats

bool isRealFloat(const at::Tensor& tensor) {
    return isFloatTensor(tensor) && tensor.is_floating_point() && tensor.numel() > 0;
}
bool isWhole(const at::Tensor& tensor) {
    return tensor.layout() == at::kStrided && at::isIntegralType(tensor.scalar_type(), true) && tensor.numel() > 0;
}

/// A copy of the tensor in which `change` has altered the elements.
at::Tensor altered(const at::Tensor& tensor, const std::function<void(double* data, std::int64_t count)>& change) {
    const at::Tensor flat = plain(tensor).flatten().to(at::kDouble).clone();
    change(static_cast<double*>(flat.mutable_data_ptr()), flat.numel());
    return flat.to(tensor.scalar_type()).view(tensor.sizes());
}

std::vector<std::int64_t> somePlaces(std::int64_t count, std::int64_t wanted, Random& random) {
    std::vector<std::int64_t> places(static_cast<std::size_t>(count <= kShuffled ? count : wanted));
    if (count <= kShuffled) {
        std::iota(places.begin(), places.end(), std::int64_t{0});
        std::shuffle(places.begin(), places.end(), random);
        places.resize(static_cast<std::size_t>(std::min(wanted, count)));
    } else {
        for (std::int64_t& place : places)
            place = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(count));
    }
    return places;
}

/// The one value of a tensor of flags; nothing when there are several, or others than 0 and 1.
std::optional<double> idleFlag(const at::Tensor& tensor) {
    if (!isWhole(tensor)) return std::nullopt;
    const std::vector<double> elements = elementsOf(tensor, std::numeric_limits<std::int64_t>::max());
    const double first = elements.front();
    const bool same = std::all_of(elements.begin(), elements.end(), [&](double each) { return each == first; });
    return same && (first == 0 || first == 1) ? std::optional(first) : std::nullopt;
}

bool isNumbers(const at::Tensor& tensor) {
    if (!isWhole(tensor) || tensor.scalar_type() == at::kBool) return false;
    const std::vector<double> elements = elementsOf(tensor, std::numeric_limits<std::int64_t>::max());
    return std::any_of(elements.begin(), elements.end(), [](double each) { return each != 0 && each != 1; });
}

bool anyTensor(const Value& value, const std::function<bool(const at::Tensor&)>& holds) {
    bool found = false;
    forEachTensor(value, [&](const at::Tensor& tensor) { found = found || holds(tensor); });
    return found;
}

at::Tensor sprinkledTensor(const at::Tensor& tensor, const std::vector<double>& numbers, double part,
                           std::int64_t least, Random& random) {
    if (!isRealFloat(tensor) || numbers.empty()) return tensor.clone();
    return altered(tensor, [&](double* data, std::int64_t count) {
        const auto wanted = static_cast<std::int64_t>(part * static_cast<double>(count));
        std::size_t next = random() % numbers.size();
        for (const std::int64_t place : somePlaces(count, std::max(least, wanted), random))
            data[place] = numbers[next++ % numbers.size()];
    });
}

at::Tensor renumberedTensor(const at::Tensor& tensor, const std::vector<std::int64_t>& numbers) {
    if (numbers.empty() || !isNumbers(tensor)) return tensor.clone();
    return withIntegers(tensor, numbers).tensor().clone();
}

at::Tensor tensorScaledTo(const at::Tensor& tensor, double magnitude) {
    if (!isRealFloat(tensor)) return tensor.clone();
    return altered(tensor, [&](double* data, std::int64_t count) {
        double squares = 0;
        std::int64_t numbers = 0;
        for (std::int64_t i = 0; i < count; ++i)
            if (std::isfinite(data[i])) squares += data[i] * data[i], ++numbers;
        if (!(squares > 0)) return;
        const double factor = magnitude / std::sqrt(squares / static_cast<double>(numbers));
        for (std::int64_t i = 0; i < count; ++i) data[i] *= factor;
    });
}

at::Tensor tensorWithZeroRows(const at::Tensor& tensor, Random& random) {
    if (!isRealFloat(tensor)) return tensor.clone();
    return altered(tensor, [&](double* data, std::int64_t count) {
        const std::int64_t width = tensor.dim() > 0 ? tensor.size(-1) : 1, rows = count / width;
        for (const std::int64_t row : somePlaces(rows, std::max<std::int64_t>(1, rows / kZeroRows), random))
            std::fill(data + row * width, data + (row + 1) * width, 0.0);
    });
}

std::int64_t mappedSize(std::int64_t size, const SizeMap& sizes) {
    const auto found = sizes.find(size);
    return found == sizes.end() ? size : found->second;
}

std::vector<std::int64_t> mappedSizes(const at::Tensor& tensor, const SizeMap& sizes) {
    std::vector<std::int64_t> out = tensor.sizes().vec();
    for (std::int64_t& size : out) size = mappedSize(size, sizes);
    return out;
}

at::Tensor resizedTensor(const at::Tensor& tensor, const SizeMap& sizes, Random& random) {
    const std::vector<std::int64_t> wanted = mappedSizes(tensor, sizes);
    if (tensor.numel() == 0 || wanted == tensor.sizes().vec()) return tensor.clone();
    if (isFloatTensor(tensor)) return drawnLike(elementsOf(tensor), wanted, tensor.scalar_type(), random, 0);
    if (!isWhole(tensor)) return tensor.clone();
    std::int64_t count = 1;
    for (const std::int64_t size : wanted) count *= size;
    std::vector<std::int64_t> picks(static_cast<std::size_t>(count));
    for (std::int64_t& pick : picks)
        pick = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(tensor.numel()));
    at::Tensor places = plain(tensor).to(at::kLong).new_zeros({count});
    std::copy(picks.begin(), picks.end(), static_cast<std::int64_t*>(places.mutable_data_ptr()));
    return plain(tensor).flatten().index_select(0, places).view(wanted);
}

/// Numbers and sizes that are no tensors.
Value withOtherNumbers(const Value& value, const SizeMap& sizes) {
    if (const std::int64_t* number = value.as<std::int64_t>()) return mappedSize(*number, sizes);
    if (const Items* items = value.items()) {
        auto out = std::make_shared<Items>(*items);
        for (Value& item : out->items) item = withOtherNumbers(item, sizes);
        return out;
    }
    return value;
}

} // namespace

bool hasFloats(const Value& value) { return anyTensor(value, isRealFloat); }
bool hasIntegers(const Value& value) { return anyTensor(value, isNumbers); }

Value sprinkled(const Value& value, const std::vector<double>& numbers, double part, std::int64_t least,
                Random& random) {
    return mapTensors(value,
                      [&](const at::Tensor& tensor) { return sprinkledTensor(tensor, numbers, part, least, random); });
}
RunInputs sprinkled(const RunInputs& inputs, const std::vector<double>& numbers, double part, std::int64_t least,
                    Random& random) {
    return mapInputs(inputs,
                     [&](const at::Tensor& tensor) { return sprinkledTensor(tensor, numbers, part, least, random); });
}

Value renumbered(const Value& value, const std::vector<std::int64_t>& numbers) {
    return mapTensors(value, [&](const at::Tensor& tensor) { return renumberedTensor(tensor, numbers); });
}
RunInputs renumbered(const RunInputs& inputs, const std::vector<std::int64_t>& numbers) {
    return mapInputs(inputs, [&](const at::Tensor& tensor) { return renumberedTensor(tensor, numbers); });
}

bool hasIdleFlags(const Value& value) {
    return anyTensor(value, [](const at::Tensor& tensor) { return idleFlag(tensor).has_value(); });
}

Value flipped(const Value& value, const Value& own, Random& random) {
    return mapPairs(value, own, [&](const at::Tensor& tensor, const at::Tensor& usual) {
        const std::optional<double> flag = idleFlag(tensor);
        if (!flag || flag != idleFlag(usual)) return tensor.clone();
        return altered(tensor, [&](double* data, std::int64_t count) {
            const std::int64_t wanted = std::max<std::int64_t>(1, count / kFlips);
            for (const std::int64_t place : somePlaces(count, wanted, random)) data[place] = 1 - *flag;
        });
    });
}

double roundingOf(at::ScalarType type) {
    return type == at::kDouble     ? std::numeric_limits<double>::epsilon()
           : type == at::kFloat    ? std::numeric_limits<float>::epsilon()
           : type == at::kBFloat16 ? 0x1p-7
                                   : 0x1p-10;
}

double roundingOf(const std::vector<Value>& values) {
    double coarsest = 0;
    for (const Value& value : values)
        forEachTensor(value, [&](const at::Tensor& tensor) {
            if (tensor.is_floating_point()) coarsest = std::max(coarsest, roundingOf(tensor.scalar_type()));
        });
    return coarsest;
}

Value nudged(const Value& value, Random& random, double roundings) {
    return mapTensors(value, [&](const at::Tensor& tensor) {
        if (!isRealFloat(tensor)) return tensor.clone();
        const double most = roundings * roundingOf(tensor.scalar_type());
        return altered(tensor, [&](double* data, std::int64_t count) {
            std::uniform_real_distribution<double> part(-most, most);
            for (std::int64_t i = 0; i < count; ++i) data[i] *= 1 + part(random);
        });
    });
}

Value scaledTo(const Value& value, double magnitude) {
    return mapTensors(value, [&](const at::Tensor& tensor) { return tensorScaledTo(tensor, magnitude); });
}
RunInputs scaledTo(const RunInputs& inputs, double magnitude) {
    return mapInputs(inputs, [&](const at::Tensor& tensor) { return tensorScaledTo(tensor, magnitude); });
}

Value withZeroRows(const Value& value, Random& random) {
    return mapTensors(value, [&](const at::Tensor& tensor) { return tensorWithZeroRows(tensor, random); });
}
RunInputs withZeroRows(const RunInputs& inputs, Random& random) {
    return mapInputs(inputs, [&](const at::Tensor& tensor) { return tensorWithZeroRows(tensor, random); });
}

Value blended(const Value& from, const Value& to, double share) {
    return mapPairs(from, to, [&](const at::Tensor& start, const at::Tensor& end) {
        if (!isRealFloat(start) || !isRealFloat(end) || start.sizes() != end.sizes()) return start.clone();
        const at::Tensor other = plain(end).flatten().to(at::kDouble).contiguous();
        const auto* there = static_cast<const double*>(other.const_data_ptr());
        return altered(start, [&](double* data, std::int64_t count) {
            for (std::int64_t i = 0; i < count; ++i) data[i] += share * (there[i] - data[i]);
        });
    });
}

Value resized(const Value& value, const SizeMap& sizes, Random& random) {
    return withOtherNumbers(
        mapTensors(value, [&](const at::Tensor& tensor) { return resizedTensor(tensor, sizes, random); }), sizes);
}
RunInputs resized(const RunInputs& inputs, const SizeMap& sizes, Random& random) {
    RunInputs out;
    for (const Value& value : inputs.positional) out.positional.push_back(resized(value, sizes, random));
    for (const auto& [name, value] : inputs.named) out.named.emplace_back(name, resized(value, sizes, random));
    return out;
}

std::int64_t elementCount(const Value& value, const SizeMap& sizes) {
    std::int64_t count = 0;
    forEachTensor(value, [&](const at::Tensor& tensor) {
        std::int64_t of = 1;
        for (const std::int64_t size : mappedSizes(tensor, sizes)) of *= size;
        count += of;
    });
    return count;
}

} // namespace fx::engine
