// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <unordered_map>

namespace fx::quant::pt2e {

/// Nodes that one module or function of the source became. Mirrors torch.fx's SourcePartition.
struct SourcePartition {
    std::string source; ///< "torch.nn.modules.conv.Conv2d", "add_"
    std::string place;  ///< module path, or the name of the function's call
    std::vector<NodeId> nodes;
    std::vector<NodeId> outputs; ///< nodes with users outside, in graph order
};

/// A wanted source with what torchao takes for the same: `Conv2d`, or `add` for all of `+`, `+=`, torch.add.
/// Programs that were loaded from a file know modules by the names of their classes, and of functions only
/// `add`, `add_`, `mul` and `mul_` are ever asked for.
struct SourceKind {
    std::string name;                 ///< for people and messages: "Conv2d"
    std::vector<std::string> classes; ///< class paths
    std::vector<std::string> calls;   ///< names of functions in `torch_fn`
};

/// Partitions of one graph by kind of source; each kind is computed once.
///
/// torch.fx `get_source_partitions` and torchao `find_sequential_partitions`, which tries all combinations; this one
/// follows users, so that it takes time in proportion to nodes and results. A module that is called several times is
/// one partition with several outputs.
class SourcePartitions {
public:
    /// How calls of one module are taken: as one partition, as torchao does, or each for itself.
    enum class Calls : std::uint8_t { Together, Apart };
    explicit SourcePartitions(const Graph& graph, Calls calls = Calls::Together) : m_graph(graph), m_calls(calls) {}

    Calls calls() const { return m_calls; }
    const std::vector<SourcePartition>& of(const SourceKind& kind);
    /// All sequences of partitions of these kinds in which each feeds the next, in torchao's order.
    std::vector<std::vector<const SourcePartition*>> sequences(const std::vector<SourceKind>& kinds);

private:
    struct Found {
        std::vector<SourcePartition> partitions;
        std::unordered_map<NodeId, std::size_t> partitionOf;
    };
    const Found& found(const SourceKind& kind);

    const Graph& m_graph;
    const Calls m_calls;
    std::unordered_map<std::string, Found> m_found; ///< by name of the kind
};

} // namespace fx::quant::pt2e
