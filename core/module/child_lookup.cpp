// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/module/child_lookup.h"

#include "core/module/module.h"

#include <algorithm>

namespace fx {
namespace {

constexpr std::size_t kWide = 16;            ///< children from which a module is indexed
constexpr std::size_t kSearchesAtFirst = 10; ///< an index costs about as much as so many searches
constexpr std::size_t kNear = 4; ///< children after the last one that are looked at first: most edits go along them

} // namespace

std::size_t ChildLookup::find(const Module& module, std::string_view name) {
    const auto& children = module.children;
    if (children.size() < kWide) return module.childIndex(name);
    Known& known = m_known[&module];
    for (std::size_t i = known.next, end = std::min(i + kNear, children.size()); i < end; ++i)
        if (children[i].name == name) return known.next = i + 1, i;
    if (known.searches < kSearchesAtFirst) {
        ++known.searches;
        return module.childIndex(name);
    }
    if (known.places.empty()) {
        known.places.reserve(children.size());
        for (std::size_t i = 0; i < children.size(); ++i) known.places.emplace(children[i].name, i);
    }
    const std::string key(name);
    if (const auto at = known.places.find(key);
        at != known.places.end() && at->second < children.size() && children[at->second].name == name) {
        known.next = at->second + 1;
        return at->second;
    }
    const std::size_t place = module.childIndex(name); // the module has changed, or there is no such child
    if (place < children.size()) known.places[key] = place;
    return place;
}

} // namespace fx
