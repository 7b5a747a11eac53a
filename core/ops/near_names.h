// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace fx::ops {

/// Computes the optimal string alignment distance, ignoring case: insertions, deletions, replacements and swaps of
/// neighbours. Returns `limit` + 1 as soon as the distance exceeds `limit`.
std::size_t editDistance(std::string_view a, std::string_view b, std::size_t limit);

/// Returns the name in lower case without underscores, which makes names of classes and functions comparable:
/// "batchnorm" for both "BatchNorm" and "batch_norm".
std::string comparableName(std::string_view name);

/// Keeps the best match for a misspelt name. Candidates may differ by one edit per three letters, and by one edit in
/// shorter names. Among equal distances, a candidate that differs only in digits wins (relu6 for relu7, not relu), then
/// the first.
class NearestName {
public:
    explicit NearestName(std::string_view wanted)
        : m_wanted(wanted), m_best(wanted.size() < 2 ? 1 : std::max<std::size_t>(1, wanted.size() / 3) + 1) {}
    /// Returns true if `candidate` is nearer than all previous candidates.
    bool offer(std::string_view candidate);

private:
    std::string_view m_wanted;
    std::size_t m_best;      ///< distance of the best candidate so far, or the allowed distance + 1
    bool m_hasOther = false; ///< the best candidate differs in more than digits
};

/// Returns the name nearest to `wanted` among those of `items`, by the rules of NearestName; empty if none is near
/// enough. The result views into the items; `nameOf` is a member or a function of an item.
template<typename Items, typename NameOf = std::identity>
std::string_view nearestOf(std::string_view wanted, const Items& items, NameOf nameOf = {}) {
    NearestName nearest(wanted);
    std::string_view near;
    for (const auto& item : items)
        if (const std::string_view name = std::invoke(nameOf, item); nearest.offer(name)) near = name;
    return near;
}

} // namespace fx::ops
