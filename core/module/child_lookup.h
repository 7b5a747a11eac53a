// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

namespace fx {

struct Module;

/// Finds children of modules by name while the tree is edited. Modules that are searched often get an index. Each
/// answer is checked against the module, so modules may change in any way. Not thread-safe.
class ChildLookup {
public:
    /// Returns the index of the child in `module.children`, or the number of children if it is missing.
    std::size_t find(const Module& module, std::string_view name);

private:
    struct Known {
        std::size_t searches = 0, next = 0; ///< `next` is the child after the last one found
        std::unordered_map<std::string, std::size_t> places;
    };
    std::unordered_map<const Module*, Known> m_known;
};

} // namespace fx
