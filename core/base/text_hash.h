// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <string_view>

namespace fx {

/// A transparent hash for tables keyed by std::string: looks up std::string_view without a copy.
struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};

} // namespace fx
