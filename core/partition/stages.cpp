// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/partition/stage_line.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

namespace fx {
namespace {

std::vector<std::int64_t> nanoseconds(const Graph& graph, const std::vector<NodeId>& calls, const NodeTimes& times) {
    std::vector<std::int64_t> weights;
    for (const NodeId id : calls) {
        const auto known = times.find(graph.node(id).name());
        weights.push_back(known == times.end() ? 0 : std::llround(known->second * 1e6));
    }
    return weights;
}

/// What a stage weighs is what its calls weigh: one each, the time they take, or the elements of the parameters that
/// they are the first to use.
std::vector<std::int64_t> weightsOf(const GraphModule& model, const std::vector<NodeId>& calls, StageBalance balance,
                                    const NodeTimes& times) {
    if (balance == StageBalance::Nodes) return std::vector<std::int64_t>(calls.size(), 1);
    if (balance == StageBalance::Time) return nanoseconds(model.graph, calls, times);
    std::unordered_set<const TensorRef*> seen;
    PathResolver paths(*model.root);
    std::vector<std::int64_t> weights(calls.size(), 0);
    const auto add = [&](std::int64_t& weight, const TensorPtr& tensor) {
        if (tensor && tensor->isParameter && seen.insert(tensor.get()).second) weight += tensor->elementCount();
    };
    std::unordered_map<NodeId, TensorPtr> lifted;
    for (const LiftedInput& input : model.lifted)
        if (input.kind == LiftedInput::Kind::Parameter) lifted[input.node] = paths.resolve(input.path).tensor;
    for (std::size_t i = 0; i < calls.size(); ++i) {
        const Node& node = model.graph.node(calls[i]);
        for (const NodeId input : node.inputs()) {
            if (model.graph.node(input).op() == Op::GetAttr)
                add(weights[i], paths.resolve(model.graph.node(input).target()).tensor);
            if (const auto known = lifted.find(input); known != lifted.end()) add(weights[i], known->second);
        }
        if (node.op() != Op::CallModule) continue;
        if (const PathTarget target = paths.resolve(node.target()); target.module)
            forEachModule(*target.module, [&](const std::string&, const Module& module) {
                for (const Module::Slot& slot : module.parameters) add(weights[i], slot.tensor);
            });
    }
    return weights;
}

/// What it costs to cut before each call: the bytes that cross, or the number of values if sizes are unknown.
std::vector<std::int64_t> costsOfCuts(const GraphModule& model, const std::vector<NodeId>& calls) {
    std::vector<std::size_t> placeOf(model.graph.idLimit(), calls.size());
    for (std::size_t i = 0; i < calls.size(); ++i) placeOf[index(calls[i])] = i;
    const std::vector<StageCrossing> crossings = stageCrossings(model, placeOf, calls.size());
    const bool known =
        std::all_of(crossings.begin(), crossings.end(), [](const StageCrossing& each) { return each.bytesKnown; });
    std::vector<std::int64_t> costs;
    for (const StageCrossing& each : crossings)
        costs.push_back(known ? each.bytes : static_cast<std::int64_t>(each.values));
    return costs;
}

} // namespace

SplitAssignment splitIntoStages(const GraphModule& model, std::size_t count, StageBalance balance,
                                const NodeTimes& times) {
    std::vector<NodeId> calls;
    for (const Node& node : model.graph.nodes())
        if (node.isCall()) calls.push_back(node.id());
    if (count == 0) throw Error(ErrorKind::Refused, Message("partition.no_stages"));
    if (count > calls.size())
        throw Error(ErrorKind::Refused,
                    Message("partition.too_many_stages", {{"stages", count}, {"calls", calls.size()}}));
    const std::vector<std::int64_t> weights = weightsOf(model, calls, balance, times), cost = costsOfCuts(model, calls);
    std::vector<std::int64_t> before(calls.size() + 1, 0);
    std::partial_sum(weights.begin(), weights.end(), before.begin() + 1);
    if (before.back() == 0)
        throw Error(ErrorKind::Refused,
                    balance == StageBalance::Time ? Message("partition.no_times") : Message("partition.no_parameters"));
    const double stage = static_cast<double>(before.back()) / static_cast<double>(count);
    SplitAssignment result;
    result.partOf.assign(model.graph.idLimit(), SplitAssignment::kNoPart);
    result.partitions.assign(count, std::nullopt);
    result.inOrder = true;
    for (std::size_t number = 0, start = 0; number < count; ++number) {
        const std::size_t room = calls.size() - (count - number - 1); // each later stage gets a call
        std::size_t end = room;
        if (number + 1 < count) {
            const double wanted = stage * static_cast<double>(number + 1);
            const auto off = [&](std::size_t cut) { return std::abs(static_cast<double>(before[cut]) - wanted); };
            end =
                std::clamp<std::size_t>(static_cast<std::size_t>(std::lower_bound(before.begin(), before.end(), wanted,
                                                                                  [](std::int64_t a, double b) {
                                                                                      return static_cast<double>(a) < b;
                                                                                  }) -
                                                                 before.begin()),
                                        start + 1, room);
            if (end > start + 1 && off(end - 1) < off(end)) --end;
            const double allowed = std::max(stage / 20, off(end));
            std::size_t best = end;
            const auto consider = [&](std::size_t cut) {
                if (cost[cut] < cost[best] || (cost[cut] == cost[best] && off(cut) < off(best))) best = cut;
            };
            for (std::size_t cut = end; cut > start && off(cut) <= allowed; --cut) consider(cut);
            for (std::size_t cut = end; cut <= room && off(cut) <= allowed; ++cut) consider(cut);
            end = best;
        }
        for (; start < end; ++start) result.partOf[index(calls[start])] = static_cast<int>(number);
    }
    return result;
}

} // namespace fx
