// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/comparison_coverage.h"

#include "core/base/one_of.h"
#include "core/engine/verify/boundary_numbers.h"
#include "core/engine/verify/branches.h"
#include "core/engine/verify/compare.h"
#include "core/engine/verify/inputs/alter.h"
#include "core/engine/verify/inputs/further_inputs.h"
#include "core/ir/print.h"
#include "core/module/call_semantics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace fx::engine {
namespace {

constexpr double kMostConstant = 1e6;      ///< what is larger stands for infinity: -1e9 of a mask
constexpr double kNearPart = 0.5;          ///< part of the floats that are numbers near constants
constexpr std::size_t kRowsOfNumbers = 16; ///< inputs of such a model with rows of one such number
constexpr std::size_t kOtherValues = 4;    ///< inputs of other flags and integers
constexpr std::size_t kSmallGraph = 64;    ///< of a model whose runs cost next to nothing
constexpr std::array kFarther = {1.0, -1.0, 100.0, -100.0, 1e4, -1e4}; ///< times inputs of one sign
constexpr std::array kFarthest = {1e4, -1e4};

/// Whether a call compares, or combines what comparisons gave.
bool decides(std::string_view name) {
    return isOneOf(name,
                   {"lt",          "le",  "less",      "less_equal", "gt",        "ge",   "greater", "greater_equal",
                    "eq",          "ne",  "not_equal", "all",        "any",       "and_", "__and__", "bitwise_and",
                    "logical_and", "or_", "__or__",    "bitwise_or", "logical_or"});
}

/// What a comparison does, in words that are the same in both models; empty for other calls. Comparing a value
/// with itself tests for NaN, which `tellSpecialValues` reports.
std::string comparisonText(const Node& node, const Graph& graph) {
    if (node.op() != Op::CallFunction && node.op() != Op::CallMethod) return {};
    std::string text = canonicalName(node);
    if (!decides(text) || (node.args().size() == 2 && node.args()[0] == node.args()[1])) return {};
    for (const Argument& argument : node.args()) {
        if (!(std::abs(argument.number().value_or(0)) <= kMostConstant)) return {};
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
        if (part.isChanged(inB, node.id()))
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
std::vector<RunInputs> furtherInputs(const CheckContext& context, const ChangedPart::Region& region) {
    const bool isSmall = context.a.model->graph.size() <= kSmallGraph;
    std::vector<RunInputs> out = {context.inputs};
    InputSource source(context.inputs, {}, context.random());
    for (std::size_t i = 0; isSmall && i < kOtherValues; ++i) out.push_back(source.values(i).inputs);
    std::size_t rows = isSmall ? kRowsOfNumbers : 0;
    const BoundaryNumbers numbers = boundaryNumbersOf(context.a, context.b, region);
    for (std::size_t i = 0; i < std::min(numbers.integers.size(), rows) && context.inputsHave(hasIntegers); ++i)
        out.push_back(altered(context.inputs, renumbered({numbers.integers[i]}, 2)));
    for (const auto& group : numbers.floats) {
        out.push_back(altered(context.inputs, sprinkled(group, kNearPart, 1, context.random)));
        for (std::size_t i = 0; i < group.size() && rows > 0; ++i, --rows)
            out.push_back(altered(context.inputs, withRowsOf(group[i], context.random)));
    }
    if (isSmall)
        for (const double factor : kFarther) out.push_back(ofOneSign(context.inputs, factor));
    else
        for (const double factor : kFarthest) out.push_back(ofOneSign(context.inputs, factor));
    for (int i = 0; isSmall && i < 4; ++i) out.push_back(context.moreInputs());
    out.push_back(altered(context.inputs, equalised(0, true, context.random)));
    return out;
}

/// One comparison in one of the models, run in what changed.
class Forced {
public:
    Forced(const CheckContext& context, const ChangedPart::Region& region, bool inB, NodeId node, bool usual)
        : m_context(context), m_region(region), m_inB(inB), m_node(node), m_usual(usual),
          m_isExact(isOneOf(canonicalName((inB ? context.b : context.a).model->graph.node(node)), {"eq", "ne"})) {}

    /// Whether some values tell enough of the comparison. `areOwn`: those of the models' own data, which do when the
    /// result does not matter. Others do when it is another one, both models agree, and it would be seen if it were the
    /// usual one. That need not be seen where numbers are equal: `where(x == y, x, y)`.
    bool isSettledBy(const std::vector<Value>& values, bool areOwn) const {
        const ValuesByNode given = m_context.regionRun.valuesAt(m_inB, m_region, values, {m_node});
        const auto found = given.find(m_node);
        const auto isOther = found == given.end() ? std::nullopt : hasElement(found->second, !m_usual);
        if (!isOther) return false;
        if (!*isOther) return areOwn && !matters(values, found->second.tensor(), !m_usual);
        return (m_isExact || matters(values, found->second.tensor(), m_usual)) &&
               !m_context.regionRun.contrast(m_region, values, Count::Finite, m_context.random).any();
    }

private:
    Values exits(const ChangedPart::Region& region, const std::vector<Value>& values) const {
        return m_inB ? m_context.regionRun.runB(region, values) : m_context.regionRun.runA(region, values);
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

    const CheckContext& m_context;
    const ChangedPart::Region& m_region;
    bool m_inB;
    NodeId m_node;
    bool m_usual;   ///< what it gave so far
    bool m_isExact; ///< it asks whether numbers are equal
};

} // namespace

ComparisonCoverage::ComparisonCoverage(const VerifySide& a, const VerifySide& b, const ChangedPart& part) {
    auto ofA = changedComparisons(*a.model, part, false), ofB = changedComparisons(*b.model, part, true);
    dropCommon(ofA, ofB);
    for (const auto& [text, node] : ofA) m_all.push_back({false, node});
    for (const auto& [text, node] : ofB) m_all.push_back({true, node});
}

void ComparisonCoverage::note(bool inB, const Node& node, const Value& value) {
    for (Comparison& each : m_all) {
        if (each.inB != inB || each.node != node.id()) continue;
        each.isTrue = each.isTrue || hasElement(value, true).value_or(true);
        each.isFalse = each.isFalse || hasElement(value, false).value_or(true);
    }
}

/// Erases those of which some inputs tell enough.
void ComparisonCoverage::settle(std::vector<Comparison>& open, const CheckContext& context,
                                const ChangedPart::Region& region, const RunInputs& inputs, bool areOwn) {
    const auto values = context.regionRun.tryValuesOfA(region.producers(), inputs);
    std::erase_if(open, [&](const Comparison& each) {
        bool isSettled = false;
        const Forced forced(context, region, each.inB, each.node, each.isTrue);
        if (values) context.regionRun.mayFail([&] { isSettled = forced.isSettledBy(*values, areOwn); });
        return isSettled;
    });
}

std::vector<std::string> ComparisonCoverage::unseen(const CheckContext& context, const ChangedPart::Region& region,
                                                    const std::function<std::unique_ptr<LaterCalls>()>& later) const {
    std::vector<Comparison> open;
    for (const Comparison& each : m_all) {
        const auto& inside = each.inB ? region.b : region.a;
        const bool runs = std::find(inside.begin(), inside.end(), each.node) != inside.end();
        if (runs && each.isTrue != each.isFalse) open.push_back(each);
    }
    if (open.empty()) return {};
    bool areOwn = true;
    for (const RunInputs& inputs : furtherInputs(context, region)) {
        settle(open, context, region, inputs, areOwn);
        areOwn = false;
    }
    if (const auto calls = open.empty() ? nullptr : later())
        for (const std::int64_t count : calls->turns([] { return false; })) {
            if (open.empty() || !calls->enter(count)) continue;
            settle(open, context, region, context.inputs, false);
            if (!calls->goesOn()) break;
        }
    std::vector<std::string> names;
    for (const Comparison& each : open)
        names.push_back(each.inB ? context.b.nameOf(context.b.model->graph.node(each.node))
                                 : context.a.nameOf(context.a.model->graph.node(each.node)));
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

} // namespace fx::engine
