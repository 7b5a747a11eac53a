// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/doubt.h"

#include "core/engine/for_each_tensor.h"
#include "core/engine/verify/boundary.h"
#include "core/engine/verify/branches.h"
#include "core/engine/verify/compare.h"
#include "core/engine/verify/decisions.h"
#include "core/engine/verify/elsewhere.h"
#include "core/engine/verify/healing.h"
#include "core/engine/verify/inputs/further_inputs.h"
#include "core/engine/verify/inputs/other_sizes.h"
#include "core/engine/verify/layer.h"
#include "core/engine/verify/numbers.h"
#include "core/engine/verify/what_changed.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

namespace fx::engine {
namespace {

constexpr double kOutliers = 0.5; ///< part of the elements of a trial of ranges
constexpr double kRange = 100;    ///< times the inputs, to meet the ends of ranges
constexpr std::size_t kDeep = 8;  ///< nodes in which a signal may get lost

bool isIn(const std::vector<ChangedPart::Pair>& pairs, const ChangedPart::Pair& pair) {
    return std::find(pairs.begin(), pairs.end(), pair) != pairs.end();
}

/// Whether one of the nodes that changed has a range with ends.
bool hasRanges(const VerifySide& side, const ChangedPart& part, bool inB) {
    for (const Node& node : side.model->graph.nodes())
        if ((inB ? part.isChangedB(node.id()) : part.isChangedA(node.id())) && !isScaleFree(node, *side.model))
            return true;
    return false;
}

} // namespace

Doubt::Doubt(const VerifySide& a, const VerifySide& b, const VerifyOptions& options, const ChangedPart& part,
             const BranchWatch& watch)
    : m_a(a), m_b(b), m_options(options), m_part(part), m_watch(watch), m_region(part.regionOf(part.exits())),
      m_entriesOf(a.model->graph.idLimit()), m_patterns(m_region.entries.size()), m_rows(m_region.entries.size()),
      m_mustMove(a.model->graph.idLimit()), m_samples(a.model->graph.idLimit()), m_emptyA(a.model->graph),
      m_emptyB(b.model->graph), m_comparisons(a, b, part) {
    if (m_region.exits.empty()) return;
    m_inputs = copyOf(a.inputs);
    for (const auto& [name, value] : defaultsOf(*a.model, *b.model, a.inputs))
        if (!value.isNone()) m_inputs.named.emplace_back(name, value); // so that numbers among them are varied
    for (std::size_t i = 0; i < m_region.entries.size(); ++i) {
        m_entriesOf[index(m_region.entries[i].producer)].push_back(i);
        m_rows[i] = rowsThatDiffer(m_region.entries[i].producer);
    }
    for (const Pair& exit : m_region.exits) {
        const bool same = part.isSameCall(exit); // weights that nothing reads change nothing
        if (!same && m_region.size <= kDeep) continue;
        const ChangedPart::Region own = part.regionOf({exit});
        m_mustMove[index(exit.first)] = (same || own.size > kDeep) && !own.entries.empty();
    }
}

bool Doubt::isOutput(const Pair& exit) const { return m_a.model->graph.node(exit.first).op() == Op::Output; }

void Doubt::Emptiness::note(const Node& node, const Value& value) {
    bool anyTensor = false, anyElement = false;
    forEachTensor(value,
                  [&](const at::Tensor& tensor) { anyTensor = true, anyElement = anyElement || tensor.numel() > 0; });
    hasTensor[index(node.id())] = anyTensor;
    isEmpty[index(node.id())] = anyTensor && !anyElement;
}

/// Whether a call took tensors, and none of them had elements. It may give some all the same: a sum of nothing.
bool Doubt::Emptiness::ranOnNothing(const Node& node) const {
    bool anyTensor = false;
    for (const NodeId input : node.inputs()) {
        anyTensor = anyTensor || hasTensor[index(input)];
        if (hasTensor[index(input)] && !isEmpty[index(input)]) return false;
    }
    return node.isCall() && anyTensor;
}

/// Calls that changed and that no data reached, by name.
std::vector<std::string> Doubt::withoutData() const {
    std::vector<std::string> names;
    std::unordered_set<std::string> seen;
    const auto add = [&](const Node& node) {
        if (seen.insert(node.name()).second) names.push_back(node.name());
    };
    for (const Node& node : m_a.model->graph.nodes())
        if (m_part.isChangedA(node.id()) && m_emptyA.ranOnNothing(node)) add(node);
    for (const Node& node : m_b.model->graph.nodes())
        if (m_part.isChangedB(node.id()) && m_emptyB.ranOnNothing(node)) add(node);
    return names;
}

void Doubt::watchB(const Node& node, const Value& value) {
    if (m_region.exits.empty()) return;
    m_emptyB.note(node, value);
    m_comparisons.note(true, node, value);
}

void Doubt::watch(const Node& node, const Value& value) {
    if (m_region.exits.empty()) return; // nothing is asked of it then
    m_emptyA.note(node, value);
    m_comparisons.note(false, node, value);
    for (const std::size_t entry : m_entriesOf[index(node.id())]) m_patterns[entry].emplace(value);
    if (m_mustMove[index(node.id())] && node.op() != Op::Output) m_samples[index(node.id())] = samplesOf(value);
}

/// The rows in which the tables of an embedding differ that looks up what the node gives.
std::vector<std::int64_t> Doubt::rowsThatDiffer(NodeId producer) const {
    std::vector<std::int64_t> rows;
    for (const NodeId user : m_a.model->graph.node(producer).users()) {
        const NodeId other = m_part.counterpart(user);
        if (other == kNoNode) continue;
        const TensorPtr mine = tableOf(m_a.model->graph.node(user), *m_a.model),
                        theirs = tableOf(m_b.model->graph.node(other), *m_b.model);
        if (!mine || !theirs || mine == theirs || mine->sizes.size() != 2 || theirs->sizes.size() != 2 ||
            mine->sizes[1] != theirs->sizes[1])
            continue;
        const at::Tensor a = m_a.tensors->tensor(mine), b = m_b.tensors->tensor(theirs);
        const std::int64_t common = std::min(a.size(0), b.size(0));
        const at::Tensor differs = a.narrow(0, 0, common).ne(b.narrow(0, 0, common)).any(1).nonzero().contiguous();
        const auto* data = static_cast<const std::int64_t*>(differs.const_data_ptr());
        rows.assign(data, data + differs.numel());
    }
    return rows;
}

/// Values for the region's entries.
std::vector<Value> Doubt::drawn(double outliers) {
    std::vector<Value> values;
    for (std::size_t i = 0; i < m_patterns.size(); ++i)
        values.push_back(m_patterns[i] ? withIntegers(m_patterns[i]->draw(m_random, outliers), m_rows[i]) : Value());
    return values;
}

Doubt::Suspects Doubt::tryChange(Trial& trial, const Value& outputOfA) {
    Suspects suspects;
    const std::vector<Outcome> usual = trial.run(m_region, drawn(0));
    std::vector<Outcome> large;
    if (hasRanges(m_a, m_part, false) || hasRanges(m_b, m_part, true)) large = trial.run(m_region, drawn(kOutliers));
    for (std::size_t i = 0; i < usual.size(); ++i) {
        const Pair& exit = m_region.exits[i];
        suspects.discrete.push_back(isDiscrete(usual[i]));
        if (!usual[i].agrees()) suspects.failing.push_back(exit);
        else if (!large.empty() && !large[i].agrees() && !large[i].overflows()) suspects.ranged.push_back(exit);
        else if (!moves(exit, usual[i], outputOfA)) suspects.still.push_back(exit);
    }
    return suspects;
}

/// An agreement says nothing where nothing arrives.
bool Doubt::moves(const Pair& exit, const Outcome& outcome, const Value& outputOfA) const {
    if (!m_mustMove[index(exit.first)]) return true;
    const Samples before = isOutput(exit) ? samplesOf(outputOfA) : m_samples[index(exit.first)];
    if (before.size() != outcome.leaves.size()) return true; // nothing is known of it
    for (std::size_t i = 0; i < before.size(); ++i)
        if (!moved(before[i], outcome.leaves[i].ofA, outcome.leaves[i].difference)) return false;
    return true;
}

/// Whether the models' own data show the difference there.
bool Doubt::differsByItself(const Pair& exit, const NodeTable& table, const VerifyReport& report) const {
    if (isOutput(exit))
        return std::any_of(report.outputs.begin(), report.outputs.end(),
                           [](const OutputDifference& output) { return isGross(output.value); });
    return !table.agrees(exit.first);
}

Doubt::Finding Doubt::examine(Race& race, const VerifyReport& report) {
    if (m_region.exits.empty()) return {};
    Trial trial(race, m_a, m_b, m_options);
    const Value outputOfA = denseCopyOf(race.outputA()); // it may be a buffer, which further runs restore
    Finding finding = judgeSuspects(trial, race.table(), report, tryChange(trial, outputOfA));
    finding.remarks = std::move(m_remarks);
    if (finding.change != Evidence::Change::Same) observeOutputs(trial, outputOfA, finding);
    return finding;
}

Doubt::Finding Doubt::judgeSuspects(Trial& trial, const NodeTable& table, const VerifyReport& report,
                                    const Suspects& suspects) {
    if (!suspects.still.empty()) return found(Evidence::Change::Lost, suspects.still);
    std::vector<Pair> visible, hidden;
    for (const Pair& exit : suspects.failing) (differsByItself(exit, table, report) ? visible : hidden).push_back(exit);
    std::vector<bool> alone(m_region.exits.size(), true); // exits that no healing explains
    Scene healed;
    if (!visible.empty()) {
        Healing healing(m_a, m_b, m_part, table, visible);
        if (!healing.holds(trial, m_inputs, m_random)) return found(Evidence::Change::Lost, visible);
        std::erase_if(hidden, [&](const Pair& exit) { return isIn(healing.exits(), exit); });
        for (std::size_t i = 0; i < alone.size(); ++i)
            alone[i] = !isIn(visible, m_region.exits[i]) && !isIn(healing.exits(), m_region.exits[i]);
        healed = healing.scene();
    }
    if (readsOtherRows(hidden) || (!hidden.empty() && !sameOnRealData(trial, hidden, 1)))
        return found(Evidence::Change::NotReached, hidden);
    std::vector<Pair> large = hidden;
    large.insert(large.end(), suspects.ranged.begin(), suspects.ranged.end());
    if (!large.empty() && !sameOnRealData(trial, large, kRange)) return found(Evidence::Change::NotReached, large);
    const Stage stage{m_a, m_b, m_part, m_inputs, trial, m_random, m_remarks};
    if (Finding seen = lookElsewhere(stage, healed); seen.change != Evidence::Change::Same) return seen;
    if (Finding seen = lookElsewhere(stage, restricted(stage, {m_region, drawn(0), suspects.discrete}, alone));
        seen.change != Evidence::Change::Same)
        return seen;
    const Exits decisions = differAtLaterDecisions(stage, table, m_region.exits);
    if (!decisions.empty()) return found(Evidence::Change::OtherDecision, decisions);
    if (auto nodes = withoutData(); !nodes.empty()) return {Evidence::Change::NoData, std::move(nodes)};
    if (auto nodes = oneSidedNodes(m_a, m_b, m_part, m_watch); !nodes.empty())
        return {Evidence::Change::OtherBranch, std::move(nodes)};
    if (auto nodes = m_comparisons.unseen(stage, m_region); !nodes.empty())
        return {Evidence::Change::OtherBranch, std::move(nodes)};
    for (const Scene& scene : {healed, restricted(stage, {m_region, drawn(0), suspects.discrete}, alone)})
        if (!scene.region.exits.empty()) tellSpecialValues(stage, scene);
    return {};
}

/// Tries what changed where the models' own data do not lead. Reports the first difference.
Doubt::Finding Doubt::lookElsewhere(const Stage& stage, const Scene& scene) const {
    using Change = Evidence::Change;
    if (scene.region.exits.empty()) return {};
    const Landmarks landmarks = landmarksOf(m_a, m_b, scene.region);
    const std::pair<Change, std::function<Exits()>> looks[] = {
        {Change::NotReached, [&] { return differNearConstants(stage, scene, landmarks); }},
        {Change::NotReached, [&] { return differForIntegers(stage, scene, landmarks); }},
        {Change::NotReached, [&] { return differForNumbers(stage, scene, landmarks); }},
        {Change::NotReached, [&] { return differWhereReached(stage, scene, landmarks); }},
        {Change::NotReached, [&] { return differForWords(stage, scene, landmarks); }},
        {Change::NotReached, [&] { return differAtLimits(stage, scene); }},
        {Change::NotReached, [&] { return differForSmall(stage, scene); }},
        {Change::NotFinite, [&] { return differForNonFinite(stage, scene); }},
        {Change::OtherSizes, [&] { return differForOtherSizes(stage, scene); }},
        {Change::OtherDecision, [&] { return differAtDecisions(stage, scene); }},
        {Change::OtherBoundary, [&] { return differAtBoundaries(stage, scene); }},
    };
    for (const auto& [change, look] : looks) {
        m_options.progress.check();
        if (const Exits where = look(); !where.empty()) return found(change, where);
    }
    return {};
}

bool Doubt::readsOtherRows(const std::vector<Pair>& exits) const {
    if (exits.empty()) return false;
    const ChangedPart::Region region = m_part.regionOf(exits);
    return std::any_of(region.entries.begin(), region.entries.end(), [&](const ChangedPart::Entry& entry) {
        const auto& known = m_entriesOf[index(entry.producer)];
        return !known.empty() && !m_rows[known.front()].empty();
    });
}

bool Doubt::sameOnRealData(Trial& trial, const std::vector<Pair>& exits, double scale) {
    const ChangedPart::Region region = m_part.regionOf(exits);
    const std::vector<NodeId> producers = region.producers();
    const auto given = trial.tryValuesOfA(producers, otherInputs(m_inputs, scale, m_random())),
               others = trial.tryValuesOfA(producers, newInputs(m_inputs, scale, m_random()));
    if (!given || !others) return scale > 1; // the model refuses them: that says nothing of large ones
    std::vector<Value> values = *given;
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = thawed(values[i], (*others)[i], m_random);
    const std::vector<Outcome> outcomes = trial.run(region, values);
    return std::all_of(outcomes.begin(), outcomes.end(),
                       [&](const Outcome& outcome) { return outcome.agrees() || (scale > 1 && outcome.overflows()); });
}

/// Whether other inputs give A other outputs, and whether all of them are at the ends of a range.
void Doubt::observeOutputs(Trial& trial, const Value& outputOfA, Finding& finding) {
    const Samples before = samplesOf(outputOfA);
    Samples after;
    if (!trial.mayFail([&] { after = samplesOf(trial.outputOfA(otherInputs(m_inputs, 1, m_random()))); })) return;
    bool moves = before.size() != after.size(), ends = true, reached = false;
    for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
        ValueDifference resolution;
        resolution.dtype = "torch.float32";
        resolution.tolerance.rtol = toleranceFor(at::kFloat, {}).rtol;
        moves = moves || moved(before[i], after[i], resolution);
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
    if (change != Evidence::Change::OtherDecision) finding.where = whatChanged(m_a, m_b, m_part, exits);
    else
        for (const Pair& exit : exits) finding.where.push_back(m_a.model->graph.node(exit.first).name());
    return finding;
}

} // namespace fx::engine
