// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/verify/border_values.h"

#include <set>

namespace fx::engine {

/// Decides whether a later node cancels a difference between two models, or whether the difference only gets lost:
///
///     a:  x ─ fc ──────── softmax          the shift differs, and softmax agrees again: a shift does not change its
///     b:  x ─ fc ─ shift ─ softmax         result, but other values do
///
/// Runs the nodes from the difference to where the models agree again, in both models, on generated values. They must
/// agree. Then replaces the differing value in A by a generated one. The result must move, by much more than the models
/// differ.
///
/// A difference that each layer makes smaller is no masking: with B's value in the place of A's, the nodes after it
/// give the same in both models then, and move as for other changes of the value. Float64 shows it, however small it
/// is.
class Masking {
public:
    /// A node of A and its counterpart in B.
    using Pair = ChangedPart::Pair;
    /// `differing` are exits that differ on the models' own data, too. `part`, `differing` and the graph of A must
    /// outlive this.
    Masking(const VerifySide& a, const VerifySide& b, const ChangedPart& part, const NodeTable& table,
            const std::vector<Pair>& differing);

    /// True if the models agree after the difference and the result depends on the differing values. `inputs` are those
    /// of A.
    bool holds(RegionRun& regionRun, const RunInputs& inputs, Random& random);
    /// Returns the nodes where the models agree again.
    const std::vector<Pair>& exits() const { return m_region.exits; }
    /// Returns the nodes between the difference and `exits`, with values for their entries. Valid after `holds`
    /// returned true.
    const BorderValues& border() const { return m_border; }

private:
    void follow(const NodeTable& table, const VerifySide& b);
    std::set<NodeId> behind(NodeId node) const;
    ChangedPart::Region regionBehind(const std::set<NodeId>& reached, const ValuesByNode& known) const;
    bool movesWith(const Pair& differing, RegionRun& regionRun, const ValuesByNode& known,
                   const std::vector<Outcome>& outcomes, Random& random) const;
    bool onlyShrinks(const Pair& differing, RegionRun& regionRun, const ValuesByNode& known, Random& random) const;
    std::vector<NodeId> returned(const Pair& exit) const;
    bool isOutput(const Pair& exit) const { return m_graph.node(exit.first).op() == Op::Output; }

    const Graph& m_graph; ///< of A
    const ChangedPart& m_part;
    const std::vector<Pair>& m_differing;
    std::vector<bool> m_inside; ///< by node id of A: it differs, or follows a node that does
    std::vector<Pair> m_again;  ///< the first pairs that agree again
    ChangedPart::Region m_region;
    BorderValues m_border;
};

/// True if a leaf moved by more than the resolution of its type and the difference of the models is small in
/// comparison. `isRounding` means that the difference is known to be rounding; it is then ignored.
bool moved(const std::vector<double>& before, const std::vector<double>& after, const ValueDifference& difference,
           bool isRounding = false);

} // namespace fx::engine
