// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/partition/assignment.h"
#include "core/partition/operator_support.h"

namespace fx {

class WayBack;

/// A group of nodes that becomes one module.
struct Partition {
    std::uint32_t id = 0;      ///< torch.fx's id; not the index in the list
    std::vector<NodeId> nodes; ///< in graph order; a `getitem` that follows its producer comes last
};

/// The constructor arguments of CapabilityBasedPartitioner. Operators are qualified names, in any spelling.
struct PartitionerOptions {
    bool allowsSingleNodePartition = false;                 ///< keep partitions with one computing operator
    std::vector<std::string> nonComputeOps;                 ///< operators that do not count as computing
    std::vector<std::string> allowedSingleNodePartitionOps; ///< operators that may form a partition alone
    bool skipHorizontalFusion = false;                      ///< see assignVertically
};

/// The reason why a call is not in a partition.
struct UnassignedNode {
    enum class Reason : std::uint8_t {
        Unsupported, ///< rejected by `rule`
        SingleNode,  ///< its partition has fewer than two computing operators, and no neighbouring partition
        NonCompute,  ///< a non-compute operator at the end of its partition
        Cycle,       ///< as SingleNode; merging with a neighbouring partition would create `cycle`
    };
    NodeId node = kNoNode;
    Reason reason = Reason::Unsupported;
    Message rule;              ///< for Unsupported: the rule that rejects the node
    NodeId follows = kNoNode;  ///< of a `getitem`: its producer, to which the reason applies
    std::vector<NodeId> cycle; ///< as in NotMerged
};
/// Returns the name of a reason in reports.
std::string_view reasonName(UnassignedNode::Reason reason);

/// Two neighbouring partitions that were not merged, as indices in the list of partitions; `a` comes first.
struct NotMerged {
    std::size_t a = 0, b = 0;
    /// The path that merging would turn into a cycle: from a node of `a` through nodes of neither to a node of `b`.
    /// Each step is an edge of the graph, or leads from one node to another of the same third partition. Empty if they
    /// can be merged: torch.fx did not try, or did not try again after merging what was between them.
    std::vector<NodeId> cycle;
};

/// Groups supported nodes into modules. Mirrors torch.fx 2.13's CapabilityBasedPartitioner, with the same partitions
/// in the same order.
///
/// O(nodes + edges); with skipHorizontalFusion see assignVertically. The model must not change during the lifetime of
/// this object. Reasons are recorded while partitioning, not derived from the result.
class CapabilityBasedPartitioner {
public:
    /// `model` and `support` must outlive this object.
    CapabilityBasedPartitioner(const GraphModule& model, const OperatorSupportBase& support,
                               PartitionerOptions options = {});

    /// Mirrors torch.fx's `propose_partitions`. Throws Error{Refused} if nodes come before their inputs, and where
    /// torch.fx would not terminate: for a `getitem` with two producers in different partitions.
    std::vector<Partition> proposePartitions(const Progress& progress = {});
    /// Removes nonComputeOps from the ends of partitions, which may become empty. Mirrors torch.fx's
    /// `remove_bookend_non_compute_ops`.
    void removeBookendNonComputeOps(std::vector<Partition>& partitions);

    /// The number of supported nodes. Call after proposePartitions.
    std::size_t supportedCount() const;
    /// Returns the calls outside `partitions`, in graph order, with the reason. Call after proposePartitions.
    std::vector<UnassignedNode> unassigned(const std::vector<Partition>& partitions) const;
    /// Returns the neighbouring pairs, which an edge or nodes without a partition connect. Linear, plus the length of
    /// the cycles.
    std::vector<NotMerged> notMerged(const std::vector<Partition>& partitions) const;

private:
    /// The state of torch.fx's partition dictionaries.
    struct Member {
        NodeId node;
        std::uint32_t stamp; ///< time of the node's last assignment
    };
    void checkOrder() const;
    void collectGroups();
    void reassignGetitems(const Progress& progress);
    struct Move {
        NodeId node, producer;
        std::int32_t group;
    };
    std::vector<Move> wrongGetitems(const std::vector<NodeId>& producers) const;
    std::size_t computeNodes(const std::vector<NodeId>& nodes) const;
    bool isNonCompute(const Node& node) const;
    std::vector<NodeId> cycleBetween(const std::vector<std::int32_t>& placeOf, WayBack& ways, std::int32_t a,
                                     std::int32_t b, NodeId from) const;
    UnassignedNode explainDropped(WayBack& ways, std::int32_t group) const;

    const GraphModule& m_model;
    const Graph& m_graph;
    const OperatorSupportBase& m_support;
    PartitionerOptions m_options;
    std::vector<bool> m_isSupported;
    std::vector<bool> m_isGetitem;
    Assignment m_assignment; ///< `groupOf` as before small groups are dropped
    std::vector<std::vector<Member>> m_groups;
    std::vector<std::uint32_t> m_stamps; ///< by node id
    std::vector<NodeId> m_follows;       ///< by node id: the producer that a `getitem` follows
    std::vector<bool> m_trimmed;         ///< by node id: removed by removeBookendNonComputeOps
};

} // namespace fx
