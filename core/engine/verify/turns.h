// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/verify/verify.h"

#include <array>
#include <map>
#include <set>

namespace fx::engine {

/// Finds where numbers inside two models that follow from a count (of calls, of elements along a dimension) pass a
/// constant or another number, as `n * 0.01` passes the 1 of its clamp at 100.
class Turns {
public:
    /// The least, the largest and the last number of a value; NaN for a value without numbers, or one that depends on
    /// more than the count.
    using Numbers = std::array<double, 3>;
    /// Returns the numbers of a value. Tensors of more than `most` elements have none.
    static Numbers numbersOf(const Value& value, std::int64_t most);
    /// By node id.
    using ByNode = std::vector<Numbers>;
    /// Runs one of the models at a count. Returns an empty vector if it cannot run so.
    using Run = std::function<ByNode(bool inB, std::int64_t count)>;
    /// Selects the calls whose constants and numbers count.
    using Filter = std::function<bool(bool inB, NodeId call)>;

    /// The models must outlive this. Runs them at most `mostRuns` times.
    Turns(const GraphModule& a, const GraphModule& b, Run run, Filter filter, std::size_t mostRuns)
        : m_a(a), m_b(b), m_run(std::move(run)), m_filter(std::move(filter)), m_mostRuns(mostRuns) {}

    /// Returns the first count after each turn between two of the given counts, which ascend.
    std::set<std::int64_t> between(const std::vector<std::int64_t>& counts, const std::function<bool()>& isOver);

private:
    /// Where a number passes a constant or another number.
    struct Turn {
        NodeId number, other;
        double constant;
        std::size_t which; ///< of `Numbers`
        double at(const ByNode& numbers) const;
    };
    const ByNode& numbersAt(bool inB, std::int64_t count);
    std::vector<Turn> turnsOf(bool inB, const std::vector<std::int64_t>& counts);
    std::int64_t placeOf(const Turn& turn, bool inB, std::int64_t before, std::int64_t after);

    const GraphModule &m_a, &m_b;
    Run m_run;
    Filter m_filter;
    std::size_t m_mostRuns;
    std::map<std::pair<bool, std::int64_t>, ByNode> m_known;
};

} // namespace fx::engine
