// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/run_value.h"

namespace fx::engine {

/// Visits the tensors of a value in order, including those in lists, tuples and dicts.
template<class Visit> void forEachTensor(const Value& value, const Visit& visit, int depth = 0) {
    constexpr int kMaxDepth = 64;
    if (depth > kMaxDepth) return;
    if (value.isTensor()) visit(value.tensor());
    else if (const Items* items = value.items())
        for (const Value& item : items->items) forEachTensor(item, visit, depth + 1);
    else if (const Mapping* mapping = value.mapping())
        for (const auto& entry : mapping->items) forEachTensor(entry.second, visit, depth + 1);
}

} // namespace fx::engine
