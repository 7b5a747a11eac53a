// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/healing.h"

#include <algorithm>

namespace fx::engine {
namespace {

constexpr double kPartOfSignal = 0.01; ///< an error that is no part of what a value tells
constexpr double kResolved = 10;       ///< times the relative tolerance: what can be seen of a signal

bool allAgree(const std::vector<Outcome>& outcomes) {
    return std::all_of(outcomes.begin(), outcomes.end(), [](const Outcome& outcome) { return outcome.agrees(); });
}

} // namespace

bool moved(const std::vector<double>& before, const std::vector<double>& after, const ValueDifference& difference) {
    if (!difference.dtype.starts_with("torch.")) return true; // a size: no data
    const Movement movement = movementOf(before, after);
    return movement.by > kResolved * difference.tolerance.rtol * movement.scale &&
           difference.maxAbs <= kPartOfSignal * movement.by;
}

Healing::Healing(const VerifySide& a, const VerifySide& b, const ChangedPart& part, const NodeTable& table,
                 const std::vector<Pair>& differing)
    : m_graph(a.model->graph), m_differing(differing), m_inside(a.model->graph.idLimit()) {
    follow(table, b);
    m_region = part.regionOf(m_again, m_inside);
}

void Healing::follow(const NodeTable& table, const VerifySide& b) {
    const NodeId outputOfB = b.model->graph.outputNode();
    std::vector<NodeId> open;
    for (const Pair& exit : m_differing) {
        m_inside[index(exit.first)] = true;
        if (isOutput(exit)) m_again.push_back(exit);
        else open.push_back(exit.first);
    }
    std::vector<bool> seen = m_inside;
    while (!open.empty()) {
        const NodeId id = open.back();
        open.pop_back();
        for (const NodeId user : m_graph.node(id).users()) {
            if (seen[index(user)]) continue;
            seen[index(user)] = true;
            if (m_graph.node(user).op() == Op::Output) {
                if (outputOfB != kNoNode) m_again.emplace_back(user, outputOfB);
            } else if (table.agrees(user)) {
                m_again.emplace_back(user, table.counterpart(user));
            } else {
                m_inside[index(user)] = true;
                open.push_back(user);
            }
        }
    }
}

bool Healing::holds(Trial& trial, const RunInputs& inputs, Random& random) {
    if (m_region.exits.empty()) return false; // nothing uses it
    std::vector<NodeId> nodes = m_region.producers();
    for (const Pair& exit : m_differing) nodes.push_back(exit.first);
    std::vector<Value> own = trial.valuesOfA(nodes, inputs);
    const std::vector<Value> ofExits(own.begin() + static_cast<std::ptrdiff_t>(m_region.entries.size()), own.end());
    own.resize(m_region.entries.size());
    std::vector<Value> drawn;
    for (const Value& value : own) drawn.push_back(Pattern(value).draw(random, 0));
    const std::vector<Outcome> outcomes = trial.run(m_region, drawn);
    if (!allAgree(outcomes)) return false;
    for (std::size_t i = 0; i < m_differing.size(); ++i)
        if (!isOutput(m_differing[i]) && !movesWith(m_differing[i], trial, own, ofExits[i], outcomes, random))
            return false;
    m_scene = {m_region, std::move(drawn), {}, true};
    for (const Outcome& outcome : outcomes) m_scene.discrete.push_back(isDiscrete(outcome));
    return true;
}

/// Nodes that a node leads to, up to where the models agree again.
std::set<NodeId> Healing::behind(NodeId node) const {
    std::set<NodeId> found;
    for (std::vector<NodeId> open{node}; !open.empty();) {
        const NodeId id = open.back();
        open.pop_back();
        for (const NodeId user : m_graph.node(id).users())
            if (found.insert(user).second && m_inside[index(user)]) open.push_back(user);
    }
    return found;
}

/// The nodes that an output returns, in order; for other nodes none.
std::vector<NodeId> Healing::returned(const Pair& exit) const {
    std::vector<NodeId> nodes;
    if (isOutput(exit))
        for (const Argument& value : m_graph.node(exit.first).args())
            forEachNode(value, [&](NodeId id) { nodes.push_back(id); });
    return nodes;
}

bool Healing::movesWith(const Pair& differing, Trial& trial, const std::vector<Value>& values, const Value& own,
                        const std::vector<Outcome>& outcomes, Random& random) const {
    const std::set<NodeId> reached = behind(differing.first);
    ChangedPart::Region replaced = m_region;
    std::vector<Value> with = values;
    replaced.entries.push_back({{differing.first}, {}, differing.first});
    with.push_back(Pattern(own).draw(random, 0));
    const Values before = trial.runA(m_region, values), after = trial.runA(replaced, with);
    for (std::size_t i = 0; i < m_region.exits.size(); ++i) {
        if (!reached.contains(m_region.exits[i].first)) continue;
        const Samples was = samplesOf(before[i]), is = samplesOf(after[i]);
        const std::vector<NodeId> leaves = returned(m_region.exits[i]);
        for (std::size_t leaf = 0; leaf < was.size(); ++leaf) {
            // Of what is returned, only what was computed from the difference has to tell of it.
            const bool known = leaves.size() == was.size();
            if (known && leaves[leaf] != differing.first && !reached.contains(leaves[leaf])) continue;
            if (was.size() != is.size() || outcomes[i].leaves.size() != was.size()) return false;
            if (!moved(was[leaf], is[leaf], outcomes[i].leaves[leaf].difference)) return false;
        }
    }
    return true;
}

} // namespace fx::engine
