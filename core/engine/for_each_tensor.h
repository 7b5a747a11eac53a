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

/// Returns a tensor, or a list of tensors, with `map` applied to each; other values as they are.
template<class Map> c10::IValue mapIValue(const c10::IValue& value, const Map& map) {
    if (value.isTensor()) return map(value.toTensor());
    if (value.isTensorList()) {
        c10::List<at::Tensor> list;
        for (const at::Tensor& tensor : value.toTensorVector()) list.push_back(map(tensor));
        return list;
    }
    if (value.isOptionalTensorList()) {
        c10::List<std::optional<at::Tensor>> list;
        for (const auto& tensor : value.toOptionalTensorVector())
            list.push_back(tensor ? std::optional(map(*tensor)) : std::nullopt);
        return list;
    }
    return value;
}

} // namespace fx::engine
