// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>

namespace fx {

/// The form of a noun beside a number: `formOf(2, "batch", "batches")` is "batches". For numbers that are written
/// beside it in another way than `counted` writes them.
constexpr std::string_view formOf(std::size_t count, std::string_view one, std::string_view many) {
    return count == 1 ? one : many;
}

/// "1 batch", "2 batches".
inline std::string counted(std::size_t count, std::string_view one, std::string_view many) {
    return std::to_string(count).append(" ").append(formOf(count, one, many));
}

} // namespace fx
