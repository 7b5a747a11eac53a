// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/pt2e/source_partitions.h"
#include "core/quant/pt2e/x86_quantizer.h"

#include <functional>
#include <span>

namespace fx::quant::pt2e {

/// Applies one rule of an X86Quantizer to a graph. Mirrors `_annotate_with_config` and its callees.
///
///   convolutions   conv (+ bn) + add + relu, conv + add, conv + relu…, conv     (bn only in QAT)
///   linear layers  linear + add (+ relu), linear + relu…, linear
///   matmul, mul    both inputs
///   propagation    pools, cat and flatten after a quantised node
class X86Annotator {
public:
    /// One configuration and the nodes that it applies to.
    struct Rule {
        X86ConfigPtr config; ///< null: excludes the selected nodes from quantisation
        std::string name;    ///< "global", "module b.c1"
        /// True if the rule applies to the nodes of a pattern.
        std::function<bool(std::span<const NodeId>)> accepts;
    };

    /// All arguments must outlive this object.
    X86Annotator(const Graph& graph, SourcePartitions& partitions, Annotations& annotations, Warnings& warnings)
        : m_graph(graph), m_partitions(partitions), m_annotations(annotations), m_warnings(warnings) {}

    /// Annotates all patterns that the rule accepts.
    void apply(const Rule& rule);
    /// Makes pools and similar operators share the observer of their input.
    void shareOutputs();

private:
    using Sequence = std::vector<const SourcePartition*>;
    enum class Layer : std::uint8_t { Convolution, Linear };
    /// The nodes of a pattern: layer [, normalisation] [, addition] [, activation].
    struct Pattern {
        NodeId layer = kNoNode, norm = kNoNode, binary = kNoNode, unary = kNoNode, extra = kNoNode;
    };

    void convolutions();
    void qatConvolutions();
    void qatPattern(const std::vector<SourceKind>& kinds, bool hasBinary, bool hasUnary);
    void plainConvolutions();
    void linears();
    void layerPattern(Layer layer, const std::vector<SourceKind>& kinds, bool hasBinary);
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
    /// Finds the other input of an addition that `layer` feeds; false where torchao raises.
    bool findExtra(Pattern& pattern, NodeId producer);
    bool isConv(NodeId id, bool alsoOneDimension) const;

    Annotation& fresh(NodeId id, bool isOutput);
    void exclude(std::initializer_list<NodeId> nodes);
    void annotateLayer(NodeId id, bool isOutput);
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
    std::string place; ///< path of the module
};

} // namespace fx::quant::pt2e
