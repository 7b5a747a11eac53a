// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <unordered_map>

namespace fx::quant::pt2e {

/// The nodes traced from one module or function of the source. Mirrors torch.fx's SourcePartition.
struct SourcePartition {
    std::string source;          ///< "torch.nn.modules.conv.Conv2d", "add_"
    std::string place;           ///< module path, or the name of the function's call
    std::vector<NodeId> nodes;   ///< in graph order
    std::vector<NodeId> outputs; ///< nodes with users outside, in graph order
};

/// A source to search for, with the names that torchao treats as equal: `Conv2d`, or `add` for `+`, `+=` and
/// torch.add. Programs loaded from a file identify modules by class name; among functions, the quantizer only searches
/// for `add`, `add_`, `mul` and `mul_`.
struct SourceKind {
    std::string name;                 ///< for messages: "Conv2d"
    std::vector<std::string> classes; ///< class paths
    std::vector<std::string> calls;   ///< names of functions in `torch_fn`
};

/// The partitions of one graph, by kind of source; each kind is computed once.
///
/// Mirrors torch.fx `get_source_partitions` and torchao `find_sequential_partitions`. torchao tries all combinations;
/// this class follows users, in time proportional to nodes and results. A module with several calls is one partition
/// with several outputs.
class SourcePartitions {
public:
    /// Together: all calls of a module form one partition, as in torchao. Apart: each call forms one.
    enum class Calls : std::uint8_t { Together, Apart };
    explicit SourcePartitions(const Graph& graph, Calls calls = Calls::Together) : m_graph(graph), m_calls(calls) {}

    /// The grouping of calls passed to the constructor.
    Calls calls() const { return m_calls; }
    /// Returns the partitions of one kind of source.
    const std::vector<SourcePartition>& of(const SourceKind& kind);
    /// Returns all sequences of partitions of these kinds in which each feeds the next, in torchao's order.
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
