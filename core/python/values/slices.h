// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/values/object.h"

#include <algorithm>
#include <optional>

/// Places in sequences, as Python's slices and indices name them.
namespace fx::python {

/// What a slice takes of a sequence: `count` items from `start` on, each `step` further.
struct Span {
    std::int64_t start, step;
    std::size_t count;
};

inline Span spanOf(const SliceObject& slice, std::size_t size) {
    const auto length = static_cast<std::int64_t>(size);
    const std::int64_t step = plain(slice.step).isInt() ? plain(slice.step).asInt() : 1;
    const auto place = [&](const Value& given, std::int64_t otherwise) {
        const Value& value = plain(given);
        if (!value.isInt()) return otherwise;
        std::int64_t at = value.asInt();
        if (at < 0) at += length;
        return std::clamp<std::int64_t>(at, step > 0 ? 0 : -1, step > 0 ? length : length - 1);
    };
    const std::int64_t start = place(slice.start, step > 0 ? 0 : length - 1),
                       stop = place(slice.stop, step > 0 ? length : -1);
    const std::int64_t count = step > 0 ? (stop - start + step - 1) / step : (start - stop - step - 1) / -step;
    return {start, step, static_cast<std::size_t>(std::max<std::int64_t>(0, count))};
}

template<class Items> Items sliced(const Items& items, const SliceObject& slice) {
    const Span span = spanOf(slice, items.size());
    Items out;
    for (std::size_t i = 0; i < span.count; ++i)
        out.push_back(items[static_cast<std::size_t>(span.start + static_cast<std::int64_t>(i) * span.step)]);
    return out;
}

/// The place of an index, which may count from the end; nullopt outside of the sequence.
inline std::optional<std::size_t> indexIn(const Value& key, std::size_t size) {
    std::int64_t at = plain(key).asInt();
    if (at < 0) at += static_cast<std::int64_t>(size);
    if (at < 0 || at >= static_cast<std::int64_t>(size)) return std::nullopt;
    return static_cast<std::size_t>(at);
}

} // namespace fx::python
