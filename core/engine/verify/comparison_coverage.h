// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/verify/border_values.h"
#include "core/engine/verify/later_calls.h"

namespace fx::engine {

/// Finds comparisons (`x.sum() > 1e5`, `ids == 7`) and their combinations (`all`, `&`) that only one of the models
/// makes, and that gave only one result on the models' own data. The other result is covered if some inputs lead to it
/// and the outputs depend on it: the comparison gives the other result for some elements, both models agree, and the
/// model's result changes when the comparison is forced to its usual result. A comparison that no inputs cover may be
/// wrong or superfluous.
class ComparisonCoverage {
public:
    /// Collects the changed comparisons of both models.
    ComparisonCoverage(const VerifySide& a, const VerifySide& b, const ChangedPart& part);

    /// Records the result of a node of A, or of B if `inB`.
    void note(bool inB, const Node& node, const Value& value);
    /// Returns the names of the comparisons whose other result remains uncovered; sorted and unique. Runs `region`, the
    /// whole changed region, on further inputs. If these do not suffice, calls `later` for calls far later, where a
    /// counter may lead to the other result; it may return null.
    std::vector<std::string> unseen(const CheckContext& context, const ChangedPart::Region& region,
                                    const std::function<std::unique_ptr<LaterCalls>()>& later) const;

private:
    struct Comparison {
        bool inB = false;
        NodeId node = kNoNode;
        bool isTrue = false, isFalse = false; ///< the result had such elements in some run
    };
    static void settle(std::vector<Comparison>& open, const CheckContext& context, const ChangedPart::Region& region,
                       const RunInputs& inputs, bool areOwn);
    std::vector<Comparison> m_all;
};

} // namespace fx::engine
