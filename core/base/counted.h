// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>

namespace fx {

/// Returns the form of a noun that fits a count: `formOf(2, "batch", "batches")` is "batches". Use it where the number
/// is not formatted as `counted` does.
constexpr std::string_view formOf(std::size_t count, std::string_view one, std::string_view many) {
    return count == 1 ? one : many;
}

/// Returns the count and the noun: "1 batch", "2 batches".
inline std::string counted(std::size_t count, std::string_view one, std::string_view many) {
    return std::to_string(count).append(" ").append(formOf(count, one, many));
}

} // namespace fx
