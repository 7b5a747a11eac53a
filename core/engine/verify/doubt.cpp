// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/doubt.h"

#include "core/engine/verify/compare.h"

#include <algorithm>
#include <cmath>

namespace fx::engine {
namespace {

constexpr double kOutliers = 0.12;     ///< of the elements of a first trial
constexpr double kRange = 30;          ///< times the inputs, to meet the ends of ranges
constexpr std::size_t kDeep = 8;       ///< nodes in which a signal may get lost
constexpr double kPartOfSignal = 0.01; ///< an error that is no part of what a value tells
constexpr double kResolved = 10;       ///< times the relative tolerance: what can be seen of a signal

/// Whether a leaf tells anything of what it was computed from, and the error is small against that.
bool tells(const Outcome::Leaf& leaf, const std::vector<double>& before) {
    const Movement movement = movementOf(before, leaf.ofA);
    return movement.by > kResolved * leaf.difference.tolerance.rtol * movement.scale &&
           leaf.difference.maxAbs <= kPartOfSignal * movement.by;
}

std::vector<Value> drawn(const std::vector<Pattern>& patterns, Random& random, double outliers) {
    std::vector<Value> values;
    for (const Pattern& pattern : patterns) values.push_back(pattern.draw(random, outliers));
    return values;
}

std::vector<NodeId> sourcesOf(const ChangedPart::Region& region) {
    std::vector<NodeId> sources;
    for (const auto& entry : region.entries) sources.push_back(entry.source);
    return sources;
}

} // namespace

Doubt::Doubt(const VerifySide& a, const VerifySide& b, const VerifyOptions& options, const ChangedPart& part)
    : m_a(a), m_b(b), m_options(options), m_part(part), m_region(part.regionOf(part.exits())),
      m_entriesOf(a.model->graph.idLimit()), m_patterns(m_region.entries.size()), m_isDeep(a.model->graph.idLimit()),
      m_samples(a.model->graph.idLimit()) {
    if (m_region.exits.empty()) return;
    m_inputs = copyOf(a.inputs);
    for (std::size_t i = 0; i < m_region.entries.size(); ++i)
        m_entriesOf[index(m_region.entries[i].source)].push_back(i);
    if (m_region.size <= kDeep) return;
    for (const Pair& exit : m_region.exits) {
        const ChangedPart::Region own = part.regionOf({exit});
        m_isDeep[index(exit.first)] = own.size > kDeep && !own.entries.empty();
    }
}

bool Doubt::isOutput(const Pair& exit) const { return m_a.model->graph.node(exit.first).op() == Op::Output; }

void Doubt::watch(const Node& node, const Value& value) {
    for (const std::size_t entry : m_entriesOf[index(node.id())]) m_patterns[entry].emplace(value);
    if (m_isDeep[index(node.id())] && node.op() != Op::Output) m_samples[index(node.id())] = samplesOf(value);
}

/// Behind many nodes an agreement says nothing when nothing arrives.
bool Doubt::movesWhereDeep(const Pair& exit, const Outcome& outcome, const Value& outputOfA) {
    if (!m_isDeep[index(exit.first)]) return true;
    const Samples before = isOutput(exit) ? samplesOf(outputOfA) : m_samples[index(exit.first)];
    if (before.size() != outcome.leaves.size()) return true; // nothing is known of it
    for (std::size_t i = 0; i < before.size(); ++i)
        if (!tells(outcome.leaves[i], before[i])) return false;
    return true;
}

/// Whether the models' own data show the difference there.
bool Doubt::differsByItself(const Pair& exit, const NodeTable& table, const VerifyReport& report) const {
    if (isOutput(exit))
        return std::any_of(report.outputs.begin(), report.outputs.end(),
                           [](const OutputDifference& output) { return isGross(output.value); });
    return !table.agrees(exit.first);
}

std::vector<Doubt::Pair> Doubt::failing(Trial& trial, const std::vector<Pair>& exits, double outliers) {
    const ChangedPart::Region region = m_part.regionOf(exits);
    std::vector<Value> values;
    for (const auto& entry : region.entries) {
        const auto& known = m_entriesOf[index(entry.source)];
        values.push_back(known.empty() ? Value() : m_patterns[known.front()]->draw(m_random, outliers));
    }
    const std::vector<Outcome> outcomes = trial.run(region, values);
    std::vector<Pair> out;
    for (std::size_t i = 0; i < outcomes.size(); ++i)
        if (!outcomes[i].agrees()) out.push_back(exits[i]);
    return out;
}

Doubt::Finding Doubt::examine(Race& race, const VerifyReport& report) {
    if (m_region.exits.empty()) return {};
    Trial trial(race, m_a, m_b, m_options);
    const Value outputOfA = race.outputA();
    std::vector<Value> values;
    for (const auto& pattern : m_patterns) values.push_back(pattern ? pattern->draw(m_random, kOutliers) : Value());
    const std::vector<Outcome> outcomes = trial.run(m_region, values);
    std::vector<Pair> suspects, still;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        if (!outcomes[i].agrees()) suspects.push_back(m_region.exits[i]);
        else if (!movesWhereDeep(m_region.exits[i], outcomes[i], outputOfA)) still.push_back(m_region.exits[i]);
    }
    if (suspects.empty() && still.empty()) return {};
    const auto because = [&](Evidence::Change change, const std::vector<Pair>& exits) {
        Finding finding = found(change, exits);
        observeOutputs(trial, outputOfA, finding);
        return finding;
    };
    if (!still.empty()) return because(Evidence::Change::Lost, still);
    const std::vector<Pair> close = failing(trial, suspects, 0);
    std::vector<Pair> lost, open;
    for (const Pair& exit : suspects) {
        const bool visible = differsByItself(exit, race.table(), report);
        (visible ? lost : open).push_back(exit);
    }
    if (!lost.empty()) {
        const auto agreeing = healed(trial, race.table(), lost);
        if (!agreeing) return because(Evidence::Change::Lost, lost);
        std::erase_if(open, [&](const Pair& exit) {
            return std::find(agreeing->begin(), agreeing->end(), exit) != agreeing->end();
        });
    }
    const bool inRange = std::any_of(open.begin(), open.end(), [&](const Pair& exit) {
        return std::find(close.begin(), close.end(), exit) != close.end();
    });
    if ((inRange && !sameOnRealData(trial, open, 1)) || (!open.empty() && !sameOnRealData(trial, open, kRange)))
        return because(Evidence::Change::NotReached, open);
    return {};
}

/// The region from what failed to where the models agree again. `inside`: nodes of A in between.
ChangedPart::Region Doubt::beyond(const NodeTable& table, const std::vector<Pair>& exits,
                                  std::vector<bool>& inside) const {
    const Graph& graph = m_a.model->graph;
    const NodeId returned = m_b.model->graph.outputNode();
    std::vector<bool> seen(graph.idLimit());
    std::vector<Pair> again;
    std::vector<NodeId> open;
    for (const Pair& exit : exits) {
        inside[index(exit.first)] = true;
        if (isOutput(exit)) again.push_back(exit);
        else open.push_back(exit.first);
    }
    while (!open.empty()) {
        const NodeId id = open.back();
        open.pop_back();
        for (const NodeId user : graph.node(id).users()) {
            if (seen[index(user)]) continue;
            seen[index(user)] = true;
            if (graph.node(user).op() == Op::Output && returned != kNoNode) again.emplace_back(user, returned);
            else if (table.agrees(user)) again.emplace_back(user, table.counterpart(user));
            else inside[index(user)] = true, open.push_back(user);
        }
    }
    return m_part.regionOf(std::move(again), inside);
}

std::optional<std::vector<Doubt::Pair>> Doubt::healed(Trial& trial, const NodeTable& table,
                                                      const std::vector<Pair>& exits) {
    std::vector<bool> inside(m_a.model->graph.idLimit());
    const ChangedPart::Region region = beyond(table, exits, inside);
    if (region.exits.empty()) return std::nullopt;
    std::vector<Pattern> patterns;
    for (const Value& value : trial.valuesOfA(sourcesOf(region), m_inputs)) patterns.emplace_back(value);
    const auto first = trial.run(region, drawn(patterns, m_random, 0));
    const auto second = trial.run(region, drawn(patterns, m_random, 0));
    for (std::size_t i = 0; i < first.size(); ++i) {
        if (!first[i].agrees() || !second[i].agrees()) return std::nullopt;
        // Of what is returned, only what was computed from the difference has to tell of it.
        std::vector<NodeId> returned;
        if (isOutput(region.exits[i]))
            for (const Argument& value : m_a.model->graph.node(region.exits[i].first).args())
                forEachNode(value, [&](NodeId id) { returned.push_back(id); });
        for (std::size_t leaf = 0; leaf < second[i].leaves.size(); ++leaf) {
            const bool known = returned.size() == second[i].leaves.size();
            if (known && !inside[index(returned[leaf])] && !m_part.isChangedA(returned[leaf])) continue;
            if (!tells(second[i].leaves[leaf], first[i].leaves[leaf].ofA)) return std::nullopt;
        }
    }
    return region.exits;
}

bool Doubt::sameOnRealData(Trial& trial, const std::vector<Pair>& exits, double scale) {
    const ChangedPart::Region region = m_part.regionOf(exits);
    const std::vector<NodeId> sources = sourcesOf(region);
    std::vector<Value> values = trial.valuesOfA(sources, otherInputs(m_inputs, scale, m_random()));
    const std::vector<Value> others = trial.valuesOfA(sources, otherInputs(m_inputs, scale, m_random()));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = thawed(values[i], others[i], m_random);
    const std::vector<Outcome> outcomes = trial.run(region, values);
    return std::all_of(outcomes.begin(), outcomes.end(), [](const Outcome& outcome) { return outcome.agrees(); });
}

/// Whether other inputs give A other outputs, and whether all of them are at the ends of a range.
void Doubt::observeOutputs(Trial& trial, const Value& outputOfA, Finding& finding) {
    const Samples before = samplesOf(outputOfA),
                  after = samplesOf(trial.outputOfA(otherInputs(m_inputs, 1, m_random())));
    bool moves = before.size() != after.size(), ends = true, reached = false;
    for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
        const Movement movement = movementOf(before[i], after[i]);
        moves = moves || movement.by > kResolved * 1.3e-6 * movement.scale;
        for (const double value : before[i]) {
            const double size = std::abs(value);
            ends = ends && (size == 0 || std::abs(size - 1) < 1e-6);
            reached = reached || size != 0;
        }
    }
    finding.outputsMove = moves;
    finding.saturated = ends && reached;
}

Doubt::Finding Doubt::found(Evidence::Change change, const std::vector<Pair>& exits) const {
    Finding finding{change, {}, {}, false};
    for (const Pair& exit : exits) finding.where.push_back(m_a.model->graph.node(exit.first).name());
    return finding;
}

} // namespace fx::engine
