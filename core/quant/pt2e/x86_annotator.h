// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/pt2e/source_partitions.h"
#include "core/quant/pt2e/x86_quantizer.h"

#include <functional>
#include <span>

namespace fx::quant::pt2e {

/// One rule of an X86Quantizer at work on a graph: mirrors `_annotate_with_config` and what it calls.
///
///   convolutions   conv (+ bn) + add + relu, conv + add, conv + relu…, conv     (bn only in QAT)
///   linear layers  linear + add (+ relu), linear + relu…, linear
///   matmul, mul    both inputs
///   propagation    pools, cat and flatten behind something quantised
class X86Annotator {
public:
    struct Rule {
        X86ConfigPtr config; ///< null: what it selects is not quantised
        std::string name;    ///< "global", "module b.c1"
        /// Whether the rule is for the nodes of a pattern.
        std::function<bool(std::span<const NodeId>)> accepts;
    };

    X86Annotator(const Graph& graph, SourcePartitions& partitions, Annotations& annotations, Warnings& warnings)
        : m_graph(graph), m_partitions(partitions), m_annotations(annotations), m_warnings(warnings) {}

    void apply(const Rule& rule);
    /// Pools and their like give what they get: they share the observer of their input.
    void shareOutputs();

private:
    using Sequence = std::vector<const SourcePartition*>;
    enum class Layer : std::uint8_t { Convolution, Linear };
    /// Nodes of a pattern: layer [, normalisation] [, addition] [, activation].
    struct Pattern {
        NodeId layer = kNoNode, norm = kNoNode, binary = kNoNode, unary = kNoNode, extra = kNoNode;
    };

    void convolutions();
    void qatConvolutions();
    void qatPattern(const std::vector<SourceKind>& kinds, bool hasBinary, bool hasUnary);
    void convPattern(const std::vector<SourceKind>& kinds, bool hasBinary);
    void plainConvolutions();
    void linears();
    void linearPattern(const std::vector<SourceKind>& kinds, bool hasBinary);
    void plainLinears();
    void calls(std::string_view target, bool needsEqualShapes);
    void propagate(const Node& node);
    void pool(const Node& node);
    void concatenation(const Node& node);

    bool skips(std::initializer_list<NodeId> nodes) const;
    bool skipsNodes(std::span<const NodeId> nodes) const;
    bool isAnnotated(NodeId id) const;
    bool isQuantised(NodeId id) const;
    NodeId onlyOutput(const SourcePartition& partition) const;
    /// The other input of an addition that `layer` feeds; nothing where torchao raises.
    bool findExtra(Pattern& pattern, NodeId producer);
    bool isConv(NodeId id, bool alsoOneDimension) const;

    Annotation& fresh(NodeId id, bool isOutput);
    void exclude(std::initializer_list<NodeId> nodes);
    void annotateLayer(NodeId id, bool isOutput);
    void annotateActivation(const Pattern& pattern);
    void markAll(const Sequence& sequence);
    void say(const Pattern& pattern);

    const Graph& m_graph;
    SourcePartitions& m_partitions;
    Annotations& m_annotations;
    Warnings& m_warnings;
    const Rule* m_rule = nullptr;
};

/// Thrown inside the quantizer where torchao raises for a module with several calls.
struct SeveralCalls {
    std::string place;
};

} // namespace fx::quant::pt2e
