// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/inputs/alter.h"

#include "core/engine/for_each_tensor.h"
#include "core/engine/verify/compare.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

namespace fx::engine {
namespace {

constexpr std::int64_t kFlips = 4;       ///< one of so many flags is flipped
constexpr std::int64_t kRowsOf = 4;      ///< one of so many rows is a number
constexpr std::int64_t kShuffled = 4096; ///< so many places are drawn without repeats

bool isRealFloat(const at::Tensor& tensor) {
    return isFloatTensor(tensor) && tensor.is_floating_point() && tensor.numel() > 0;
}
bool isWhole(const at::Tensor& tensor) {
    return tensor.layout() == at::kStrided && at::isIntegralType(tensor.scalar_type(), true) && tensor.numel() > 0;
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
    return withElements(tensor, [&](double* data, std::int64_t count) {
        const auto wanted = static_cast<std::int64_t>(part * static_cast<double>(count));
        std::size_t next = random() % numbers.size();
        for (const std::int64_t place : somePlaces(count, std::max(least, wanted), random))
            data[place] = numbers[next++ % numbers.size()];
    });
}

at::Tensor tensorScaledTo(const at::Tensor& tensor, double magnitude) {
    if (!isRealFloat(tensor)) return tensor.clone();
    return withElements(tensor, [&](double* data, std::int64_t count) {
        double squares = 0;
        std::int64_t numbers = 0;
        for (std::int64_t i = 0; i < count; ++i)
            if (std::isfinite(data[i])) squares += data[i] * data[i], ++numbers;
        if (!(squares > 0)) return;
        const double factor = magnitude / std::sqrt(squares / static_cast<double>(numbers));
        for (std::int64_t i = 0; i < count; ++i) data[i] *= factor;
    });
}

at::Tensor tensorWithRowsOf(double number, const at::Tensor& tensor, Random& random) {
    if (!isRealFloat(tensor)) return tensor.clone();
    return withElements(tensor, [&](double* data, std::int64_t count) {
        const std::int64_t width = tensor.dim() > 0 ? tensor.size(-1) : 1, rows = count / width;
        for (const std::int64_t row : somePlaces(rows, std::max<std::int64_t>(1, rows / kRowsOf), random))
            std::fill(data + row * width, data + (row + 1) * width, number);
    });
}

/// A number from -1 to 1, as at random, but the same for the same magnitude.
double partOf(double number, std::uint64_t salt) {
    std::uint64_t bits = std::bit_cast<std::uint64_t>(std::abs(number)) ^ salt; // mixed as splitmix64 does
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
    return static_cast<double>(static_cast<std::int64_t>(bits ^ (bits >> 31))) * 0x1p-63;
}

at::Tensor resizedTensor(const at::Tensor& tensor, const std::vector<std::int64_t>& wanted, Random& random) {
    if (tensor.numel() == 0 || wanted == tensor.sizes().vec()) return tensor.clone();
    if (isFloatTensor(tensor)) return drawnLike(elementsOf(tensor), wanted, tensor.scalar_type(), random);
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

using Kind = std::pair<at::ScalarType, std::vector<std::int64_t>>;

/// Each becomes the first one of its kind.
at::Tensor equalTensor(const at::Tensor& given, std::map<Kind, at::Tensor>& firsts, double apart, bool some,
                       Random& random) {
    if ((!isRealFloat(given) && !isWhole(given)) || given.numel() == 0) return given.clone();
    const auto [known, isFirst] = firsts.try_emplace({given.scalar_type(), given.sizes().vec()}, given);
    if (isFirst) return given.clone();
    const at::Tensor& first = known->second;
    const at::Tensor near = isRealFloat(given) ? first.mul(1 + apart) : first.clone();
    if (!some) return near;
    at::Tensor here = given.new_zeros({given.numel()}).to(at::kBool);
    for (const std::int64_t place : somePlaces(given.numel(), (given.numel() + 1) / 2, random))
        static_cast<bool*>(here.mutable_data_ptr())[place] = true;
    return near.where(here.view(given.sizes()), given);
}

Values mapAll(const Values& values, const std::function<at::Tensor(const at::Tensor&)>& map) {
    Values out;
    for (const Value& value : values) out.push_back(mapTensors(value, map));
    return out;
}

Alter eachTensor(std::function<at::Tensor(const at::Tensor&)> map) {
    return [map = std::move(map)](const Values& values) { return mapAll(values, map); };
}

} // namespace

bool hasAlike(const Values& values) {
    std::set<Kind> seen;
    return std::any_of(values.begin(), values.end(), [&](const Value& value) {
        return anyTensor(value, [&](const at::Tensor& tensor) {
            return (isRealFloat(tensor) || isWhole(tensor)) &&
                   !seen.emplace(tensor.scalar_type(), tensor.sizes().vec()).second;
        });
    });
}

bool hasFloats(const Value& value) { return anyTensor(value, isRealFloat); }
bool hasIntegers(const Value& value) { return anyTensor(value, isNumbers); }

RunInputs altered(const RunInputs& inputs, const Alter& alter) {
    const Values values = alter(valuesOf(inputs));
    RunInputs out = inputs;
    std::size_t next = 0;
    for (Value& value : out.positional) value = values[next++];
    for (auto& [name, value] : out.named) value = values[next++];
    return out;
}

Alter sprinkled(std::vector<double> numbers, double part, std::int64_t least, Random& random) {
    return eachTensor([numbers = std::move(numbers), part, least, &random](const at::Tensor& tensor) {
        return sprinkledTensor(tensor, numbers, part, least, random);
    });
}

Alter renumbered(std::vector<std::int64_t> numbers, std::int64_t oneOf) {
    return eachTensor([numbers = std::move(numbers), oneOf](const at::Tensor& tensor) {
        if (!isNumbers(tensor) || numbers.empty()) return tensor.clone();
        const at::Tensor others = wholeNumbers(tensor, [&](std::int64_t place) {
            return numbers[static_cast<std::size_t>(place / oneOf) % numbers.size()];
        });
        if (oneOf == 1) return others;
        const at::Tensor here = wholeNumbers(tensor, [&](std::int64_t place) { return place % oneOf == 0; });
        return others.where(here.to(at::kBool), tensor);
    });
}

bool isNumberOrFlag(const Value& value) { return value.as<bool>() || value.as<std::int64_t>() || value.as<double>(); }

Alter shifted(std::int64_t by) {
    return [by](const Values& values) {
        Values out = values;
        for (Value& value : out)
            if (const bool* flag = value.as<bool>()) value = !*flag;
            else if (const auto* number = value.as<std::int64_t>()) value = *number + by;
            else if (const auto* real = value.as<double>()) value = *real + static_cast<double>(by);
        return out;
    };
}

Alter scaledBy(double factor) {
    return eachTensor(
        [factor](const at::Tensor& tensor) { return isFloatTensor(tensor) ? tensor.mul(factor) : tensor.clone(); });
}

Alter scaledTo(double magnitude) {
    return eachTensor([magnitude](const at::Tensor& tensor) { return tensorScaledTo(tensor, magnitude); });
}

Alter withRowsOf(double number, Random& random) {
    return eachTensor([number, &random](const at::Tensor& tensor) { return tensorWithRowsOf(number, tensor, random); });
}

Alter equalised(double apart, bool some, Random& random) {
    return [apart, some, &random](const Values& values) {
        std::map<Kind, at::Tensor> firsts;
        return mapAll(values,
                      [&](const at::Tensor& tensor) { return equalTensor(tensor, firsts, apart, some, random); });
    };
}

bool hasIdleFlags(const Value& value) {
    return anyTensor(value, [](const at::Tensor& tensor) { return idleFlag(tensor).has_value(); });
}

Alter flipped(Random& random) {
    return eachTensor([&random](const at::Tensor& tensor) {
        const std::optional<double> flag = idleFlag(tensor);
        if (!flag) return tensor.clone();
        return withElements(tensor, [&](double* data, std::int64_t count) {
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

std::int64_t exactUpTo(at::ScalarType type) {
    switch (type) {
    case at::kBool: return 1;
    case at::kByte: return std::numeric_limits<std::uint8_t>::max();
    case at::kChar: return std::numeric_limits<std::int8_t>::max();
    case at::kShort: return std::numeric_limits<std::int16_t>::max();
    case at::kInt: return std::numeric_limits<std::int32_t>::max();
    case at::kLong: return std::numeric_limits<std::int64_t>::max();
    default: return static_cast<std::int64_t>(2 / roundingOf(type));
    }
}

double roundingOf(const Values& values) {
    double coarsest = 0;
    for (const Value& value : values)
        forEachTensor(value, [&](const at::Tensor& tensor) {
            if (tensor.is_floating_point()) coarsest = std::max(coarsest, roundingOf(tensor.scalar_type()));
        });
    return coarsest;
}

Value nudged(const Value& value, std::uint64_t salt, double roundings) {
    return mapTensors(value, [&](const at::Tensor& tensor) {
        if (!isRealFloat(tensor)) return tensor.clone();
        const double most = roundings * roundingOf(tensor.scalar_type());
        return withElements(tensor, [&](double* data, std::int64_t count) {
            for (std::int64_t i = 0; i < count; ++i) data[i] *= 1 + most * partOf(data[i], salt);
        });
    });
}

Value blended(const Value& from, const Value& to, double share) {
    return mapPairs(from, to, [&](const at::Tensor& start, const at::Tensor& end) {
        if (!isRealFloat(start) || !isRealFloat(end) || start.sizes() != end.sizes()) return start.clone();
        const at::Tensor other = plain(end).flatten().to(at::kDouble).contiguous();
        const auto* there = static_cast<const double*>(other.const_data_ptr());
        return withElements(start, [&](double* data, std::int64_t count) {
            for (std::int64_t i = 0; i < count; ++i) data[i] += share * (there[i] - data[i]);
        });
    });
}

Alter reshaped(Shapes shapes, Random& random) {
    return [shapes = std::move(shapes), &random](const Values& values) {
        std::size_t next = 0;
        return mapAll(values, [&](const at::Tensor& tensor) { return resizedTensor(tensor, shapes[next++], random); });
    };
}

std::int64_t elementCount(const Values& values) {
    std::int64_t count = 0;
    for (const Value& value : values) forEachTensor(value, [&](const at::Tensor& tensor) { count += tensor.numel(); });
    return count;
}

} // namespace fx::engine
