// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>

namespace fx {

/// The depth reached by everything placed so far, as a step function over the cross axis. O(log steps) amortised.
class Skyline {
public:
    /// Returns the greatest depth between `low` and `high`.
    double deepest(double low, double high) const {
        double deep = 0;
        for (auto step = stepAt(low); step != m_steps.end() && (step->first <= high); ++step)
            deep = std::max(deep, step->second);
        return deep;
    }
    /// Sets the depth between `low` and `high`; it must not be smaller than before.
    void lower(double low, double high, double depth) {
        const double after = stepAt(high)->second;
        auto first = m_steps.lower_bound(low);
        const auto last = m_steps.upper_bound(high);
        m_steps.erase(first, last);
        m_steps[low] = depth;
        m_steps.emplace(std::nextafter(high, std::numeric_limits<double>::infinity()), after);
    }

private:
    std::map<double, double>::const_iterator stepAt(double x) const { return std::prev(m_steps.upper_bound(x)); }
    std::map<double, double> m_steps{{-std::numeric_limits<double>::infinity(), 0}};
};

} // namespace fx
