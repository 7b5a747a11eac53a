// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/error.h"
#include "core/quant/pt2e/x86_annotator.h"
#include "core/quant/pt2e/x86_sources.h"

#include <algorithm>

namespace fx::quant::pt2e {

using namespace x86;

void X86Annotator::convolutions() {
    if (!m_rule->config || m_rule->config->isQat) qatConvolutions();
    layerPattern(Layer::Convolution, {kConv2d, kAdd, kReLU}, true);
    layerPattern(Layer::Convolution, {kConv2d, kAdd}, true);
    for (const SourceKind& unary : {kReLU, kHardtanh, kHardswish, kReLU6, kSiLU})
        layerPattern(Layer::Convolution, {kConv2d, unary}, false);
    layerPattern(Layer::Convolution, {kConv1d, kReLU}, false);
    plainConvolutions();
}

/// In QAT the normalisation stays, and the output of the pattern is observed.
void X86Annotator::qatConvolutions() {
    qatPattern({kConv2d, kBatchNorm2d, kAdd, kReLU}, true, true);
    qatPattern({kConv2d, kBatchNorm2d, kAdd}, true, false);
    for (const SourceKind& unary : {kReLU, kHardtanh, kHardswish, kReLU6, kSiLU})
        qatPattern({kConv2d, kBatchNorm2d, unary}, false, true);
    qatPattern({kConv2d, kBatchNorm2d}, false, false);
}

void X86Annotator::qatPattern(const std::vector<SourceKind>& kinds, bool hasBinary, bool hasUnary) {
    for (const Sequence& sequence : m_partitions.sequences(kinds)) {
        std::vector<NodeId> outputs;
        for (const SourcePartition* partition : sequence) outputs.push_back(onlyOutput(*partition));
        if (std::find(outputs.begin(), outputs.end(), kNoNode) != outputs.end()) continue;
        Pattern pattern{.layer = outputs[0], .norm = outputs[1]};
        if (hasBinary) pattern.binary = outputs[2];
        if (hasUnary) pattern.unary = outputs.back();
        if (hasBinary && (m_graph.node(pattern.norm).users().size() != 1 || !findExtra(pattern, pattern.norm)))
            continue;
        if (!isConv(pattern.layer, false)) continue;
        if (skips({pattern.unary, pattern.binary, pattern.norm, pattern.layer})) continue;
        annotateLayer(pattern.layer, false);
        const NodeId last = outputs.back();
        if (m_rule->config) {
            if (hasBinary) fresh(pattern.binary, false).setInput(pattern.extra, m_rule->config->input);
            Annotation& end = last == pattern.binary ? m_annotations[last] : fresh(last, false);
            end.output = m_rule->config->output;
            end.isOutputOfPattern = true;
        } else {
            exclude({pattern.binary, pattern.unary, hasBinary || hasUnary ? kNoNode : pattern.norm});
        }
        markAll(sequence);
        say(pattern);
    }
}

/// A linear module with several calls is left to `plainLinears`, as in torchao.
void X86Annotator::layerPattern(Layer layer, const std::vector<SourceKind>& kinds, bool hasBinary) {
    const bool isLinear = layer == Layer::Linear, hasUnary = !hasBinary || kinds.size() == 3;
    for (const Sequence& sequence : m_partitions.sequences(kinds)) {
        std::vector<NodeId> outputs;
        for (const SourcePartition* partition : sequence)
            outputs.push_back(isLinear && partition->outputs.size() != 1 ? kNoNode : onlyOutput(*partition));
        if (std::find(outputs.begin(), outputs.end(), kNoNode) != outputs.end()) continue;
        Pattern pattern{.layer = outputs[0]};
        if (hasBinary) pattern.binary = outputs[1];
        if (hasUnary) pattern.unary = outputs.back();
        if (hasBinary && m_graph.node(pattern.layer).users().size() != 1) continue;
        if (hasBinary && !findExtra(pattern, pattern.layer)) continue;
        if (isLinear ? m_graph.node(pattern.layer).target() != kLinearOp : !isConv(pattern.layer, !hasBinary)) continue;
        if (skips({pattern.unary, pattern.binary, pattern.layer})) continue;
        if (!m_rule->config) {
            exclude({pattern.layer, pattern.binary, pattern.unary});
            continue;
        }
        annotateLayer(pattern.layer, false);
        if (hasBinary) {
            Annotation& sum = fresh(pattern.binary, !hasUnary);
            if (!isLinear) sum.setInput(pattern.extra, m_rule->config->input); // else it stays float, for accuracy
        }
        if (hasUnary) fresh(pattern.unary, true);
        say(pattern);
    }
}

void X86Annotator::plainConvolutions() {
    for (const SourcePartition& partition : m_partitions.of(kConv2d)) {
        const NodeId conv = onlyOutput(partition);
        if (conv == kNoNode) continue;
        if (!isConv(conv, false)) {
            m_warnings.push_back({Message("pt2e.not_an_operator", {{"operator", "aten.conv2d.default"}}),
                                  m_graph.node(conv).name(),
                                  partition.place,
                                  {}});
            continue;
        }
        if (skips({conv})) continue;
        annotateLayer(conv, true);
        say({.layer = conv});
    }
}

void X86Annotator::linears() {
    layerPattern(Layer::Linear, {kLinear, kAdd, kReLU}, true);
    layerPattern(Layer::Linear, {kLinear, kAdd}, true);
    for (const SourceKind& unary : {kReLU, kLeakyReLU, kTanh, kGELU})
        layerPattern(Layer::Linear, {kLinear, unary}, false);
    plainLinears();
}

void X86Annotator::plainLinears() {
    for (const SourcePartition& partition : m_partitions.of(kLinear)) {
        for (const NodeId linear : partition.outputs) {
            if (m_graph.node(linear).target() != kLinearOp) {
                m_warnings.push_back({Message("pt2e.not_an_operator", {{"operator", "aten.linear.default"}}),
                                      m_graph.node(linear).name(),
                                      partition.place,
                                      {}});
                continue;
            }
            if (skips({linear})) continue;
            annotateLayer(linear, true);
            say({.layer = linear});
        }
    }
}

} // namespace fx::quant::pt2e
