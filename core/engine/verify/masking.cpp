// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/masking.h"

#include "core/engine/verify/compare.h"

#include <algorithm>
#include <cmath>

namespace fx::engine {
namespace {

constexpr double kPartOfSignal = 0.01; ///< an error that is no part of what a value tells
constexpr double kResolved = 10;       ///< times the relative tolerance: what can be seen of a signal
constexpr double kUncompensated = 0.1; ///< part of a difference that is left when both models get the same value
constexpr double kCares = 1e-3;        ///< part of the effect of any change, that of one which matters

/// The root of the sum of squares of all errors.
double distanceOf(const Values& x, const Values& y) {
    double squares = 0;
    for (const double error : rmsErrors(Value::list(x), Value::list(y))) squares += error * error;
    return std::sqrt(squares);
}

/// The values that arrive at the border of a region.
std::vector<Value> valuesAt(const ChangedPart::Region& region, const ValuesByNode& known) {
    std::vector<Value> values;
    for (const auto& entry : region.entries) values.push_back(known.at(entry.producer));
    return values;
}

bool allAgree(const std::vector<Outcome>& outcomes) {
    return std::all_of(outcomes.begin(), outcomes.end(), [](const Outcome& outcome) { return outcome.agrees(); });
}

} // namespace

bool moved(const std::vector<double>& before, const std::vector<double>& after, const ValueDifference& difference,
           bool isRounding) {
    if (!difference.dtype.starts_with("torch.")) return true; // a size: no data
    const Movement movement = movementOf(before, after);
    return movement.by > kResolved * difference.tolerance.rtol * movement.scale &&
           (isRounding || difference.maxAbs <= kPartOfSignal * movement.by);
}

Masking::Masking(const VerifySide& a, const VerifySide& b, const ChangedPart& part, const NodeTable& table,
                 const std::vector<Pair>& differing)
    : m_graph(a.model->graph), m_part(part), m_differing(differing), m_inside(a.model->graph.idLimit()) {
    follow(table, b);
    m_region = part.regionOf(m_again, m_inside);
}

void Masking::follow(const NodeTable& table, const VerifySide& b) {
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

bool Masking::holds(RegionRun& regionRun, const RunInputs& inputs, Random& random) {
    if (m_region.exits.empty()) return false; // nothing uses it
    std::vector<NodeId> nodes = m_region.producers();
    const auto add = [&](const std::vector<Pair>& pairs) {
        for (const Pair& exit : pairs)
            if (!isOutput(exit)) nodes.push_back(exit.first);
    };
    add(m_differing);
    add(m_again);
    for (const NodeId id : m_part.regionOf(m_differing).producers()) nodes.push_back(id);
    const std::vector<Value> given = regionRun.valuesOfA(nodes, inputs);
    const std::vector<Value> own(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(m_region.entries.size()));
    ValuesByNode known;
    for (std::size_t i = 0; i < nodes.size(); ++i) known.emplace(nodes[i], given[i]);
    std::vector<Value> drawn;
    for (const Value& value : own) drawn.push_back(Pattern(value).draw(random));
    const std::vector<Outcome> outcomes = regionRun.run(m_region, drawn);
    if (!allAgree(outcomes)) return false;
    for (const Pair& exit : m_differing)
        if (!isOutput(exit) &&
            (!movesWith(exit, regionRun, known, outcomes, random) || onlyShrinks(exit, regionRun, known, random)))
            return false;
    m_border = {m_region, std::move(drawn), {}, true};
    for (const Outcome& outcome : outcomes) m_border.discrete.push_back(isDiscrete(outcome));
    return true;
}

/// Nodes that a node leads to, up to where the models agree again.
std::set<NodeId> Masking::behind(NodeId node) const {
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
std::vector<NodeId> Masking::returned(const Pair& exit) const {
    std::vector<NodeId> nodes;
    if (isOutput(exit))
        for (const Argument& value : m_graph.node(exit.first).args())
            forEachNode(value, [&](NodeId id) { nodes.push_back(id); });
    return nodes;
}

/// What leads from some nodes to where the models agree again, as far as the values at its border are known; else all.
ChangedPart::Region Masking::regionBehind(const std::set<NodeId>& reached, const ValuesByNode& known) const {
    std::vector<Pair> exits;
    for (const Pair& exit : m_region.exits)
        if (reached.contains(exit.first)) exits.push_back(exit);
    ChangedPart::Region region = m_part.regionOf(std::move(exits), m_inside);
    const bool isKnown = std::all_of(region.entries.begin(), region.entries.end(),
                                     [&](const auto& entry) { return known.contains(entry.producer); });
    return isKnown ? region : m_region;
}

bool Masking::movesWith(const Pair& differing, RegionRun& regionRun, const ValuesByNode& known,
                        const std::vector<Outcome>& outcomes, Random& random) const {
    const std::set<NodeId> reached = behind(differing.first);
    const ChangedPart::Region region = regionBehind(reached, known);
    ChangedPart::Region replaced = region;
    const std::vector<Value> values = valuesAt(region, known);
    std::vector<Value> with = values;
    replaced.entries.push_back({{differing.first}, {}, differing.first});
    with.push_back(Pattern(known.at(differing.first)).draw(random));
    const Values before = regionRun.runA(region, values), after = regionRun.runA(replaced, with);
    for (std::size_t i = 0; i < region.exits.size(); ++i) {
        if (!reached.contains(region.exits[i].first)) continue;
        const auto place = std::find(m_region.exits.begin(), m_region.exits.end(), region.exits[i]);
        const Outcome& outcome = outcomes[static_cast<std::size_t>(place - m_region.exits.begin())];
        const Samples was = samplesOf(before[i]), is = samplesOf(after[i]);
        const std::vector<NodeId> leaves = returned(region.exits[i]);
        for (std::size_t leaf = 0; leaf < was.size(); ++leaf) {
            // Of what is returned, only what was computed from the difference has to tell of it.
            const bool isNamed = leaves.size() == was.size();
            if (isNamed && leaves[leaf] != differing.first && !reached.contains(leaves[leaf])) continue;
            if (was.size() != is.size() || outcome.leaves.size() != was.size()) return false;
            if (!moved(was[leaf], is[leaf], outcome.leaves[leaf].difference, outcome.isRounding)) return false;
        }
    }
    return true;
}

bool Masking::onlyShrinks(const Pair& differing, RegionRun& regionRun, const ValuesByNode& known,
                          Random& random) const {
    const ChangedPart::Region own = m_part.regionOf({differing}), region = regionBehind(behind(differing.first), known);
    ChangedPart::Region replaced = region;
    replaced.entries.push_back({{differing.first}, {differing.second}, differing.first});
    const auto with = [&](const Value& value) {
        std::vector<Value> values = valuesAt(region, known);
        values.push_back(value);
        return values;
    };
    bool shrinks = false;
    RegionRun::mayFail([&] {
        const Value ofA = known.at(differing.first),
                    ofB = regionRun.valuesAt(true, own, valuesAt(own, known), {differing.second}).at(differing.second),
                    other = Pattern(ofA).draw(random);
        const Values a = regionRun.exact(false, replaced, with(ofA)),
                     moved = regionRun.exact(false, replaced, with(ofB)),
                     inB = regionRun.exact(true, replaced, with(ofB)),
                     any = regionRun.exact(false, replaced, with(other));
        const double move = distanceOf(moved, a), part = distanceOf({ofA}, {ofB}) / distanceOf({ofA}, {other});
        shrinks = move > 0 && std::isfinite(move) && distanceOf(inB, moved) <= kUncompensated * move &&
                  move >= kCares * part * distanceOf(any, a);
    });
    return shrinks;
}

} // namespace fx::engine
