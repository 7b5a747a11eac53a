// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/trace/allowance.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

namespace fx::python {

/// Erases a name from the children, parameters, buffers or attributes of a module.
template<class List> void forget(List& list, std::string_view name) {
    std::erase_if(list, [&](const auto& each) {
        if constexpr (requires { each.name; }) return each.name == name;
        else return each.first == name;
    });
}

/// Returns the slot of a name, which a new value keeps; a new one at the end.
template<class List> auto& slotOf(List& list, std::string_view name) {
    std::uint64_t bytes = 0; // that are compared
    const auto found = std::find_if(list.begin(), list.end(), [&](const auto& each) {
        bytes += each.name.size() == name.size() ? name.size() : 0;
        return each.name == name;
    });
    trace::charge(bytes / 256 + list.size() / 8);
    if (found != list.end()) return *found;
    auto& slot = list.emplace_back();
    slot.name = name;
    return slot;
}

} // namespace fx::python
