// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/comparisons.h"

#include "core/base/one_of.h"
#include "core/engine/verify/compare.h"
#include "core/engine/verify/landmarks.h"
#include "core/ir/print.h"
#include "core/module/call_semantics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace fx::engine {
namespace {

constexpr double kMostConstant = 1e6;   ///< what is larger stands for infinity: -1e9 of a mask
constexpr double kNearPart = 0.5;       ///< part of the floats that are numbers near constants
constexpr std::size_t kSmallGraph = 64; ///< of a model whose runs cost next to nothing
constexpr std::array kFarther = {1.0, -1.0, 100.0, -100.0, 1e4, -1e4}; ///< times inputs of one sign
constexpr std::array kFarthest = {1e4, -1e4};

/// What a comparison does, in words that are the same in both models; empty for other calls.
std::string comparisonText(const Node& node, const Graph& graph) {
    if (node.op() != Op::CallFunction && node.op() != Op::CallMethod) return {};
    std::string text = canonicalName(node);
    if (!isOneOf(text, {"lt", "le", "less", "less_equal", "gt", "ge", "greater", "greater_equal"})) return {};
    for (const Argument& argument : node.args()) {
        const auto* real = argument.as<double>();
        const auto* whole = argument.as<std::int64_t>();
        const double number = real ? *real : whole ? static_cast<double>(*whole) : 0;
        if (!(std::abs(number) <= kMostConstant)) return {};
        if (!argument.isNode()) text += ' ' + reprOf(graph, argument);
    }
    return text;
}

/// By node id: whether it is not the same in every run.
std::vector<bool> variesIn(const GraphModule& model) {
    const CallSemantics semantics(*model.root);
    std::vector<bool> out(model.graph.idLimit());
    for (const Node& node : model.graph.nodes()) {
        const auto& inputs = node.inputs();
        out[index(node.id())] = isUserInput(model, node) || (node.isCall() && !semantics.written(node).empty()) ||
                                std::any_of(inputs.begin(), inputs.end(), [&](NodeId id) { return out[index(id)]; });
    }
    return out;
}

std::multimap<std::string, NodeId> changedComparisons(const GraphModule& model, const ChangedPart& part, bool inB) {
    std::multimap<std::string, NodeId> out;
    for (const Node& node : model.graph.nodes())
        if (inB ? part.isChangedB(node.id()) : part.isChangedA(node.id()))
            if (std::string text = comparisonText(node, model.graph); !text.empty())
                out.emplace(std::move(text), node.id());
    if (out.empty()) return out;
    const std::vector<bool> varies = variesIn(model);
    std::erase_if(out, [&](const auto& each) { return !varies[index(each.second)]; });
    return out;
}

/// Whether a tensor of booleans has that one; nothing for other values.
std::optional<bool> hasElement(const Value& value, bool wanted) {
    if (!value.isTensor() || value.tensor().scalar_type() != at::kBool || value.tensor().numel() == 0)
        return std::nullopt;
    const at::Tensor& tensor = value.tensor();
    return (wanted ? tensor.any() : tensor.logical_not().any()).item<bool>();
}

RunInputs ofOneSign(const RunInputs& inputs, double factor) {
    return mapInputs(inputs, [factor](const at::Tensor& tensor) {
        return isFloatTensor(tensor) && !tensor.is_complex() ? tensor.abs().mul(factor) : tensor.clone();
    });
}

/// Inputs that may lead the other way.
std::vector<RunInputs> furtherInputs(const Stage& stage, const ChangedPart::Region& region) {
    const bool isSmall = stage.a.model->graph.size() <= kSmallGraph;
    std::vector<RunInputs> out = {stage.inputs};
    for (const auto& group : landmarksOf(stage.a, stage.b, region).floats)
        out.push_back(sprinkled(stage.inputs, group, kNearPart, 1, stage.random));
    if (isSmall)
        for (const double factor : kFarther) out.push_back(ofOneSign(stage.inputs, factor));
    else
        for (const double factor : kFarthest) out.push_back(ofOneSign(stage.inputs, factor));
    for (int i = 0; isSmall && i < 4; ++i) out.push_back(stage.moreInputs());
    return out;
}

/// One comparison in one of the models, run in what changed.
class Forced {
public:
    Forced(const Stage& stage, const ChangedPart::Region& region, bool inB, NodeId node, bool usual)
        : m_stage(stage), m_region(region), m_inB(inB), m_node(node), m_usual(usual) {}

    /// Whether some values tell enough of the comparison. `areOwn`: those of the models' own data, which do when the
    /// result does not matter. Others do when it is another one, both models agree, and it would be seen if it were the
    /// usual one.
    bool isSettledBy(const std::vector<Value>& values, bool areOwn) const {
        const ValuesByNode given = m_stage.trial.valuesAt(m_inB, m_region, values, {m_node});
        const auto found = given.find(m_node);
        const auto isOther = found == given.end() ? std::nullopt : hasElement(found->second, !m_usual);
        if (!isOther) return false;
        if (!*isOther) return areOwn && !matters(values, found->second.tensor(), !m_usual);
        return matters(values, found->second.tensor(), m_usual) &&
               !m_stage.trial.contrast(m_region, values, Count::Finite, m_stage.random).any();
    }

private:
    Values exits(const ChangedPart::Region& region, const std::vector<Value>& values) const {
        return m_inB ? m_stage.trial.runB(region, values) : m_stage.trial.runA(region, values);
    }
    /// Whether the exits are others when the comparison gives `side` everywhere.
    bool matters(const std::vector<Value>& values, const at::Tensor& result, bool side) const {
        ChangedPart::Region region = m_region;
        std::vector<Value> with = values;
        const std::vector<NodeId> here = {m_node};
        region.entries.push_back({m_inB ? std::vector<NodeId>() : here, m_inB ? here : std::vector<NodeId>(), m_node});
        with.emplace_back(result.clone().fill_(side));
        const Values own = exits(m_region, values), forced = exits(region, with);
        for (std::size_t i = 0; i < own.size(); ++i) {
            const ValueDifference difference = compareValues(own[i], forced[i], {});
            if (!difference.comparable() || (!difference.close && isGross(difference))) return true;
        }
        return false;
    }

    const Stage& m_stage;
    const ChangedPart::Region& m_region;
    bool m_inB;
    NodeId m_node;
    bool m_usual; ///< what it gave so far
};

} // namespace

Comparisons::Comparisons(const VerifySide& a, const VerifySide& b, const ChangedPart& part) {
    auto ofA = changedComparisons(*a.model, part, false), ofB = changedComparisons(*b.model, part, true);
    for (auto mine = ofA.begin(); mine != ofA.end();) {
        const auto same = ofB.find(mine->first);
        if (same != ofB.end()) ofB.erase(same), mine = ofA.erase(mine);
        else ++mine;
    }
    for (const auto& [text, node] : ofA) m_all.push_back({false, node});
    for (const auto& [text, node] : ofB) m_all.push_back({true, node});
}

void Comparisons::note(bool inB, const Node& node, const Value& value) {
    for (Comparison& each : m_all) {
        if (each.inB != inB || each.node != node.id()) continue;
        each.isTrue = each.isTrue || hasElement(value, true).value_or(true);
        each.isFalse = each.isFalse || hasElement(value, false).value_or(true);
    }
}

std::vector<std::string> Comparisons::unseen(const Stage& stage, const ChangedPart::Region& region) const {
    std::vector<Comparison> open;
    for (const Comparison& each : m_all) {
        const auto& inside = each.inB ? region.b : region.a;
        const bool runs = std::find(inside.begin(), inside.end(), each.node) != inside.end();
        if (runs && each.isTrue != each.isFalse) open.push_back(each);
    }
    if (open.empty()) return {};
    bool areOwn = true;
    for (const RunInputs& inputs : furtherInputs(stage, region)) {
        const auto values = stage.trial.tryValuesOfA(region.producers(), inputs);
        std::erase_if(open, [&](const Comparison& each) {
            bool isSettled = false;
            const Forced forced(stage, region, each.inB, each.node, each.isTrue);
            if (values) stage.trial.mayFail([&] { isSettled = forced.isSettledBy(*values, areOwn); });
            return isSettled;
        });
        areOwn = false;
    }
    std::vector<std::string> names;
    for (const Comparison& each : open)
        names.push_back((each.inB ? stage.b : stage.a).model->graph.node(each.node).name());
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

} // namespace fx::engine
