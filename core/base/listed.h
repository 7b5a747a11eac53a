// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace fx {

/// Joins names or integers.
template<class Range> std::string joined(const Range& range, std::string_view separator = ", ") {
    std::string text;
    for (const auto& each : range) {
        if (!text.empty()) text += separator;
        if constexpr (std::is_integral_v<std::remove_cvref_t<decltype(each)>>) text += std::to_string(each);
        else text += each;
    }
    return text;
}

/// Lists the first `shown` names and the number of the others: "a, b, c and 4 more".
inline std::string listed(const std::vector<std::string>& names, std::size_t shown) {
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), shown); ++i) text += (i > 0 ? ", " : "") + names[i];
    return names.size() > shown ? text + " and " + std::to_string(names.size() - shown) + " more" : text;
}

/// Lists the `shown` ones of `count` names as in a sentence: "a, b and c", or "a, b, c and 4 more".
inline std::string listedInSentence(const std::vector<std::string>& shown, std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < shown.size(); ++i) text += (i == 0 ? "" : count == i + 1 ? " and " : ", ") + shown[i];
    return count > shown.size() ? text + " and " + std::to_string(count - shown.size()) + " more" : text;
}

} // namespace fx
