// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/trial.h"

#include "core/engine/draw.h"
#include "core/engine/machine.h"
#include "core/engine/verify/compare.h"

#include <algorithm>
#include <cmath>

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
        [&](const std::string&, const std::string&) { out.ran = false; });
    return out;
}

} // namespace

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
               return value.reason.empty() && (!isGross(value) || nans || std::isinf(value.maxAbs));
           });
}

/// The values of the exits in one model. Whatever the other inputs of the model are, nothing needs them.
Values Trial::oneSide(bool inB, const ChangedPart::Region& region, const std::vector<Value>& values) {
    const VerifySide& side = inB ? m_b : m_a;
    const Graph& graph = side.model->graph;
    std::vector<std::pair<NodeId, Value>> known;
    for (std::size_t i = 0; i < values.size(); ++i)
        for (const NodeId id : inB ? region.entries[i].b : region.entries[i].a)
            known.emplace_back(id, copyOf(values[i]));
    std::vector<NodeId> keep;
    bool output = false;
    for (const auto& [a, b] : region.exits) {
        const NodeId id = inB ? b : a;
        if (graph.node(id).op() == Op::Output) output = true;
        else keep.push_back(id);
    }
    if (!output && graph.outputNode() != kNoNode) known.emplace_back(graph.outputNode(), Value());
    seed(1); // what the region draws, it draws in both
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
    try {
        const Values a = oneSide(false, region, values), b = oneSide(true, region, values);
        for (std::size_t i = 0; i < outcomes.size(); ++i) outcomes[i] = outcomeOf(a[i], b[i], m_options.tolerances);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::Run) throw;
    }
    return outcomes;
}

std::vector<Value> Trial::valuesOfA(const std::vector<NodeId>& nodes, const RunInputs& inputs) {
    std::vector<Value> out(nodes.size());
    SteppedRun run(m_race.interpreterA(), copyOf(inputs));
    while (const Node* node = run.next()) {
        if (m_options.afterNode) m_options.afterNode(*node);
        for (std::size_t i = 0; i < nodes.size(); ++i)
            if (nodes[i] == node->id()) out[i] = copyOf(run.value());
    }
    return out;
}

Value Trial::outputOfA(const RunInputs& inputs) {
    RunHooks hooks;
    hooks.before = m_options.afterNode;
    const Value output = m_race.interpreterA().run(copyOf(inputs), hooks);
    return m_a.finish ? m_a.finish(output) : output;
}

} // namespace fx::engine
