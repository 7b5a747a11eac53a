// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/verify/comparison.h"
#include "core/engine/verify/further_runs.h"
#include "core/engine/verify/turns.h"

#include <map>

namespace fx::engine {

/// Runs both models on inputs whose sizes vary separately, as far as A accepts them.
class TriedSizes {
public:
    /// The models and the limits of the search; all except `isOver` must outlive this.
    struct Context {
        const VerifySide &a, &b;
        Comparison& comparison;
        InputSource& source;
        const FixedSizes& fixed;
        const FurtherSearch& search;
        std::function<bool()> isOver; ///< true once the time is over
    };
    explicit TriedSizes(const Context& context);

    /// Tries other sizes. Returns a counterexample if the models differ.
    std::optional<Counterexample> vary();
    /// Returns the groups of sizes that both models let vary. Valid after `vary`.
    const std::vector<SizeGroup>& groups() const { return m_groups; }
    /// Returns sizes of a group from which on a number that follows from the size, such as `0.99 ** p`, is beyond a
    /// constant or another number of a changed call. Runs both models on longer inputs.
    std::vector<std::int64_t> turns(const SizeGroup& group);
    /// Says that B refuses sizes other than the batch that A accepts; empty if it does not. This is reported, but is no
    /// difference of the results.
    const Message& refused() const { return m_refused; }

private:
    Attempt attempt(const Shapes& shapes);

    Turns::ByNode numbersFor(bool inB, const Shapes& shapes);

    const Context m_context;
    const bool m_sensesSizes;              ///< the change may depend on sizes
    std::int64_t m_mostElements = 1 << 20; ///< of longer inputs; lowered to a size whose runs were slow
    std::vector<SizeGroup> m_groups;
    std::map<Shapes, Message> m_refusals;
    Message m_refused;
    std::optional<Counterexample> m_found;
};

} // namespace fx::engine
