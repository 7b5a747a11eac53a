// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/pt2e/qat_fusion.h"

#include "core/match/rewriter.h"
#include "core/passes/dead_code.h"
#include "core/quant/pt2e/fold_norms.h"
#include "core/quant/pt2e/qat_patterns.h"

#include <algorithm>

namespace fx::quant::pt2e {
namespace {

constexpr const char* kConvs[] = {"conv1d", "conv2d", "conv_transpose1d", "conv_transpose2d"};

bool isLayer(const Node& node) { return isConvolution(node) || isTransposedConvolution(node); }

bool callsConv(const Graph& graph, const std::string& conv) {
    const std::string start = "torch.ops.aten." + conv + ".";
    const auto nodes = graph.nodes();
    for (const Node& node : nodes)
        if (node.target().starts_with(start)) return true;
    return false;
}

/// Old and new nodes of one replacement.
struct Pairs {
    NodeId oldConv = kNoNode, conv = kNoNode, oldNorm = kNoNode, norm = kNoNode;
    NodeId oldInput = kNoNode, oldWeight = kNoNode, weight = kNoNode, oldBias = kNoNode, bias = kNoNode;
    NodeId oldQuantise = kNoNode, quantise = kNoNode, oldDequantise = kNoNode, dequantise = kNoNode;
};

/// Replaces patterns and keeps what was known of the nodes before.
class QatRewriting {
public:
    QatRewriting(GraphModule& model, Annotations& annotations) : m_model(model), m_annotations(annotations) {}

    std::vector<Pairs> replace(const GraphModule& pattern, const GraphModule& replacement,
                               std::optional<bool> hasBias) {
        for (const Node& node : m_model.graph.nodes())
            if (isLayer(node)) m_oldArgs[node.id()] = node.args();
        for (const Node& node : m_model.graph.nodes())
            if (node.target().starts_with("torch.ops.quantized_decomposed.")) m_oldArgs[node.id()] = node.args();
        RewriteOptions options;
        options.ignoreLiterals = true;
        options.replacementIsModule = true;
        if (hasBias)
            options.filters.push_back(
                [want = *hasBias](const InternalMatch& match, const GraphModule& target, const GraphModule&) {
                    for (const auto& [from, to] : match.nodesMap) {
                        if (!to.value.isNode() || !isLayer(target.graph.node(to.value.node()))) continue;
                        const auto& args = target.graph.node(to.value.node()).args();
                        return want == (args.size() > 2 && !args[2].isNone());
                    }
                    return false;
                });
        std::vector<Pairs> all;
        for (const ReplacedPattern& replaced : replacePattern(m_model, pattern, replacement, options))
            all.push_back(pairsOf(pattern.graph, replaced));
        return all;
    }

    /// Metadata and annotation of the old node; `_fuse_conv_bn_qat` gives the new node the same dict.
    void inherit(NodeId from, NodeId to) {
        if (from == kNoNode || to == kNoNode || from == to) return;
        Graph& graph = m_model.graph;
        graph.setMeta(to, std::make_shared<const NodeMeta>(graph.node(from).meta()));
        if (const auto found = m_annotations.find(from); found != m_annotations.end()) {
            Annotation copy = found->second;
            m_annotations[to] = std::move(copy);
        }
    }

    /// torchao `_copy_over_literal_conv_args`.
    void copyConvLiterals(NodeId from, NodeId to) {
        std::vector<Argument> args = m_model.graph.node(to).args();
        args.resize(3);
        const auto& old = m_oldArgs.at(from);
        if (old.size() > 3) args.insert(args.end(), old.begin() + 3, old.end());
        m_model.graph.setArgs(to, std::move(args));
    }

    /// torchao `_copy_over_q_dq_args`.
    void copyQuantiseLiterals(NodeId from, NodeId to) {
        std::vector<Argument> args = m_model.graph.node(to).args();
        const bool perChannel = m_model.graph.node(to).target().find("per_channel") != std::string::npos;
        const std::size_t start = perChannel ? 3 : 1;
        const auto& old = m_oldArgs.at(from);
        args.resize(start);
        args.insert(args.end(), old.begin() + static_cast<std::ptrdiff_t>(start), old.end());
        m_model.graph.setArgs(to, std::move(args));
    }

private:
    Pairs pairsOf(const Graph& pattern, const ReplacedPattern& replaced) const {
        const Graph& graph = m_model.graph;
        Pairs pairs;
        NodeId patternConv = kNoNode;
        std::unordered_map<NodeId, NodeId> mapped;
        for (const auto& [from, to] : replaced.nodesMap) {
            if (!to.value.isNode()) continue;
            mapped[from] = to.value.node();
            if (pattern.node(from).op() == Op::Placeholder) continue;
            if (isLayer(pattern.node(from))) patternConv = from, pairs.oldConv = to.value.node();
            if (isBatchNorm(pattern.node(from))) pairs.oldNorm = to.value.node();
        }
        for (const NodeId id : replaced.replacements) {
            if (isLayer(graph.node(id))) pairs.conv = id;
            if (isBatchNorm(graph.node(id))) pairs.norm = id;
        }
        const auto oldOf = [&](const Argument& value) {
            const auto found = value.isNode() ? mapped.find(value.node()) : mapped.end();
            return found == mapped.end() ? kNoNode : found->second;
        };
        const auto& args = pattern.node(patternConv).args();
        const auto& now = graph.node(pairs.conv).args();
        pairs.oldInput = oldOf(args[0]);
        Argument weight = args[1];
        pairs.weight = now[1].node();
        if (isDequantise(pattern.node(weight.node()))) {
            pairs.oldDequantise = oldOf(weight), pairs.dequantise = pairs.weight;
            weight = pattern.node(weight.node()).args()[0];
            pairs.quantise = graph.node(pairs.dequantise).args()[0].node();
            pairs.oldQuantise = oldOf(weight);
            weight = pattern.node(weight.node()).args()[0];
            pairs.weight = graph.node(pairs.quantise).args()[0].node();
        }
        pairs.oldWeight = oldOf(weight);
        if (args.size() > 2 && now.size() > 2 && now[2].isNode())
            pairs.oldBias = oldOf(args[2]), pairs.bias = now[2].node();
        return pairs;
    }
    static bool isDequantise(const Node& node) {
        return node.target().starts_with("torch.ops.quantized_decomposed.dequantize_");
    }

    GraphModule& m_model;
    Annotations& m_annotations;
    std::unordered_map<NodeId, std::vector<Argument>> m_oldArgs;
};

NodeId mappedNode(const std::unordered_map<NodeId, NodeId>& map, NodeId id) {
    const auto found = map.find(id);
    return found == map.end() ? id : found->second;
}

/// torchao `_update_special_qspecs_after_replacement`.
void renewAnnotation(Annotation& annotation, const std::unordered_map<NodeId, NodeId>& map) {
    const auto renewed = [&map](const SpecPtr& spec) -> SpecPtr {
        if (!spec || spec->from.empty()) return spec;
        QuantizationSpec copy = *spec;
        for (EdgeOrNode& value : copy.from) {
            value.from = mappedNode(map, value.from);
            if (value.isEdge()) value.to = mappedNode(map, value.to);
        }
        return std::make_shared<const QuantizationSpec>(std::move(copy));
    };
    std::vector<std::pair<NodeId, SpecPtr>> inputs;
    std::swap(inputs, annotation.inputs);
    for (const auto& [input, spec] : inputs) annotation.setInput(mappedNode(map, input), renewed(spec));
    annotation.output = renewed(annotation.output);
}

/// torchao `_update_conv_input_qspec_map_after_replacement`.
void renewInputs(Annotation& annotation, const std::vector<Argument>& args) {
    const auto old = annotation.inputs;
    annotation.inputs.clear();
    for (std::size_t i = 0; i < std::min(args.size(), old.size()); ++i)
        if (args[i].isNode()) annotation.setInput(args[i].node(), old[i].second);
}

} // namespace

void fuseForQat(GraphModule& model, Annotations& annotations) {
    if (!hasBatchNorm(model.graph)) return;
    for (const char* conv : kConvs) {
        eliminateDeadCode(model);
        if (!callsConv(model.graph, conv)) continue;
        QatRewriting rewriting(model, annotations);
        std::vector<Pairs> replaced;
        for (const bool hasBias : {true, false}) {
            const QatPattern pattern{conv, hasBias};
            QatPattern matched = pattern;
            matched.hasBias = true; // the pattern names a bias in both cases
            const auto found = rewriting.replace(convNormPattern(matched), trainedPattern(pattern), hasBias);
            replaced.insert(replaced.end(), found.begin(), found.end());
        }
        std::unordered_map<NodeId, NodeId> renewed;
        for (const Pairs& pairs : replaced) {
            const std::pair<NodeId, NodeId> nodes[] = {{pairs.oldConv, pairs.conv},
                                                       {pairs.oldNorm, pairs.norm},
                                                       {pairs.oldWeight, pairs.weight},
                                                       {pairs.oldBias, pairs.bias}};
            for (const auto& [from, to] : nodes) {
                if (from == kNoNode || to == kNoNode) continue;
                rewriting.inherit(from, to);
                renewed[from] = to;
            }
            rewriting.copyConvLiterals(pairs.oldConv, pairs.conv);
            if (const auto found = annotations.find(pairs.conv); found != annotations.end())
                renewInputs(found->second, model.graph.node(pairs.conv).args());
        }
        for (const NodeId id : model.graph.order())
            if (const auto found = annotations.find(id); found != annotations.end())
                renewAnnotation(found->second, renewed);
    }
}

void foldAfterQat(GraphModule& model, Annotations& annotations) {
    if (!hasBatchNorm(model.graph)) return;
    for (const char* conv : kConvs) {
        eliminateDeadCode(model);
        if (!callsConv(model.graph, conv)) continue;
        QatRewriting rewriting(model, annotations);
        std::vector<Pairs> replaced;
        for (const bool isPerChannel : {true, false})
            for (const bool hasBias : {true, false}) {
                const QatPattern pattern{conv, hasBias, isPerChannel};
                const auto found = rewriting.replace(quantisedPattern(pattern), foldedPattern(pattern), {});
                replaced.insert(replaced.end(), found.begin(), found.end());
            }
        for (const Pairs& pairs : replaced) {
            rewriting.inherit(pairs.oldConv, pairs.conv);
            rewriting.inherit(pairs.oldNorm, pairs.norm);
            rewriting.inherit(pairs.oldQuantise, pairs.quantise);
            rewriting.inherit(pairs.oldDequantise, pairs.dequantise);
            rewriting.inherit(pairs.oldWeight, pairs.weight);
            rewriting.inherit(pairs.oldBias, pairs.bias);
            rewriting.copyQuantiseLiterals(pairs.oldQuantise, pairs.quantise);
            rewriting.copyQuantiseLiterals(pairs.oldDequantise, pairs.dequantise);
            foldNorm(model, pairs.conv, pairs.weight, pairs.bias, pairs.norm, false);
            rewriting.copyConvLiterals(pairs.oldConv, pairs.conv);
        }
        eliminateDeadCode(model);
    }
    for (const NodeId id : model.graph.order()) {
        const Node& node = model.graph.node(id);
        if (node.target() != "torch.ops.aten.add_.Tensor" || node.args().size() != 2 || !node.args()[0].isNode() ||
            model.graph.node(node.args()[0].node()).op() != Op::GetAttr || !(node.args()[1] == Argument(1)))
            continue;
        const auto& stack = node.meta().moduleStack;
        const bool isCount = std::any_of(stack.begin(), stack.end(), [](const ModuleFrame& frame) {
            return frame.type == "torch.nn.modules.batchnorm.BatchNorm2d";
        });
        if (isCount && node.users().empty()) model.graph.erase(id);
    }
    eliminateDeadCode(model);
}

} // namespace fx::quant::pt2e
