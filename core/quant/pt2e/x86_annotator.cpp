// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/pt2e/x86_annotator.h"

#include "core/diag/error.h"
#include "core/quant/pt2e/x86_sources.h"

#include <algorithm>

namespace fx::quant::pt2e {

namespace x86 {
bool passesInt8(std::string_view target) {
    return target == kMaxPoolOp || target == kCatOp || target == kFlattenOp ||
           target == "torch.ops.aten.avg_pool2d.default" || target == "torch.ops.aten.adaptive_avg_pool2d.default";
}
bool isQuantisedByDefault(std::string_view target) {
    return passesInt8(target) || target == kConv1dOp || target == kConv2dOp || target == kLinearOp || target == kMulOp;
}
bool isQuantisable(std::string_view target) { return isQuantisedByDefault(target) || target == kMatmulOp; }
} // namespace x86

using namespace x86;

void X86Annotator::apply(const Rule& rule) {
    m_rule = &rule;
    convolutions();
    linears();
    calls(kMatmulOp, false);
    calls(kMulOp, true);
    for (const Node& node : m_graph.nodes()) propagate(node);
    m_rule = nullptr;
}

bool X86Annotator::isAnnotated(NodeId id) const {
    const auto found = m_annotations.find(id);
    return found != m_annotations.end() && found->second.annotated;
}
bool X86Annotator::isQuantised(NodeId id) const { return isAnnotated(id) && m_annotations.at(id).isOutputOfPattern; }

bool X86Annotator::skips(std::initializer_list<NodeId> nodes) const {
    std::vector<NodeId> present;
    for (const NodeId id : nodes)
        if (id != kNoNode) present.push_back(id);
    return skipsNodes(present);
}
bool X86Annotator::skipsNodes(std::span<const NodeId> nodes) const {
    return std::any_of(nodes.begin(), nodes.end(), [this](NodeId id) { return isAnnotated(id); }) ||
           !m_rule->accepts(nodes);
}

NodeId X86Annotator::onlyOutput(const SourcePartition& partition) const {
    if (partition.outputs.size() > 1 && m_partitions.calls() == SourcePartitions::Calls::Together)
        throw SeveralCalls{partition.place};
    return partition.outputs.size() != 1 ? kNoNode : partition.outputs.front();
}

bool X86Annotator::isConv(NodeId id, bool alsoOneDimension) const {
    const std::string& target = m_graph.node(id).target();
    return target == kConv2dOp || (alsoOneDimension && target == kConv1dOp);
}

bool X86Annotator::findExtra(Pattern& pattern, NodeId producer) {
    const Node& node = m_graph.node(pattern.binary);
    const auto& args = node.args();
    if (args.size() >= 2) {
        const bool isFirst = args[0].isNode() && args[0].node() == producer;
        const bool isSecond = args[1].isNode() && args[1].node() == producer;
        const Argument& extra = args[isFirst ? 1 : 0];
        if ((isFirst || isSecond) && extra.isNode()) {
            pattern.extra = extra.node();
            return true;
        }
    }
    const bool isTold = std::any_of(m_warnings.begin(), m_warnings.end(),
                                    [&](const Warning& warning) { return warning.node == node.name(); });
    if (!isTold)
        m_warnings.push_back(
            {Message("pt2e.not_fused_add", {{"layer", m_graph.node(producer).name()}}), node.name(), {}, {}});
    return false;
}

Annotation& X86Annotator::fresh(NodeId id, bool isOutput) {
    Annotation& annotation = m_annotations[id] = {};
    annotation.annotated = true;
    annotation.isOutputOfPattern = isOutput;
    annotation.rule = m_rule ? m_rule->name : "";
    return annotation;
}

void X86Annotator::exclude(std::initializer_list<NodeId> nodes) {
    for (const NodeId id : nodes)
        if (id != kNoNode) fresh(id, false);
}

/// Input and weight of a convolution or linear layer, and the bias with nothing.
void X86Annotator::annotateLayer(NodeId id, bool isOutput) {
    if (!m_rule->config) return exclude({id});
    const auto& args = m_graph.node(id).args();
    Annotation& annotation = fresh(id, isOutput);
    const SpecPtr specs[] = {m_rule->config->input, m_rule->config->weight, m_rule->config->bias};
    for (std::size_t i = 0; i < std::min<std::size_t>(args.size(), 3); ++i)
        if (args[i].isNode()) annotation.setInput(args[i].node(), specs[i]);
}

void X86Annotator::markAll(const Sequence& sequence) {
    for (const SourcePartition* partition : sequence)
        for (const NodeId id : partition->nodes) m_annotations[id].annotated = true;
}

void X86Annotator::say(const Pattern& pattern) {
    std::string text;
    std::vector<NodeId> nodes;
    for (const NodeId id : {pattern.layer, pattern.norm, pattern.binary, pattern.unary}) {
        if (id == kNoNode) continue;
        const std::string& target = m_graph.node(id).target();
        const auto overload = target.rfind('.');
        const auto name = target.rfind('.', overload - 1) + 1;
        text += (text.empty() ? "" : ", ") + target.substr(name, overload - name);
        nodes.push_back(id);
    }
    for (const NodeId id : nodes) {
        Annotation& annotation = m_annotations[id];
        annotation.pattern = text;
        annotation.rule = m_rule->name;
    }
}

/// Matrix products and products, which stand alone.
void X86Annotator::calls(std::string_view target, bool needsEqualShapes) {
    const auto tensor = [this](const Argument& value) -> const ValueInfo* {
        if (!value.isNode()) return nullptr;
        const auto& values = m_graph.node(value.node()).meta().values;
        return values.size() == 1 && values[0].isTensor ? &values[0] : nullptr;
    };
    for (const Node& node : m_graph.nodes()) {
        if (node.target() != target || skips({node.id()})) continue;
        if (!m_rule->config) {
            exclude({node.id()});
            continue;
        }
        if (needsEqualShapes) {
            if (node.args().size() != 2) continue;
            const ValueInfo *first = tensor(node.args()[0]), *second = tensor(node.args()[1]);
            if (!first || !second || first->sizes != second->sizes) continue;
        }
        Annotation& annotation = fresh(node.id(), true);
        for (const Argument& input : node.args())
            if (input.isNode()) annotation.setInput(input.node(), m_rule->config->input);
        say({.layer = node.id()});
    }
}

void X86Annotator::propagate(const Node& node) {
    if (node.op() != Op::CallFunction || !passesInt8(node.target()) || isAnnotated(node.id()) || skips({node.id()}))
        return;
    if (!m_rule->config) return exclude({node.id()});
    if (node.inputs().empty()) return;
    if (node.target() == kCatOp) return concatenation(node);
    const auto& users = node.users();
    if (node.target() == kFlattenOp && !users.empty() && std::none_of(users.begin(), users.end(), [this](NodeId id) {
            return isQuantisable(m_graph.node(id).target());
        }))
        return;
    pool(node);
}

void X86Annotator::pool(const Node& node) {
    const NodeId input = node.inputs().front();
    if (!isQuantised(input)) return;
    fresh(node.id(), true).setInput(input, m_rule->config->input);
    say({.layer = node.id()});
}

void X86Annotator::concatenation(const Node& node) {
    const auto& inputs = node.inputs();
    if (!std::all_of(inputs.begin(), inputs.end(), [this](NodeId id) { return isQuantised(id); })) return;
    const auto* list = node.args().empty() ? nullptr : node.args()[0].as<fx::Sequence>();
    if (!list || list->items.empty() || !list->items.front().isNode()) return;
    const NodeId first = list->items.front().node();
    Annotation& annotation = fresh(node.id(), true);
    annotation.setInput(first, m_rule->config->input);
    const SpecPtr shared = sharedWith({first, node.id()});
    for (const Argument& item : list->items)
        if (item.isNode() && item.node() != first) annotation.setInput(item.node(), shared);
    say({.layer = node.id()});
}

void X86Annotator::shareOutputs() {
    for (const Node& node : m_graph.nodes()) {
        if (!passesInt8(node.target()) || !isQuantised(node.id()) || node.inputs().empty()) continue;
        m_annotations[node.id()].output = sharedWith({node.inputs().front(), node.id()});
    }
}

} // namespace fx::quant::pt2e
