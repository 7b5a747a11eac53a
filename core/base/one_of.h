// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace fx {

/// Whether a name is one of a few.
inline bool isOneOf(std::string_view name, std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

} // namespace fx
