// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/verify/scene.h"

#include <set>

namespace fx::engine {

/// Whether a difference between two models is made good further on, or only lost:
///
///     a:  x ─ fc ──────── softmax          the shift differs and softmax agrees again, because a shift does not
///     b:  x ─ fc ─ shift ─ softmax         change it; other values in its place do
///
/// All from what differs to where the models agree again is run in both on values of its own: it must agree there. And
/// what differs is replaced in A by other values of its kind: there it must move, by much more than the models differ.
class Healing {
public:
    using Pair = ChangedPart::Pair;
    /// `differing`: exits where also the models' own data differ. `inputs`: those of A.
    Healing(const VerifySide& a, const VerifySide& b, const ChangedPart& part, const NodeTable& table,
            const std::vector<Pair>& differing);

    bool holds(Trial& trial, const RunInputs& inputs, Random& random);
    /// Where the models agree again.
    const std::vector<Pair>& exits() const { return m_region.exits; }
    /// What leads there, once it holds.
    const Scene& scene() const { return m_scene; }

private:
    void follow(const NodeTable& table, const VerifySide& b);
    std::set<NodeId> behind(NodeId node) const;
    bool movesWith(const Pair& differing, Trial& trial, const std::vector<Value>& values, const Value& own,
                   const std::vector<Outcome>& outcomes, Random& random) const;
    std::vector<NodeId> returned(const Pair& exit) const;
    bool isOutput(const Pair& exit) const { return m_graph.node(exit.first).op() == Op::Output; }

    const Graph& m_graph; ///< of A
    const std::vector<Pair>& m_differing;
    std::vector<bool> m_inside; ///< by node id of A: differs or follows something that does
    std::vector<Pair> m_again;
    ChangedPart::Region m_region;
    Scene m_scene;
};

/// Whether a leaf moved by more than what its type resolves, and the difference of the models is small against that.
bool moved(const std::vector<double>& before, const std::vector<double>& after, const ValueDifference& difference);

} // namespace fx::engine
