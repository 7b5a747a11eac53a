// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fx {

/// Parses printed sizes or strides; nullopt if one is symbolic.
std::optional<std::vector<std::int64_t>> plainNumbers(const std::vector<std::string>& texts);

} // namespace fx
