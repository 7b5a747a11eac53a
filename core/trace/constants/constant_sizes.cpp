// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/constants/constant_sizes.h"

#include <algorithm>
#include <limits>

namespace fx::trace {

std::optional<std::int64_t> integerOf(const Value& value) {
    const auto* argument = value.as<Argument>();
    if (!argument) return std::nullopt;
    if (const auto* number = argument->as<std::int64_t>()) return *number;
    if (const auto* flag = argument->as<bool>()) return *flag ? 1 : 0;
    return std::nullopt;
}

std::optional<Sizes> sizesFrom(const Values& args, std::size_t from) {
    if (args.size() <= from) return Sizes{};
    const auto* sequence = args[from].as<ValueSequence>();
    Sizes out;
    for (const auto& value :
         sequence ? sequence->items : Values(args.begin() + static_cast<std::ptrdiff_t>(from), args.end())) {
        const auto number = integerOf(value);
        if (!number) return std::nullopt;
        out.push_back(*number);
    }
    return out;
}

const Value* keywordOf(const KeywordValues& kwargs, std::string_view name) {
    for (const auto& [key, value] : kwargs)
        if (key == name) return &value;
    return nullptr;
}

std::optional<std::int64_t> product(std::optional<std::int64_t> a, std::optional<std::int64_t> b) {
    std::int64_t out = 0;
    return a && b && !__builtin_mul_overflow(*a, *b, &out) ? std::optional(out) : std::nullopt;
}

std::optional<std::int64_t> product(const Sizes& all) {
    std::optional<std::int64_t> out = 1;
    for (const std::int64_t size : all) out = product(out, size);
    return out;
}

Sizes stridesInRows(const Sizes& sizes) {
    constexpr auto kTooFar = std::numeric_limits<std::int64_t>::max();
    Sizes strides(sizes.size(), 1);
    for (std::size_t i = sizes.size(); i-- > 1;)
        strides[i - 1] = product(strides[i], std::max<std::int64_t>(sizes[i], 1)).value_or(kTooFar);
    return strides;
}

std::optional<Sizes> broadcast(const std::vector<const Sizes*>& all) {
    Sizes out;
    for (const Sizes* sizes : all) {
        if (sizes->size() > out.size()) out.insert(out.begin(), sizes->size() - out.size(), 1);
        for (std::size_t i = 0; i < sizes->size(); ++i) {
            auto& size = out[out.size() - sizes->size() + i];
            if (size == 1) size = (*sizes)[i];
            else if ((*sizes)[i] != 1 && (*sizes)[i] != size) return std::nullopt;
        }
    }
    return out;
}

namespace {

/// How many elements `slice` takes of `size`; nullopt if its bounds are not numbers.
std::optional<std::int64_t> sliceLength(const ValueSlice& slice, std::int64_t size) {
    const auto bound = [&](const Value& value, std::int64_t otherwise) -> std::optional<std::int64_t> {
        if (value.isNone()) return otherwise;
        auto at = integerOf(value);
        if (at && *at < 0) *at += size;
        return at ? std::optional(std::clamp<std::int64_t>(*at, 0, size)) : std::nullopt;
    };
    const auto start = bound(slice.start, 0), stop = bound(slice.stop, size);
    const auto step = slice.step.isNone() ? std::optional<std::int64_t>(1) : integerOf(slice.step);
    if (!start || !stop || !step || *step <= 0) return std::nullopt;
    return std::max<std::int64_t>(0, partCount(*stop - *start, *step));
}

bool isEllipsis(const Value& value) { return value.as<Argument>() && value.as<Argument>()->as<EllipsisValue>(); }

} // namespace

std::optional<Sizes> indexedSizes(const Sizes& sizes, const Value& key) {
    const auto* several = key.as<ValueSequence>();
    if (several && several->list) return std::nullopt;
    const Values keys = several ? several->items : Values{key};
    const auto taken =
        std::count_if(keys.begin(), keys.end(), [](const Value& each) { return !each.isNone() && !isEllipsis(each); });
    if (taken > static_cast<std::ptrdiff_t>(sizes.size())) return std::nullopt;
    Sizes out;
    std::size_t at = 0;
    for (const auto& each : keys) {
        if (each.isNone()) {
            out.push_back(1);
        } else if (isEllipsis(each)) {
            for (auto rest = sizes.size() - static_cast<std::size_t>(taken); rest > 0; --rest)
                out.push_back(sizes[at++]);
        } else if (const auto* slice = each.as<ValueSlice>()) {
            const auto length = sliceLength(*slice, sizes[at++]);
            if (!length) return std::nullopt;
            out.push_back(*length);
        } else if (each.as<Argument>() && each.as<Argument>()->as<std::int64_t>()) {
            ++at;
        } else {
            return std::nullopt;
        }
    }
    out.insert(out.end(), sizes.begin() + static_cast<std::ptrdiff_t>(at), sizes.end());
    return out;
}

} // namespace fx::trace
