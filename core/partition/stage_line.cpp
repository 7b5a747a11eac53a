// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/partition/stage_line.h"

#include "core/partition/quotient.h"

#include <algorithm>
#include <unordered_set>

namespace fx {
namespace {

/// A getitem of what a call returns: `makePipeline` keeps the two together, so that no tuple is sent.
bool followsProducer(const Graph& graph, const Node& node) {
    return node.target() == "_operator.getitem" && node.inputs().size() == 1 && graph.node(node.inputs()[0]).isCall();
}

/// The weights of an exported program are inputs of its graph; stages read them from their files.
std::unordered_set<NodeId> weightInputs(const GraphModule& model) {
    using Kind = LiftedInput::Kind;
    std::unordered_set<NodeId> result;
    for (const LiftedInput& input : model.lifted)
        if (input.kind == Kind::Parameter || input.kind == Kind::Buffer || input.kind == Kind::Constant)
            result.insert(input.node);
    return result;
}

} // namespace

std::vector<StageCrossing> stageCrossings(const GraphModule& model, const std::vector<std::size_t>& placeOf,
                                          std::size_t count) {
    const Graph& graph = model.graph;
    const auto weights = weightInputs(model);
    PathResolver paths(*model.root);
    struct Change {
        std::int64_t values = 0, numbers = 0, bytes = 0, unknown = 0;
    };
    std::vector<Change> changes(count + 2);
    for (const Node& node : graph.nodes()) {
        const bool isInput = node.op() == Op::Placeholder && !weights.contains(node.id());
        if (!node.isCall() && !isInput) continue;
        const std::size_t first = isInput ? 0 : placeOf[index(node.id())]; // where it is there without being sent
        std::size_t last = first;
        for (const NodeId user : node.users())
            if (graph.node(user).op() == Op::Output) last = std::max(last, count - 1);
            else if (placeOf[index(user)] < count) last = std::max(last, placeOf[index(user)]);
        if (count == 0 || last <= first) continue;
        const auto bytes = valueBytes(node, paths);
        Change &enters = changes[first + 1], &leaves = changes[last + 1];
        ++enters.values, --leaves.values;
        const auto& infos = node.meta().values;
        const bool isNumber = infos.size() == 1 && !infos[0].isTensor;
        enters.numbers += isNumber, leaves.numbers -= isNumber;
        enters.bytes += bytes.value_or(0), leaves.bytes -= bytes.value_or(0);
        enters.unknown += !bytes, leaves.unknown -= !bytes;
    }
    std::vector<StageCrossing> result(count + 1);
    Change now;
    for (std::size_t i = 0; i <= count; ++i) {
        now.values += changes[i].values, now.numbers += changes[i].numbers, now.bytes += changes[i].bytes,
            now.unknown += changes[i].unknown;
        result[i] = {static_cast<std::size_t>(now.values), static_cast<std::size_t>(now.numbers), now.bytes,
                     now.unknown == 0};
    }
    return result;
}

StageLine::StageLine(const GraphModule& model, const NodeTimes& times) : m_isTimed(!times.empty()) {
    const Graph& graph = model.graph;
    constexpr std::size_t kNoCall = ~std::size_t(0);
    m_placeOf.assign(graph.idLimit(), kNoCall);
    std::vector<double> weights;
    for (const Node& node : graph.nodes()) {
        if (!node.isCall()) continue;
        std::size_t& place = m_placeOf[index(node.id())];
        if (followsProducer(graph, node)) place = m_placeOf[index(node.inputs()[0])];
        if (place == kNoCall) {
            place = m_calls.size();
            m_calls.push_back(node.id());
            weights.push_back(m_isTimed ? 0 : 1);
        }
        if (const auto known = times.find(node.name()); known != times.end()) weights[place] += known->second;
    }
    std::replace(m_placeOf.begin(), m_placeOf.end(), kNoCall, m_calls.size());
    m_before.assign(1, 0);
    for (const double weight : weights) m_before.push_back(m_before.back() + weight);
    m_crossings = stageCrossings(model, m_placeOf, m_calls.size());
}

StageBalanceReport StageLine::balance(const Cuts& cuts) const {
    StageBalanceReport report;
    for (std::size_t stage = 0; stage <= cuts.size(); ++stage) {
        const auto [begin, end] = extent(cuts, stage);
        report.weights.push_back(weight(begin, end));
    }
    report.mean = m_before.back() / static_cast<double>(report.weights.size());
    report.largest = static_cast<std::size_t>(std::max_element(report.weights.begin(), report.weights.end()) -
                                              report.weights.begin());
    if (report.mean > 0) report.ratio = report.weights[report.largest] / report.mean;
    return report;
}

std::pair<std::size_t, std::size_t> StageLine::extent(const Cuts& cuts, std::size_t stage) const {
    return {stage == 0 ? 0 : cuts[stage - 1], stage == cuts.size() ? size() : cuts[stage]};
}

bool StageLine::isValid(const Cuts& cuts) const {
    std::size_t before = 0;
    for (const std::size_t cut : cuts)
        if (cut <= std::exchange(before, cut) || cut >= size()) return false;
    return true;
}

std::pair<std::size_t, std::size_t> StageLine::range(const Cuts& cuts, std::size_t cut) const {
    return {cut == 0 ? 1 : cuts[cut - 1] + 1, (cut + 1 == cuts.size() ? size() : cuts[cut + 1]) - 1};
}

StageLine::Cuts StageLine::cutsOf(const SplitAssignment& stages) const {
    const std::size_t count = std::min(stages.partitions.size(), size());
    Cuts cuts;
    for (std::size_t stage = 1, place = 0; stage < count; ++stage) {
        const auto isBefore = [&](NodeId call) { return stages.partOf[index(call)] < static_cast<int>(stage); };
        while (place < size() && isBefore(m_calls[place])) ++place;
        const std::size_t least = cuts.empty() ? 1 : cuts.back() + 1;
        cuts.push_back(std::clamp(place, least, size() - (count - stage)));
    }
    return cuts;
}

SplitAssignment StageLine::stagesOf(const Cuts& cuts) const {
    SplitAssignment result;
    result.partOf.assign(m_placeOf.size(), SplitAssignment::kNoPart);
    result.partitions.assign(cuts.size() + 1, std::nullopt);
    result.inOrder = true;
    for (std::size_t id = 0; id < m_placeOf.size(); ++id)
        if (m_placeOf[id] < size()) result.partOf[id] = static_cast<int>(stageAt(cuts, m_placeOf[id]));
    return result;
}

std::size_t StageLine::stageAt(const Cuts& cuts, std::size_t place) {
    return static_cast<std::size_t>(std::upper_bound(cuts.begin(), cuts.end(), place) - cuts.begin());
}

} // namespace fx
