// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/partition/split.h"

namespace fx {

/// The values that one stage of a pipeline sends to the next.
struct StageCrossing {
    std::size_t values = 0;  ///< number of values
    std::size_t numbers = 0; ///< values known not to be tensors, which a pipeline cannot send
    std::int64_t bytes = 0;  ///< sum of the known sizes
    bool bytesKnown = true;  ///< false if some sizes are unknown and count as 0
};

/// Returns the values that cross each position in a line of calls. `result[i]` counts values computed before position
/// i, or inputs of the model, that are used at i or later. An input that is used later passes through every stage
/// before, as in `makePipeline`; weights do not, since each stage has its own. `placeOf` is by node id, and `count`
/// for nodes that are not calls. O(nodes + edges).
std::vector<StageCrossing> stageCrossings(const GraphModule& model, const std::vector<std::size_t>& placeOf,
                                          std::size_t count);

/// The balance of stage weights. A pipeline is as fast as its slowest stage.
struct StageBalanceReport {
    std::vector<double> weights; ///< per stage, in the unit of the line
    std::size_t largest = 0;     ///< index of the stage with the largest weight
    double mean = 0;             ///< mean weight of a stage
    double ratio = 1;            ///< largest weight divided by the mean; 1 is ideal
};

/// The calls of a model in graph order, and the cost of cutting between them:
///
///     calls     conv  bn  relu  conv_1  add  fc        a getitem is not listed; it stays with its producer
///     weight     4.1 0.3   0.1     3.8  0.1  0.9       milliseconds, or 1 each
///     cuts                    |             |          {3, 5}: conv bn relu | conv_1 add | fc
///     crossing                2 values      1 value
///
/// Immutable. Queries of one position take constant time.
class StageLine {
public:
    /// Positions in the line where stages begin, ascending, without the 0 of the first stage.
    using Cuts = std::vector<std::size_t>;

    /// `times` is milliseconds by node name; if empty, each call weighs 1. Keeps no reference to the model. O(nodes +
    /// edges).
    StageLine(const GraphModule& model, const NodeTimes& times);

    /// The number of calls.
    std::size_t size() const { return m_calls.size(); }
    /// The calls, by position.
    const std::vector<NodeId>& calls() const { return m_calls; }
    /// Returns the position of a call, or of a getitem's producer; `size()` for other nodes.
    std::size_t placeOf(NodeId id) const { return m_placeOf[index(id)]; }
    /// True if weights are milliseconds.
    bool isTimed() const { return m_isTimed; }
    /// Returns the total weight of positions `begin` to `end - 1`.
    double weight(std::size_t begin, std::size_t end) const { return m_before[end] - m_before[begin]; }
    /// Returns the values that cross a cut before this position, 0 < cut < size().
    const StageCrossing& crossing(std::size_t cut) const { return m_crossings[cut]; }
    /// Returns the weights of the stages that `cuts` define.
    StageBalanceReport balance(const Cuts& cuts) const;
    /// Returns the positions of a stage's calls: `first` to `second - 1`.
    std::pair<std::size_t, std::size_t> extent(const Cuts& cuts, std::size_t stage) const;

    /// True if the cuts are ascending and leave each stage a call.
    bool isValid(const Cuts& cuts) const;
    /// Returns the positions to which one cut can move while the others stay and each stage keeps a call.
    std::pair<std::size_t, std::size_t> range(const Cuts& cuts, std::size_t cut) const;
    /// Returns the cuts of stages from `splitIntoStages`. A stage that would be empty, because it has only getitems,
    /// gets a call of its neighbour.
    Cuts cutsOf(const SplitAssignment& stages) const;
    /// Returns the stages of these cuts, for `splitModule` and `makePipeline`.
    SplitAssignment stagesOf(const Cuts& cuts) const;
    /// Returns the stage that contains a position. O(log stages).
    static std::size_t stageAt(const Cuts& cuts, std::size_t place);

private:
    std::vector<NodeId> m_calls;
    std::vector<std::size_t> m_placeOf; ///< by node id
    std::vector<double> m_before;       ///< by position: the weight of all calls before it
    std::vector<StageCrossing> m_crossings;
    bool m_isTimed = false;
};

} // namespace fx
