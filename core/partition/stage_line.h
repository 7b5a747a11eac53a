// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/partition/split.h"

namespace fx {

/// What one stage of a pipeline sends to the next.
struct StageCrossing {
    std::size_t values = 0;
    std::size_t numbers = 0; ///< of the values, those that are known to be no tensors: a pipeline cannot send them
    std::int64_t bytes = 0;
    bool bytesKnown = true; ///< false if some sizes are unknown and count as 0
};

/// What crosses before each place of a line of calls: result[i] is made before place i, or is an input of the model,
/// and is used from there on. An input that is used later travels through every stage before, as in `makePipeline`;
/// weights do not, since each stage has its own. `placeOf`: by node id, `count` for nodes that are not calls. O(nodes +
/// edges).
std::vector<StageCrossing> stageCrossings(const GraphModule& model, const std::vector<std::size_t>& placeOf,
                                          std::size_t count);

/// How evenly the times of stages are spread. A pipeline is as fast as its slowest stage.
struct StageBalanceReport {
    std::vector<double> weights; ///< of each stage, in the unit of the line
    std::size_t largest = 0;
    double mean = 0;
    double ratio = 1; ///< of the largest to the mean; 1 is ideal
};

/// The calls of a model in graph order, with what it costs to cut between them:
///
///     calls     conv  bn  relu  conv_1  add  fc        getitems are not listed; they stay with their producer
///     weight     4.1 0.3   0.1     3.8  0.1  0.9       milliseconds, or 1 each
///     cuts                    |             |          {3, 5}: conv bn relu | conv_1 add | fc
///     crossing                2 values      1 value
///
/// Immutable; answers in constant time.
class StageLine {
public:
    /// Places in the line where stages begin, ascending; the first stage begins at 0, which is not listed.
    using Cuts = std::vector<std::size_t>;

    /// `times`: milliseconds by node; if empty, each call weighs 1. O(nodes + edges).
    StageLine(const GraphModule& model, const NodeTimes& times);

    std::size_t size() const { return m_calls.size(); }
    const std::vector<NodeId>& calls() const { return m_calls; }
    /// The place of a call, or of a getitem's producer; `size()` for other nodes.
    std::size_t placeOf(NodeId id) const { return m_placeOf[index(id)]; }
    bool isTimed() const { return m_isTimed; }
    /// The weight of the calls from `begin` to before `end`.
    double weight(std::size_t begin, std::size_t end) const { return m_before[end] - m_before[begin]; }
    /// What crosses a cut before this place, 0 < cut < size().
    const StageCrossing& crossing(std::size_t cut) const { return m_crossings[cut]; }
    StageBalanceReport balance(const Cuts& cuts) const;
    /// The places of a stage's calls: from `first` to before `second`.
    std::pair<std::size_t, std::size_t> extent(const Cuts& cuts, std::size_t stage) const;

    /// Whether the cuts are ascending and leave each stage a call.
    bool isValid(const Cuts& cuts) const;
    /// The places that a cut may move to while the others stay: each stage keeps a call.
    std::pair<std::size_t, std::size_t> range(const Cuts& cuts, std::size_t cut) const;
    /// The cuts of stages made by `splitIntoStages`. Stages that would be empty, because they had only getitems, get a
    /// call of their neighbours.
    Cuts cutsOf(const SplitAssignment& stages) const;
    /// The stages of these cuts, for `splitModule` and `makePipeline`.
    SplitAssignment stagesOf(const Cuts& cuts) const;
    /// The stage of a place. O(log stages).
    static std::size_t stageAt(const Cuts& cuts, std::size_t place);

private:
    std::vector<NodeId> m_calls;
    std::vector<std::size_t> m_placeOf; ///< by node id
    std::vector<double> m_before;       ///< by place: the weight of all calls before it
    std::vector<StageCrossing> m_crossings;
    bool m_isTimed = false;
};

} // namespace fx
