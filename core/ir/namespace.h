// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace fx {

/// Makes unique Python names the way torch.fx's `_Namespace` does; linear over any sequence of requests.
class Namespace {
public:
    /// A new name like `candidate` (torch.fx `create_name`). `reserved`: names that Python or torch.fx reserve get a number;
    /// pass true in `mayBeReserved` for an object that is that builtin itself.
    std::string create(std::string_view candidate, bool mayBeReserved = false);
    /// Takes `name` out of circulation without any change to it.
    void reserve(std::string_view name) { m_used.emplace(name); }
    bool isUsed(std::string_view name) const { return m_used.contains(std::string(name)); }

private:
    std::unordered_set<std::string> m_used;
    std::unordered_map<std::string, std::string> m_baseCount; ///< decimal digits: suffixes may exceed 64 bits
};

/// Names that a node may not have: Python keywords, builtins, and what torch.fx imports into every graph.
bool isReservedName(std::string_view name);
/// torch.fx `_snake_case`: `_` between a lower-case and an upper-case letter, then lower case.
std::string snakeCase(std::string_view text);

} // namespace fx
