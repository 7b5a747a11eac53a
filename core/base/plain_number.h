// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fx {

/// Parses a text that is nothing but a number; nullopt for others.
template<class Number = std::int64_t> std::optional<Number> plainNumber(std::string_view text) {
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

/// Parses printed sizes or strides; nullopt if one is symbolic.
inline std::optional<std::vector<std::int64_t>> plainNumbers(const std::vector<std::string>& texts) {
    std::vector<std::int64_t> out;
    for (const std::string& text : texts) {
        const auto number = plainNumber(text);
        if (!number) return std::nullopt;
        out.push_back(*number);
    }
    return out;
}

} // namespace fx
