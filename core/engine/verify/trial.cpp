// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/trial.h"

#include "core/engine/calls.h"
#include "core/engine/draw.h"
#include "core/engine/machine.h"
#include "core/engine/verify/compare.h"
#include "core/engine/verify/inputs/alter.h"
#include "core/engine/verify/rounding.h"
#include "core/module/call_semantics.h"

#include <algorithm>
#include <cmath>
#include <limits>

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

/// Calls that write into parameters, buffers or attributes.
std::vector<NodeId> writersOf(const GraphModule& model) {
    const CallSemantics semantics(*model.root);
    const std::vector<NodeId> memory = semantics.memoryOf(model.graph);
    std::vector<NodeId> out;
    for (const Node& node : model.graph.nodes()) {
        const std::vector<NodeId> written = semantics.written(node);
        if (std::any_of(written.begin(), written.end(),
                        [&](NodeId id) { return model.graph.node(memory[index(id)]).op() == Op::GetAttr; }))
            out.push_back(node.id());
    }
    return out;
}

/// By node id: whether known values and the model's own tensors are all that it takes to run it.
std::vector<bool> runnable(const GraphModule& model, const std::vector<std::pair<NodeId, Value>>& known) {
    std::vector<bool> out(model.graph.idLimit());
    for (const auto& entry : known) out[index(entry.first)] = true;
    for (const Node& node : model.graph.nodes()) {
        const auto& inputs = node.inputs();
        if (!out[index(node.id())])
            out[index(node.id())] = !isUserInput(model, node) && std::all_of(inputs.begin(), inputs.end(),
                                                                             [&](NodeId id) { return out[index(id)]; });
    }
    return out;
}

constexpr double kSteady = 4; ///< times what A moves when nudged: the least difference that counts

double apart(double a, double b) {
    if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
    return std::isnan(a) || std::isnan(b) ? std::numeric_limits<double>::infinity() : std::abs(b - a);
}

at::Tensor inDoubles(const at::Tensor& tensor) { return plain(tensor).flatten().to(at::kDouble).contiguous(); }

/// Tensors of one shape: whether some element of B is further from A than `limit` and than what moves A.
bool elementsDiffer(const at::Tensor& a, const at::Tensor& moved, const at::Tensor& b, double limit, Count count) {
    const auto isWhole = [](const at::Tensor& tensor) { return at::isIntegralType(tensor.scalar_type(), true); };
    if (isWhole(a) && isWhole(b)) { // exactly: float64 does not hold all integers
        const at::Tensor steady = plain(a).eq(plain(moved)), differs = plain(a).ne(plain(b));
        return steady.logical_and(differs).any().item<bool>();
    }
    const at::Tensor ofA = inDoubles(a), ofMoved = inDoubles(moved), ofB = inDoubles(b);
    const auto *left = static_cast<const double*>(ofA.const_data_ptr()),
               *around = static_cast<const double*>(ofMoved.const_data_ptr()),
               *right = static_cast<const double*>(ofB.const_data_ptr());
    for (std::int64_t i = 0; i < ofA.numel(); ++i) {
        if (count == Count::Finite && (!std::isfinite(left[i]) || !std::isfinite(right[i]))) continue;
        const double off = apart(left[i], right[i]);
        if (off > limit && kSteady * apart(left[i], around[i]) < off) return true;
    }
    return false;
}

bool leavesDiffer(const Value& a, const Value& moved, const Value& b, Count count, const Tolerances& tolerances) {
    const ValueDifference difference = compareLeaves(a, b, tolerances);
    if (!isGross(difference)) return false;
    const ValueDifference own = compareLeaves(a, moved, tolerances, false);
    if (!difference.comparable()) return own.comparable();
    if (!a.isTensor()) return own.close;
    if (!own.comparable() || a.tensor().is_complex()) return false;
    return elementsDiffer(a.tensor(), moved.tensor(), b.tensor(), mostOfRounding(difference) * difference.scale, count);
}

/// `moved`: what A gives for values that are nudged.
bool valuesDiffer(const Value& a, const Value& moved, const Value& b, Count count, const Tolerances& tolerances) {
    Values around;
    bool unsteady = false, differs = false;
    pairLeaves(
        a, moved, [&](const std::string&, const Value&, const Value& leaf) { around.push_back(leaf); },
        [&](const std::string&, const Message&) { unsteady = true; });
    if (unsteady) return false;
    std::size_t next = 0;
    pairLeaves(
        a, b,
        [&](const std::string&, const Value& left, const Value& right) {
            differs = differs || leavesDiffer(left, around[next], right, count, tolerances);
            ++next;
        },
        [&](const std::string&, const Message&) { differs = true; });
    return differs;
}

} // namespace

Trial::Trial(Race& race, const VerifySide& a, const VerifySide& b, const VerifyOptions& options)
    : m_race(race), m_a(a), m_b(b), m_options(options), m_writersA(writersOf(*a.model)),
      m_writersB(writersOf(*b.model)), m_silentA(silentWritersOf(*a.model)), m_silentB(silentWritersOf(*b.model)) {}

std::vector<Trial::SilentWriter> Trial::silentWritersOf(const GraphModule& model) {
    const CallSemantics semantics(*model.root);
    const std::vector<NodeId> memory = semantics.memoryOf(model.graph);
    std::vector<SilentWriter> out;
    for (const Node& node : model.graph.nodes()) {
        if (!node.isCall() || !node.users().empty()) continue;
        for (const NodeId id : semantics.written(node))
            if (const NodeId root = memory[index(id)]; model.graph.node(root).isCall())
                out.push_back({node.id(), root});
    }
    return out;
}

/// Those that write into what the region computes, or what arrives there.
void Trial::keepSilentWriters(bool inB, const ChangedPart::Region& region, const std::vector<bool>& canRun,
                              std::vector<NodeId>& keep) const {
    const std::vector<NodeId>& nodes = inB ? region.b : region.a;
    for (const auto& [writer, root] : inB ? m_silentB : m_silentA)
        if (canRun[index(writer)] && std::find(nodes.begin(), nodes.end(), root) != nodes.end()) keep.push_back(writer);
}

bool Outcome::agrees() const {
    std::int64_t numbers = 0;
    for (const Leaf& leaf : leaves) numbers += leaf.difference.count - leaf.difference.nansBoth;
    return ran && numbers > 0 &&
           std::none_of(leaves.begin(), leaves.end(), [](const Leaf& leaf) { return isGross(leaf.difference); });
}

bool Outcome::overflows() const {
    return ran && std::all_of(leaves.begin(), leaves.end(), [](const Leaf& leaf) {
               const ValueDifference& value = leaf.difference;
               const bool nans = value.nansA != value.nansBoth || value.nansB != value.nansBoth;
               return value.comparable() && (!isGross(value) || nans || std::isinf(value.maxAbs));
           });
}

bool Trial::mayFail(const std::function<void()>& action) {
    try {
        action();
        return true;
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::Run) throw;
        return false;
    }
}

/// The values of the region's entries as one of the models has them.
Trial::Known Trial::entriesOf(bool inB, const ChangedPart::Region& region, const std::vector<Value>& values) const {
    Known known;
    for (std::size_t i = 0; i < values.size(); ++i)
        for (const NodeId id : inB ? region.entries[i].b : region.entries[i].a) {
            const bool inMkldnn = values[i].isTensor() && m_race.inMkldnn(inB).contains(id);
            known.emplace_back(id, inMkldnn ? callMethod("to_mkldnn", {values[i]}) : copyOf(values[i]));
        }
    return known;
}

ValuesByNode Trial::valuesAt(bool inB, const ChangedPart::Region& region, const std::vector<Value>& values,
                             const std::vector<NodeId>& nodes) {
    const Graph& graph = (inB ? m_b : m_a).model->graph;
    Known known = entriesOf(inB, region, values);
    ValuesByNode out;
    for (const auto& [id, value] : known)
        if (std::find(nodes.begin(), nodes.end(), id) != nodes.end()) out.emplace(id, denseCopyOf(value));
    if (graph.outputNode() != kNoNode) known.emplace_back(graph.outputNode(), Value());
    seed(1);
    (inB ? m_b : m_a).tensors->restore();
    Values kept;
    RunHooks hooks;
    hooks.before = m_options.afterNode;
    hooks.after = [&](const Node& node, const Value& value) { // at once: what follows may change it in place
        if (std::find(nodes.begin(), nodes.end(), node.id()) != nodes.end()) out.emplace(node.id(), denseCopyOf(value));
    };
    (inB ? m_race.interpreterB() : m_race.interpreterA()).runFrom(known, {}, nodes, kept, hooks);
    return out;
}

/// The values of the exits in one model. Whatever the other inputs of the model are, nothing needs them.
Values Trial::oneSide(bool inB, const ChangedPart::Region& region, const std::vector<Value>& values) {
    const VerifySide& side = inB ? m_b : m_a;
    const Graph& graph = side.model->graph;
    Known known = entriesOf(inB, region, values);
    std::vector<NodeId> keep;
    bool output = false;
    for (const auto& [a, b] : region.exits) {
        const NodeId id = inB ? b : a;
        if (graph.node(id).op() == Op::Output) output = true;
        else keep.push_back(id);
    }
    if (!output && graph.outputNode() != kNoNode) known.emplace_back(graph.outputNode(), Value());
    const auto& writers = inB ? m_writersB : m_writersA;
    if (!writers.empty() || !(inB ? m_silentB : m_silentA).empty()) {
        const std::vector<bool> canRun = runnable(*side.model, known);
        keepSilentWriters(inB, region, canRun, keep);
        for (const NodeId writer : writers) // nothing uses its result, but others read what it wrote
            if (canRun[index(writer)]) keep.push_back(writer);
    }
    seed(1); // what the region draws, it draws in both
    side.tensors->restore();
    Values kept, out;
    RunHooks hooks;
    hooks.before = m_options.afterNode;
    Value returned = (inB ? m_race.interpreterB() : m_race.interpreterA()).runFrom(known, {}, keep, kept, hooks);
    std::size_t next = 0;
    for (const auto& [a, b] : region.exits)
        if (graph.node(inB ? b : a).op() == Op::Output) out.push_back(side.finish ? side.finish(returned) : returned);
        else out.push_back(std::move(kept[next++]));
    return out;
}

std::vector<Outcome> Trial::run(const ChangedPart::Region& region, const std::vector<Value>& values) {
    std::vector<Outcome> outcomes(region.exits.size());
    mayFail([&] {
        const Values a = oneSide(false, region, values), b = oneSide(true, region, values);
        for (std::size_t i = 0; i < outcomes.size(); ++i) outcomes[i] = outcomeOf(a[i], b[i], m_options.tolerances);
    });
    return outcomes;
}

Contrast Trial::contrast(const ChangedPart::Region& region, const std::vector<Value>& values, Count count,
                         Random& random) {
    Contrast out;
    out.ran = mayFail([&] {
        const Values a = oneSide(false, region, values), b = oneSide(true, region, values);
        std::vector<bool> differs(a.size());
        for (std::size_t i = 0; i < a.size(); ++i)
            differs[i] = valuesDiffer(a[i], a[i], b[i], count, m_options.tolerances);
        out.differs = differs;
        if (!out.any()) return;
        std::vector<Value> around;
        for (const Value& value : values) around.push_back(nudged(value, random));
        const Values moved = oneSide(false, region, around);
        for (std::size_t i = 0; i < a.size(); ++i)
            out.differs[i] = differs[i] && valuesDiffer(a[i], moved[i], b[i], count, m_options.tolerances);
        if (count == Count::Finite && out.any()) dropRounding(region, values, a, b, out);
    });
    if (!out.ran) out.differs.assign(region.exits.size(), false);
    return out;
}

/// Values of extreme sizes make rounding large: a convolution of small numbers loses them beside its bias, and a
/// normalisation makes what is left of them large again. What both models round so is no difference.
void Trial::dropRounding(const ChangedPart::Region& region, const std::vector<Value>& values, const Values& a,
                         const Values& b, Contrast& contrast) {
    mayFail([&] {
        const InDouble modelA(*m_a.model, *m_a.tensors), modelB(*m_b.model, *m_b.tensors);
        std::vector<Value> exact;
        for (const Value& value : values) exact.push_back(inDouble(value));
        const Values exactA = oneSide(false, region, exact), exactB = oneSide(true, region, exact);
        for (std::size_t i = 0; i < a.size(); ++i)
            contrast.differs[i] =
                contrast.differs[i] && !bothRound(a[i], b[i], exactA[i], exactB[i], m_options.tolerances);
    });
}

std::vector<Value> Trial::valuesOfA(const std::vector<NodeId>& nodes, const RunInputs& inputs) {
    m_a.tensors->restore();
    std::vector<Value> out(nodes.size());
    SteppedRun run(m_race.interpreterA(), copyOf(inputs));
    while (const Node* node = run.next()) {
        if (m_options.afterNode) m_options.afterNode(*node);
        for (std::size_t i = 0; i < nodes.size(); ++i)
            if (nodes[i] == node->id()) out[i] = denseCopyOf(run.value());
    }
    return out;
}

std::optional<std::vector<Value>> Trial::tryValuesOfA(const std::vector<NodeId>& nodes, const RunInputs& inputs) {
    std::vector<Value> values;
    if (!mayFail([&] { values = valuesOfA(nodes, inputs); })) return std::nullopt;
    return values;
}

Value Trial::outputOfA(const RunInputs& inputs) {
    m_a.tensors->restore();
    RunHooks hooks;
    hooks.before = m_options.afterNode;
    const Value output = m_race.interpreterA().run(copyOf(inputs), hooks);
    return m_a.finish ? m_a.finish(output) : output;
}

} // namespace fx::engine
