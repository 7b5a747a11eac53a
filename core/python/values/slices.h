// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/values/object.h"

#include <algorithm>
#include <optional>

/// Positions in sequences, as Python's slices and indices denote them.
namespace fx::python {

/// The items that a slice selects: `count` items from `start` on, `step` apart.
struct Span {
    std::int64_t start, step;
    std::size_t count;
    /// Returns the index of the i-th selected item.
    std::size_t place(std::size_t i) const {
        return static_cast<std::size_t>(start + static_cast<std::int64_t>(i) * step);
    }
};

/// Start, stop and step of a slice for a sequence of `size` items, as `slice.indices` gives them.
struct Bounds {
    std::int64_t start, stop, step;
};

/// Resolves a slice for a sequence of `size` items. Throws PythonError for a step of zero and for bounds that are not
/// numbers.
inline Bounds boundsOf(const SliceObject& slice, std::size_t size) {
    const auto length = static_cast<std::int64_t>(size);
    const auto number = [](const Value& given) -> std::optional<std::int64_t> {
        const Value value = plain(given);
        if (value.isInt()) return value.asInt();
        if (value.isNone() || !value.isSet()) return std::nullopt;
        requireKnown(value);
        const auto* traced = value.as<Traced>();
        const auto* argument = traced ? traced->value.as<Argument>() : nullptr;
        if (const auto* wide = argument ? argument->as<BigInt>() : nullptr) // beyond any sequence
            return wide->digits.starts_with('-') ? -INT64_MAX : INT64_MAX;
        throw trace::PythonError("TypeError: slice indices must be integers or None or have an __index__ method");
    };
    const std::int64_t step = std::max(number(slice.step).value_or(1), -INT64_MAX);
    if (step == 0) throw trace::PythonError("ValueError: slice step cannot be zero");
    const auto place = [&](const Value& given, std::int64_t otherwise) {
        const auto value = number(given);
        if (!value) return otherwise;
        return std::clamp<std::int64_t>(*value < 0 ? *value + length : *value, step > 0 ? 0 : -1,
                                        step > 0 ? length : length - 1);
    };
    return {place(slice.start, step > 0 ? 0 : length - 1), place(slice.stop, step > 0 ? length : -1), step};
}

/// Returns the items that a slice selects in a sequence of `size` items. Throws like `boundsOf`.
inline Span spanOf(const SliceObject& slice, std::size_t size) {
    const auto [start, stop, step] = boundsOf(slice, size);
    const std::int64_t away = step > 0 ? stop - start : start - stop;
    return {start, step, away <= 0 ? 0 : static_cast<std::size_t>((away - 1) / std::abs(step) + 1)};
}

/// Returns the selected items. Charges their memory.
template<class Items> Items sliced(const Items& items, const SliceObject& slice) {
    const Span span = spanOf(slice, items.size());
    trace::chargeBytes(span.count * sizeof(items[0]));
    Items out;
    out.reserve(span.count);
    for (std::size_t i = 0; i < span.count; ++i) out.push_back(items[span.place(i)]);
    return out;
}

/// Resolves an index, which may count from the end; nullopt outside the sequence.
inline std::optional<std::size_t> indexIn(const Value& key, std::size_t size) {
    std::int64_t at = plain(key).asInt();
    if (at < 0) at += static_cast<std::int64_t>(size);
    if (at < 0 || at >= static_cast<std::int64_t>(size)) return std::nullopt;
    return static_cast<std::size_t>(at);
}

} // namespace fx::python
