// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/region_run.h"

#include "core/engine/calls.h"
#include "core/engine/draw.h"
#include "core/engine/for_each_tensor.h"
#include "core/engine/machine.h"
#include "core/engine/verify/compare.h"
#include "core/engine/verify/float64_run.h"
#include "core/engine/verify/inputs/alter.h"
#include "core/engine/verify/rounding.h"
#include "core/engine/verify/rounding_noise.h"

#include <algorithm>

namespace fx::engine {
namespace {

Outcome outcomeOf(const Value& a, const Value& b, const Tolerances& tolerances) {
    Outcome out{{}, true};
    Samples samples = samplesOf(a);
    std::size_t next = 0;
    pairLeaves(
        a, b,
        [&](const std::string&, const Value& left, const Value& right) {
            out.leaves.push_back({compareLeaves(left, right, tolerances),
                                  next < samples.size() ? std::move(samples[next]) : std::vector<double>()});
            ++next;
        },
        [&](const std::string&, const Message&) { out.ran = false; });
    return out;
}

bool allFinite(const Value& value) {
    bool all = true;
    forEachTensor(value, [&](const at::Tensor& tensor) {
        all = all && (!isFloatTensor(tensor) || tensor.isfinite().all().item<bool>());
    });
    return all;
}

/// Whether it agrees so well that float64 need not be asked.
bool isFine(const Outcome& outcome) {
    constexpr double kFine = 1e-3, kRoundings = 8; ///< against the scale; times the relative tolerance
    return outcome.agrees() &&
           std::all_of(outcome.leaves.begin(), outcome.leaves.end(), [=](const Outcome::Leaf& leaf) {
               const ValueDifference& difference = leaf.difference;
               return difference.relativeToScale() <= std::min(kFine, kRoundings * difference.tolerance.rtol);
           });
}

constexpr double kCostOfOneSide = 0.5, kCostInDouble = 4; ///< against a run of both sides

} // namespace

RegionRun::RegionRun(LockstepRun& lockstep, const VerifySide& a, const VerifySide& b, const VerifyOptions& options)
    : m_lockstep(lockstep), m_a(a), m_b(b), m_options(options), m_writersA(writersOf(*a.model)),
      m_writersB(writersOf(*b.model)) {}

bool Outcome::isEmpty() const {
    return ran && !leaves.empty() && std::all_of(leaves.begin(), leaves.end(), [](const Leaf& leaf) {
               return leaf.difference.count == 0 && leaf.difference.comparable();
           });
}

bool Outcome::agrees() const {
    std::int64_t numbers = 0;
    for (const Leaf& leaf : leaves) numbers += leaf.difference.count - leaf.difference.nansBoth;
    return ran && numbers > 0 && !differsExactly &&
           (isRounding ||
            std::none_of(leaves.begin(), leaves.end(), [](const Leaf& leaf) { return isGross(leaf.difference); }));
}

bool RegionRun::mayFail(const std::function<void()>& action) {
    try {
        action();
        return true;
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::Run) throw;
        return false;
    }
}

/// The values of the region's entries as one of the models has them.
RegionRun::Known RegionRun::entriesOf(bool inB, const ChangedPart::Region& region,
                                      const std::vector<Value>& values) const {
    Known known;
    for (std::size_t i = 0; i < values.size(); ++i)
        for (const NodeId id : inB ? region.entries[i].b : region.entries[i].a) {
            const bool inMkldnn = values[i].isTensor() && m_lockstep.inMkldnn(inB).contains(id);
            known.emplace_back(id, inMkldnn ? callMethod("to_mkldnn", {values[i]}) : copyOf(values[i]));
        }
    return known;
}

ValuesByNode RegionRun::valuesAt(bool inB, const ChangedPart::Region& region, const std::vector<Value>& values,
                                 const std::vector<NodeId>& nodes) {
    const Graph& graph = (inB ? m_b : m_a).model->graph;
    Known known = entriesOf(inB, region, values);
    ValuesByNode out;
    for (const auto& [id, value] : known)
        if (std::find(nodes.begin(), nodes.end(), id) != nodes.end()) out.emplace(id, denseCopyOf(value));
    if (graph.outputNode() != kNoNode) known.emplace_back(graph.outputNode(), Value());
    std::vector<NodeId> keep = nodes;
    keepWriters(inB, region, known, keep);
    seed(1);
    (inB ? m_b : m_a).tensors->restore();
    Values kept;
    RunHooks hooks;
    hooks.before = m_options.atNode;
    hooks.after = [&](const Node& node, const Value& value) { // at once: what follows may change it in place
        if (std::find(nodes.begin(), nodes.end(), node.id()) != nodes.end()) out.emplace(node.id(), denseCopyOf(value));
    };
    interpreter(inB, false).runFrom(known, {}, keep, kept, hooks);
    return out;
}

/// The values of the exits in one model. Whatever the other inputs of the model are, nothing needs them.
Values RegionRun::oneSide(bool inB, const ChangedPart::Region& region, const std::vector<Value>& values,
                          bool inDouble) {
    const VerifySide& side = inB ? m_b : m_a;
    const Graph& graph = side.model->graph;
    Known known = entriesOf(inB, region, values);
    std::vector<NodeId> keep;
    std::vector<bool> isExit(graph.idLimit());
    bool output = false;
    for (const auto& [a, b] : region.exits) {
        const NodeId id = inB ? b : a;
        isExit[index(id)] = true;
        if (graph.node(id).op() == Op::Output) output = true;
        else keep.push_back(id);
    }
    if (!output && graph.outputNode() != kNoNode) known.emplace_back(graph.outputNode(), Value());
    keepWriters(inB, region, known, keep);
    seed(1); // what the region draws, it draws in both
    side.tensors->restore();
    Values kept, out;
    RunHooks hooks;
    hooks.before = m_options.atNode;
    ValuesByNode copies; // what follows may change an exit in place, or the buffer that it is
    hooks.after = [&](const Node& node, const Value& value) {
        if (isExit[index(node.id())]) copies.emplace(node.id(), copyOf(value));
    };
    Value returned = interpreter(inB, inDouble).runFrom(known, {}, keep, kept, hooks);
    std::size_t next = 0;
    for (const auto& [a, b] : region.exits) {
        const NodeId id = inB ? b : a;
        if (graph.node(id).op() == Op::Output) {
            out.push_back(side.finish ? side.finish(returned) : returned);
            continue;
        }
        const auto copy = copies.find(id);
        out.push_back(copy == copies.end() ? std::move(kept[next]) : copy->second);
        ++next;
    }
    for (std::size_t i = 0; i < region.entries.size(); ++i) {
        const std::optional<std::size_t> exit = exitThatWrites(region, region.entries[i]);
        const auto& own = inB ? region.entries[i].b : region.entries[i].a;
        if (!exit) continue;
        const auto left = std::find_if(known.begin(), known.end(),
                                       [&](const auto& each) { return !own.empty() && each.first == own.front(); });
        out[*exit] = Value::list({out[*exit], left == known.end() ? values[i] : left->second});
    }
    return out;
}

std::vector<Outcome> RegionRun::run(const ChangedPart::Region& region, const std::vector<Value>& values) {
    std::vector<Outcome> outcomes(region.exits.size());
    mayFail([&] {
        const Values a = oneSide(false, region, values), b = oneSide(true, region, values);
        for (std::size_t i = 0; i < outcomes.size(); ++i) outcomes[i] = outcomeOf(a[i], b[i], m_options.tolerances);
        if (std::all_of(outcomes.begin(), outcomes.end(), isFine)) return;
        judgeInDouble(region, values, [&](std::size_t i, const Value& exactA, const Value& exactB) {
            outcomes[i].isRounding = bothRound(a[i], b[i], exactA, exactB, m_options.tolerances);
            outcomes[i].differsExactly = differExactly(a[i], exactA, exactB);
        });
    });
    return outcomes;
}

Contrast RegionRun::contrast(const ChangedPart::Region& region, const std::vector<Value>& values, Count count,
                             Random& random) {
    Contrast out;
    out.ran = m_left > 0 && mayFail([&] {
                  --m_left;
                  const Values a = oneSide(false, region, values), b = oneSide(true, region, values);
                  const Counted counted{.nonFinite = count == Count::All};
                  std::vector<RoundingNoise> noise(a.begin(), a.end());
                  const auto judge = [&] {
                      for (std::size_t i = 0; i < a.size(); ++i)
                          out.differs[i] = noise[i].excess(b[i], m_options.tolerances, counted).any;
                  };
                  out.differs.resize(a.size());
                  judge();
                  if (!out.any()) return;
                  for (std::size_t i = 0; i < a.size(); ++i) out.lostInB.push_back(allFinite(a[i]) && !allFinite(b[i]));
                  std::vector<Value> around;
                  const std::uint64_t salt = random();
                  for (const Value& value : values) around.push_back(nudged(value, salt));
                  m_left -= kCostOfOneSide;
                  const Values moved = oneSide(false, region, around);
                  for (std::size_t i = 0; i < a.size(); ++i) noise[i].learn(moved[i]);
                  judge();
                  if (count != Count::Finite || !out.any()) return;
                  m_left -= kCostInDouble;
                  judgeInDouble(region, values, [&](std::size_t i, const Value& exactA, const Value& exactB) {
                      if (bothRound(a[i], b[i], exactA, exactB, m_options.tolerances)) out.differs[i] = false;
                  });
              });
    if (!out.ran) out.differs.assign(region.exits.size(), false);
    return out;
}

/// The one in float64 is there within `exact`.
Interpreter& RegionRun::interpreter(bool inB, bool inDouble) {
    if (inDouble) return *(inB ? m_doubleB : m_doubleA);
    return inB ? m_lockstep.interpreterB() : m_lockstep.interpreterA();
}

Values RegionRun::exact(bool inB, const ChangedPart::Region& region, const std::vector<Value>& values) {
    const VerifySide& side = inB ? m_b : m_a;
    if (auto& known = inB ? m_doubleB : m_doubleA; !known) known.emplace(namingDouble(side), side.tensors);
    const InDouble model(*side.model, *side.tensors);
    std::vector<Value> wide;
    for (const Value& value : values) wide.push_back(inDouble(value));
    return oneSide(inB, region, wide, true);
}

/// Visits the exits of both models in float64, unless they cannot run so. Values of extreme sizes make rounding large:
/// a convolution of small numbers loses them beside its bias, and a normalisation makes what is left of them large
/// again. So do many layers of a coarse type.
void RegionRun::judgeInDouble(
    const ChangedPart::Region& region, const std::vector<Value>& values,
    const std::function<void(std::size_t exit, const Value& exactA, const Value& exactB)>& judge) {
    mayFail([&] {
        const Values a = exact(false, region, values), b = exact(true, region, values);
        for (std::size_t i = 0; i < a.size(); ++i) judge(i, a[i], b[i]);
    });
}

std::vector<Value> RegionRun::valuesOfA(const std::vector<NodeId>& nodes, const RunInputs& inputs) {
    m_a.tensors->restore();
    std::vector<Value> out(nodes.size());
    SteppedRun run(m_lockstep.interpreterA(), copyOf(inputs));
    while (const Node* node = run.next()) {
        if (m_options.atNode) m_options.atNode(*node);
        for (std::size_t i = 0; i < nodes.size(); ++i)
            if (nodes[i] == node->id()) out[i] = denseCopyOf(run.value());
    }
    return out;
}

std::optional<std::vector<Value>> RegionRun::tryValuesOfA(const std::vector<NodeId>& nodes, const RunInputs& inputs) {
    std::vector<Value> values;
    m_left -= kCostOfOneSide;
    if (!mayFail([&] { values = valuesOfA(nodes, inputs); })) return std::nullopt;
    return values;
}

Value RegionRun::outputOfA(const RunInputs& inputs) {
    m_a.tensors->restore();
    RunHooks hooks;
    hooks.before = m_options.atNode;
    const Value output = m_lockstep.interpreterA().run(copyOf(inputs), hooks);
    return m_a.finish ? m_a.finish(output) : output;
}

} // namespace fx::engine
