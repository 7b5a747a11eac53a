// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/modules/branch_watch.h"
#include "core/engine/verify/comparison_coverage.h"
#include "core/remote/verdict.h"

#include <set>

namespace fx::engine {

/// Decides whether agreeing outputs are evidence: whether the changed region does the same for all values that may
/// arrive there.
///
///     1. Runs only the changed region, in both models, on values like those that arrive at its border. If it agrees,
///        steps 2 and 3 are skipped. Costs as much as the changed region.
///     2. An exit differs, also on the models' own data. A later node may cancel the difference; see `Masking`.
///     3. An exit differs, but not on the models' own data. The generated values may be unlike real ones (normalised):
///        runs A on other inputs for values that can occur. Replaces elements that never change, since the models'
///        data are no evidence for them.
///     4. If an exit has no elements, as for a slice of a batch of 1, its behaviour is unknown.
///     5. Runs the changed region at boundary values: near its constants, for NaN, small and large values, other
///        sizes, and around decision boundaries. See `tryBoundaryValues`.
///     6. If a branch of the changed region took only one side in all these runs, its other side is unknown. The same
///        holds for a comparison, unless other inputs show its other result; see `ComparisonCoverage`.
///
/// Steps 2 and 3 cost a few runs of the models and happen only if step 1 finds a difference. Step 5 costs as much as
/// the changed region once or twice, and nothing if the region has no constants and does not depend on sizes.
class RegionCheck {
public:
    /// All arguments must outlive this. `watch` must record the lockstep run and the runs of `examine`.
    RegionCheck(const VerifySide& a, const VerifySide& b, const VerifyOptions& options, const ChangedPart& part,
                const BranchWatch& watch);

    /// Receives the nodes of A from `LockstepRun::run`.
    void watch(const Node& node, const Value& value);
    /// Receives the nodes of B from `LockstepRun::run`.
    void watchB(const Node& node, const Value& value);
    /// The result of the check.
    struct Finding {
        Evidence::Change change = Evidence::Change::Same; ///< how the changed region behaves
        std::vector<std::string> where = {};              ///< names of the nodes that behave differently
        std::optional<bool> outputsMove = {};             ///< see `Evidence`
        bool saturated = false;                           ///< see `Evidence`
        std::vector<Message> remarks = {};                ///< differences for special values alone
        std::optional<RunInputs> shownBy = {};            ///< inputs of A for which the changed region differs
    };
    /// Runs the check after a lockstep run whose outputs agree. Throws Error if the user stops it.
    Finding examine(LockstepRun& lockstep, const VerifyReport& report);

private:
    using Pair = ChangedPart::Pair;
    /// The exits that step 1 found, by their result.
    struct Suspects {
        std::vector<Pair> still;    ///< agree, but do not depend on the values that arrive
        std::vector<Pair> empty;    ///< have no elements
        std::vector<Pair> failing;  ///< differ
        std::set<Pair> exact;       ///< of these, the ones that differ in float64
        std::vector<bool> discrete; ///< by exit: it returns integers, booleans or whole-number floats
    };
    bool isOutput(const Pair& exit) const;
    std::vector<Value> drawn();
    Suspects tryChange(RegionRun& regionRun, const Value& outputOfA);
    bool moves(const Pair& exit, const Outcome& outcome, const Value& outputOfA) const;
    bool differsByItself(const Pair& exit, bool isExact, const NodeTable& table, const VerifyReport& report) const;
    Finding judgeSuspects(RegionRun& regionRun, const NodeTable& table, const VerifyReport& report,
                          const Suspects& suspects);
    Finding tryBoundaryValues(const CheckContext& context, const BorderValues& border) const;
    bool sameOnRealData(RegionRun& regionRun, const std::vector<Pair>& exits);
    void observeOutputs(RegionRun& regionRun, const Value& outputOfA, Finding& finding);
    Finding found(Evidence::Change change, const std::vector<Pair>& exits) const;

    const VerifySide& m_a;
    const VerifySide& m_b;
    const VerifyOptions& m_options;
    const ChangedPart& m_part;
    const BranchWatch& m_watch;
    ChangedPart::Region m_region;
    RunInputs m_inputs;                                ///< of A, before its run changes them
    std::vector<std::vector<std::size_t>> m_entriesOf; ///< by node id of A: the entries that it produces
    std::vector<std::optional<Pattern>> m_patterns;    ///< by entry of the region
    std::vector<bool> m_mustMove;                      ///< by node id of A: exits that may have lost the signal
    std::vector<Samples> m_samples;                    ///< by node id of A: samples of these exits
    double m_cost = 1;                                 ///< the cost of a run of A, in elements
    ComparisonCoverage m_comparisons;
    Random m_random{1};
    std::vector<Message> m_remarks;
};

} // namespace fx::engine
