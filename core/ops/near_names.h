// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace fx::ops {

/// Optimal string alignment distance: insertions, deletions, replacements and swaps of neighbours, whatever the case.
/// Stops at `limit` and then returns limit + 1.
std::size_t editDistance(std::string_view a, std::string_view b, std::size_t limit);

/// In lower case and without underscores, which makes names of classes and functions comparable: "batchnorm" of
/// "BatchNorm" and of "batch_norm".
std::string comparableName(std::string_view name);

/// Remembers the candidate that is nearest to a name, among those near enough to be a slip of the hand: at most one
/// edit for each three letters, and one in shorter names. Of equals, one that differs in digits only wins (relu6 for
/// relu7, not relu), then the first.
class NearestName {
public:
    explicit NearestName(std::string_view wanted)
        : m_wanted(wanted), m_best(wanted.size() < 2 ? 1 : std::max<std::size_t>(1, wanted.size() / 3) + 1) {}
    /// Returns whether `candidate` is nearer than all before it.
    bool offer(std::string_view candidate);

private:
    std::string_view m_wanted;
    std::size_t m_best;      ///< distance of the best one so far, or 1 more than is near enough
    bool m_hasOther = false; ///< the best one differs in more than digits
};

/// The name nearest to `wanted` among those of `items`, as NearestName takes it; empty if none is near enough. A view
/// of what the items hold; `nameOf` is a member or a function of an item.
template<typename Items, typename NameOf = std::identity>
std::string_view nearestOf(std::string_view wanted, const Items& items, NameOf nameOf = {}) {
    NearestName nearest(wanted);
    std::string_view near;
    for (const auto& item : items)
        if (const std::string_view name = std::invoke(nameOf, item); nearest.offer(name)) near = name;
    return near;
}

} // namespace fx::ops
