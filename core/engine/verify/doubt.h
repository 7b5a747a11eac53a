// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/modules/branch_watch.h"
#include "core/engine/verify/comparisons.h"
#include "core/remote/verdict.h"

namespace fx::engine {

/// Finds out whether outputs that agree mean anything: whether what changed does the same, whatever arrives there and
/// whatever becomes of it.
///
///     1. Only what changed is run in both models, on values of the kind that it gets. It agrees: done; this costs as
///        much as what changed.
///     2. A value differs, also with the models' own data. It may be made good further on: see `Healing`.
///     3. A value differs, but not with the models' own data. They may be of a kind that was not met (normalised):
///        runs on other inputs give values that can occur. Elements that never change are replaced, since of them the
///        models' data show nothing; inputs 100 times as large show the ends of ranges.
///
///     4. A call that changed got only tensors without elements, as from a slice of a batch of 1: nothing is known of
///     it.
///     5. All agrees so far. What changed is looked at where these data do not lead: near its constants, for NaN, for
///        small values, other sizes, where a decision falls. See `lookElsewhere`.
///     6. Branches of what changed took only one side in all of this: of the other one nothing is known. Likewise a
///     comparison, unless other inputs show its other side; see `Comparisons`.
///
/// 2 and 3 cost a few runs of the models, and happen only when 1 fails. 5 costs as much as what changed once or twice,
/// and nothing where that has neither constants nor anything to do with sizes.
class Doubt {
public:
    /// `watch` sees the race, and what `examine` tries.
    Doubt(const VerifySide& a, const VerifySide& b, const VerifyOptions& options, const ChangedPart& part,
          const BranchWatch& watch);

    /// For Race::run.
    void watch(const Node& node, const Value& value);
    void watchB(const Node& node, const Value& value);
    struct Finding {
        Evidence::Change change = Evidence::Change::Same;
        std::vector<std::string> where = {};  ///< nodes that do something else
        std::optional<bool> outputsMove = {}; ///< of Evidence
        bool saturated = false;
        std::vector<Message> remarks = {}; ///< what differs for special values alone
    };
    /// After a race whose outputs agree.
    Finding examine(Race& race, const VerifyReport& report);

private:
    using Pair = ChangedPart::Pair;
    /// What step 1 found of the exits.
    struct Suspects {
        std::vector<Pair> still;    ///< agree, but nothing arrives there
        std::vector<Pair> failing;  ///< do something else
        std::vector<Pair> ranged;   ///< do something else for large values
        std::vector<bool> discrete; ///< by exit: gives whole numbers or booleans
    };
    /// Which nodes gave tensors, and whether all of these were without elements.
    struct Emptiness {
        std::vector<bool> hasTensor, isEmpty; ///< by node id
        explicit Emptiness(const Graph& graph) : hasTensor(graph.idLimit()), isEmpty(graph.idLimit()) {}
        void note(const Node& node, const Value& value);
        bool ranOnNothing(const Node& node) const;
    };
    std::vector<std::string> withoutData() const;
    bool isOutput(const Pair& exit) const;
    std::vector<std::int64_t> rowsThatDiffer(NodeId producer) const;
    std::vector<Value> drawn(double outliers);
    Suspects tryChange(Trial& trial, const Value& outputOfA);
    bool moves(const Pair& exit, const Outcome& outcome, const Value& outputOfA) const;
    bool differsByItself(const Pair& exit, const NodeTable& table, const VerifyReport& report) const;
    Finding judgeSuspects(Trial& trial, const NodeTable& table, const VerifyReport& report, const Suspects& suspects);
    Finding lookElsewhere(const Stage& stage, const Scene& scene) const;
    bool readsOtherRows(const std::vector<Pair>& exits) const;
    bool sameOnRealData(Trial& trial, const std::vector<Pair>& exits, double scale);
    void observeOutputs(Trial& trial, const Value& outputOfA, Finding& finding);
    Finding found(Evidence::Change change, const std::vector<Pair>& exits) const;

    const VerifySide& m_a;
    const VerifySide& m_b;
    const VerifyOptions& m_options;
    const ChangedPart& m_part;
    const BranchWatch& m_watch;
    ChangedPart::Region m_region;
    RunInputs m_inputs;                                ///< of A, before its run changes them
    std::vector<std::vector<std::size_t>> m_entriesOf; ///< by node id of A: entries that it produces
    std::vector<std::optional<Pattern>> m_patterns;    ///< of the region's entries
    std::vector<std::vector<std::int64_t>> m_rows;     ///< of those: rows of an embedding that changed
    std::vector<bool> m_mustMove;                      ///< by node id of A: exits where a signal may have got lost
    std::vector<Samples> m_samples;                    ///< of those
    Emptiness m_emptyA, m_emptyB;
    Comparisons m_comparisons;
    Random m_random{1};
    std::vector<Message> m_remarks;
};

} // namespace fx::engine
