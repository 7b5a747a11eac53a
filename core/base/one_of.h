// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string_view>

namespace fx {

/// Returns true if `name` equals one of `names`. Linear; for short lists.
inline bool isOneOf(std::string_view name, std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// Returns true if `name` equals one of a table. Linear.
template<std::size_t N> bool isOneOf(std::string_view name, const std::string_view (&names)[N]) {
    return std::find(names, names + N, name) != names + N;
}

} // namespace fx
