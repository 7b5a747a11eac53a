// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace fx {

/// "a, b, c and 4 more": the first `shown` names, and how many others there are.
inline std::string listed(const std::vector<std::string>& names, std::size_t shown) {
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), shown); ++i) text += (i > 0 ? ", " : "") + names[i];
    return names.size() > shown ? text + " and " + std::to_string(names.size() - shown) + " more" : text;
}

} // namespace fx
