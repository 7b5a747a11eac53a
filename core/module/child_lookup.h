// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

namespace fx {

struct Module;

/// Finds children of modules by name while the tree is edited. A module that is searched often gets an index, each
/// answer of which is checked against the module, so the modules may change in any way. Not thread-safe.
class ChildLookup {
public:
    /// The index of the child in `module.children`, or their number if there is none.
    std::size_t find(const Module& module, std::string_view name);

private:
    struct Known {
        std::size_t searches = 0, next = 0; ///< `next`: the child after the one that was found last
        std::unordered_map<std::string, std::size_t> places;
    };
    std::unordered_map<const Module*, Known> m_known;
};

} // namespace fx
