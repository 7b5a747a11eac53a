// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/region_check.h"

#include "core/engine/for_each_tensor.h"
#include "core/engine/verify/boundary_values.h"
#include "core/engine/verify/branches.h"
#include "core/engine/verify/compare.h"
#include "core/engine/verify/decision_boundary.h"
#include "core/engine/verify/inputs/further_inputs.h"
#include "core/engine/verify/inputs/other_sizes.h"
#include "core/engine/verify/masking.h"
#include "core/engine/verify/sensitivity.h"
#include "core/engine/verify/single_values.h"
#include "core/engine/verify/what_changed.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace fx::engine {
namespace {

constexpr double kLeastRuns = 10;       ///< of the changed region at boundary values, or
constexpr double kElementsOfRuns = 3e8; ///< so many as compute that many elements
constexpr double kElementsOfCall = 1e3; ///< that the call of a node costs as much as
constexpr std::size_t kDeep = 8;        ///< nodes in which a signal may get lost

} // namespace

RegionCheck::RegionCheck(const VerifySide& a, const VerifySide& b, const VerifyOptions& options,
                         const ChangedPart& part, const BranchWatch& watch)
    : m_a(a), m_b(b), m_options(options), m_part(part), m_watch(watch), m_region(part.regionOf(part.exits())),
      m_entriesOf(a.model->graph.idLimit()), m_patterns(m_region.entries.size()), m_mustMove(a.model->graph.idLimit()),
      m_samples(a.model->graph.idLimit()), m_comparisons(a, b, part) {
    if (m_region.exits.empty()) return;
    m_inputs = copyOf(a.inputs);
    for (const auto& [name, value] : defaultsOf(*a.model, *b.model, a.inputs))
        if (!value.isNone()) m_inputs.named.emplace_back(name, value); // so that numbers among them are varied
    for (std::size_t i = 0; i < m_region.entries.size(); ++i)
        m_entriesOf[index(m_region.entries[i].producer)].push_back(i);
    for (const Pair& exit : m_region.exits) {
        const bool same = part.isSameCall(exit); // weights that nothing reads change nothing
        if (!same && m_region.size <= kDeep) continue;
        const ChangedPart::Region own = part.regionOf({exit});
        m_mustMove[index(exit.first)] = (same || own.size > kDeep) && !own.entries.empty();
    }
}

bool RegionCheck::isOutput(const Pair& exit) const { return m_a.model->graph.node(exit.first).op() == Op::Output; }

void RegionCheck::watchB(const Node& node, const Value& value) {
    if (m_region.exits.empty()) return;
    m_comparisons.note(true, node, value);
}

void RegionCheck::watch(const Node& node, const Value& value) {
    if (m_region.exits.empty()) return; // nothing is asked of it then
    m_cost += kElementsOfCall;
    forEachTensor(value, [&](const at::Tensor& tensor) { m_cost += static_cast<double>(tensor.numel()); });
    m_comparisons.note(false, node, value);
    for (const std::size_t entry : m_entriesOf[index(node.id())]) m_patterns[entry].emplace(value);
    if (m_mustMove[index(node.id())] && node.op() != Op::Output) m_samples[index(node.id())] = samplesOf(value);
}

/// Values for the region's entries.
std::vector<Value> RegionCheck::drawn() {
    std::vector<Value> values;
    for (std::size_t i = 0; i < m_patterns.size(); ++i)
        values.push_back(m_patterns[i] ? m_patterns[i]->draw(m_random) : Value());
    return values;
}

RegionCheck::Suspects RegionCheck::tryChange(RegionRun& regionRun, const Value& outputOfA) {
    Suspects suspects;
    const std::vector<Outcome> usual = regionRun.run(m_region, drawn());
    for (std::size_t i = 0; i < usual.size(); ++i) {
        const Pair& exit = m_region.exits[i];
        suspects.discrete.push_back(isDiscrete(usual[i]));
        if (usual[i].differsExactly) suspects.exact.insert(exit);
        if (usual[i].isEmpty()) suspects.empty.push_back(exit);
        else if (!usual[i].agrees()) suspects.failing.push_back(exit);
        else if (!moves(exit, usual[i], outputOfA)) suspects.still.push_back(exit);
    }
    return suspects;
}

/// An agreement says nothing where nothing arrives.
bool RegionCheck::moves(const Pair& exit, const Outcome& outcome, const Value& outputOfA) const {
    if (!m_mustMove[index(exit.first)]) return true;
    const Samples before = isOutput(exit) ? samplesOf(outputOfA) : m_samples[index(exit.first)];
    if (before.size() != outcome.leaves.size()) return true; // nothing is known of it
    for (std::size_t i = 0; i < before.size(); ++i)
        if (!moved(before[i], outcome.leaves[i].ofA, outcome.leaves[i].difference, outcome.isRounding)) return false;
    return true;
}

/// Whether the models' own data show the difference there.
bool RegionCheck::differsByItself(const Pair& exit, bool isExact, const NodeTable& table,
                                  const VerifyReport& report) const {
    if (isOutput(exit))
        return std::any_of(report.outputs.begin(), report.outputs.end(),
                           [](const OutputDifference& output) { return isGross(output.value); });
    const ValueDifference* difference = table.differenceOf(exit.first);
    return !table.agrees(exit.first) || (isExact && difference && !difference->close);
}

RegionCheck::Finding RegionCheck::examine(LockstepRun& lockstep, const VerifyReport& report) {
    if (m_region.exits.empty()) return {};
    RegionRun regionRun(lockstep, m_a, m_b, m_options);
    regionRun.limit(std::max(kLeastRuns, kElementsOfRuns / m_cost));
    const Value outputOfA = denseCopyOf(lockstep.outputA()); // it may be a buffer, which further runs restore
    Finding finding = judgeSuspects(regionRun, lockstep.table(), report, tryChange(regionRun, outputOfA));
    finding.remarks = std::move(m_remarks);
    if (finding.change != Evidence::Change::Same) observeOutputs(regionRun, outputOfA, finding);
    return finding;
}

RegionCheck::Finding RegionCheck::judgeSuspects(RegionRun& regionRun, const NodeTable& table,
                                                const VerifyReport& report, const Suspects& suspects) {
    if (!suspects.still.empty()) return found(Evidence::Change::Lost, suspects.still);
    std::vector<Pair> visible, hidden;
    std::vector<Pair> failing = suspects.failing;
    if (!failing.empty()) {
        const OverwrittenState overwritten(m_a, m_b);
        std::erase_if(failing, [&](const Pair& exit) { return overwritten.contains(exit); });
    }
    for (const Pair& exit : failing)
        (differsByItself(exit, suspects.exact.contains(exit), table, report) ? visible : hidden).push_back(exit);
    std::vector<bool> alone(m_region.exits.size(), true); // exits that no masking explains
    BorderValues masked;
    if (!visible.empty()) {
        Masking masking(m_a, m_b, m_part, table, visible);
        if (!masking.holds(regionRun, m_inputs, m_random)) return found(Evidence::Change::Lost, visible);
        const std::set<Pair> again(masking.exits().begin(), masking.exits().end()),
            differing(visible.begin(), visible.end());
        std::erase_if(hidden, [&](const Pair& exit) { return again.contains(exit); });
        for (std::size_t i = 0; i < alone.size(); ++i)
            alone[i] = !differing.contains(m_region.exits[i]) && !again.contains(m_region.exits[i]);
        masked = masking.border();
    }
    if (!suspects.empty.empty()) return found(Evidence::Change::NoData, suspects.empty);
    if (!hidden.empty() && !sameOnRealData(regionRun, hidden)) return found(Evidence::Change::NotReached, hidden);
    std::optional<RunInputs> shownBy;
    const CheckContext context{m_a, m_b, m_part, m_inputs, regionRun, m_random, m_remarks, shownBy};
    if (Finding seen = tryBoundaryValues(context, masked); seen.change != Evidence::Change::Same) return seen;
    if (Finding seen = tryBoundaryValues(context, restricted(context, {m_region, drawn(), suspects.discrete}, alone));
        seen.change != Evidence::Change::Same)
        return seen;
    const BorderValues later = laterDecisions(context, table, m_region.exits);
    for (const auto& differ : {differInOrder, differAtBoundaries})
        if (const Exits decisions = differ(context, later); !decisions.empty())
            return found(Evidence::Change::OtherDecision, decisions);
    if (auto nodes = oneSidedNodes(m_a, m_b, m_part, m_watch); !nodes.empty())
        return {Evidence::Change::OtherBranch, std::move(nodes)};
    Comparison comparison(m_a, m_b, m_options);
    const auto laterCalls = [&] {
        const bool any = !writtenTensors(m_a, m_b).empty();
        return any ? std::make_unique<LaterCalls>(m_a, m_b, comparison) : nullptr;
    };
    if (auto nodes = m_comparisons.unseen(context, m_region, laterCalls); !nodes.empty())
        return {Evidence::Change::OtherBranch, std::move(nodes)};
    for (const BorderValues& border : {masked, restricted(context, {m_region, drawn(), suspects.discrete}, alone)}) {
        shownBy.reset();
        const Exits overflowing = border.region.exits.empty() ? Exits() : tellSpecialValues(context, border);
        if (overflowing.empty()) continue;
        Finding finding = found(Evidence::Change::NotReached, overflowing);
        finding.shownBy = std::move(shownBy);
        return finding;
    }
    return {};
}

/// Tries what changed where the models' own data do not lead. Reports the first difference.
RegionCheck::Finding RegionCheck::tryBoundaryValues(const CheckContext& context, const BorderValues& border) const {
    using Change = Evidence::Change;
    if (border.region.exits.empty()) return {};
    const std::pair<Change, std::function<Exits()>> looks[] = {
        {Change::OtherDecision, [&] { return differInOrder(context, border); }},
        {Change::NotReached, [&] { return differAtBoundaryValues(context, border); }},
        {Change::NotReached, [&] { return differWhereReached(context, border); }},
        {Change::NotFinite, [&] { return differForNonFinite(context, border); }},
        {Change::OtherSizes, [&] { return differForOtherSizes(context, border); }},
        {Change::OtherBoundary, [&] { return differAtBoundaries(context, border); }},
    };
    for (const auto& [change, look] : looks) {
        m_options.progress.check();
        context.shownBy.reset();
        if (const Exits where = look(); !where.empty()) {
            Finding finding = found(change, where);
            finding.shownBy = std::move(context.shownBy);
            return finding;
        }
    }
    return {};
}

bool RegionCheck::sameOnRealData(RegionRun& regionRun, const std::vector<Pair>& exits) {
    const ChangedPart::Region region = m_part.regionOf(exits);
    const std::vector<NodeId> producers = region.producers();
    const auto given = regionRun.tryValuesOfA(producers, otherInputs(m_inputs, m_random())),
               others = regionRun.tryValuesOfA(producers, newInputs(m_inputs, m_random()));
    if (!given || !others) return false;
    std::vector<Value> values = *given;
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = thawed(values[i], (*others)[i], m_random);
    const std::vector<Outcome> outcomes = regionRun.run(region, values);
    return std::all_of(outcomes.begin(), outcomes.end(), [](const Outcome& outcome) { return outcome.agrees(); });
}

/// Whether other inputs give A other outputs, and whether all of them are at the ends of a range.
void RegionCheck::observeOutputs(RegionRun& regionRun, const Value& outputOfA, Finding& finding) {
    const Samples before = samplesOf(outputOfA);
    const auto movesFor = [&](const RunInputs& inputs) {
        const Samples after = samplesOf(regionRun.outputOfA(inputs));
        bool moves = before.size() != after.size();
        ValueDifference resolution;
        resolution.dtype = "torch.float32";
        resolution.tolerance.rtol = toleranceFor(at::kFloat, {}).rtol;
        for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i)
            moves = moves || moved(before[i], after[i], resolution);
        return moves;
    };
    bool moves = false; // a sum stays the same for the same numbers in another order
    if (!regionRun.mayFail(
            [&] { moves = movesFor(otherInputs(m_inputs, m_random())) || movesFor(newInputs(m_inputs, m_random())); }))
        return;
    bool ends = true, reached = false;
    for (const std::vector<double>& sample : before)
        for (const double value : sample) {
            const double size = std::abs(value);
            ends = ends && (size == 0 || std::abs(size - 1) < 1e-6);
            reached = reached || size != 0;
        }
    finding.outputsMove = moves;
    finding.saturated = ends && reached;
}

RegionCheck::Finding RegionCheck::found(Evidence::Change change, const std::vector<Pair>& exits) const {
    Finding finding{change, {}, {}, false, {}, {}};
    if (change != Evidence::Change::OtherDecision) finding.where = whatChanged(m_a, m_b, m_part, exits);
    else
        for (const Pair& exit : exits) finding.where.push_back(m_a.nameOf(m_a.model->graph.node(exit.first)));
    return finding;
}

} // namespace fx::engine
