// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>

namespace fx {

/// Returns the dotted path of the member `name` of the module at `holder`: "layers.0.weight" for "layers.0" and
/// "weight". The path of the root module is empty.
inline std::string joinedPath(std::string_view holder, std::string_view name) {
    std::string path;
    path.reserve(holder.size() + 1 + name.size());
    if (!holder.empty()) path.append(holder).push_back('.');
    return path.append(name);
}

/// Returns what is before the last dot of a path or a type; empty without a dot.
inline std::string_view parentPath(std::string_view path) {
    const auto dot = path.rfind('.');
    return dot == path.npos ? std::string_view() : path.substr(0, dot);
}

/// Returns what is after it: "Linear" of "torch.nn.Linear".
inline std::string_view lastAtom(std::string_view path) { return path.substr(path.rfind('.') + 1); }

} // namespace fx
