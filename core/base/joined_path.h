// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>

namespace fx {

/// The path of what is called `name` in the module at `holder`: "layers.0.weight" of "layers.0" and "weight". The path
/// of the root is empty.
inline std::string joinedPath(std::string_view holder, std::string_view name) {
    std::string path;
    path.reserve(holder.size() + 1 + name.size());
    if (!holder.empty()) path.append(holder).push_back('.');
    return path.append(name);
}

} // namespace fx
