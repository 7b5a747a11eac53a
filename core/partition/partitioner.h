// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/partition/assignment.h"
#include "core/partition/operator_support.h"

namespace fx {

class WayBack;

/// Nodes that become one module.
struct Partition {
    std::uint32_t id = 0;      ///< torch.fx's number of it; not its place in the list
    std::vector<NodeId> nodes; ///< in graph order; getitems that followed their producer stand last
};

/// What the constructor of CapabilityBasedPartitioner takes. Operators by qualified name, in any spelling.
struct PartitionerOptions {
    bool allowsSingleNodePartition = false;
    std::vector<std::string> nonComputeOps;
    std::vector<std::string> allowedSingleNodePartitionOps;
    bool skipHorizontalFusion = false;
};

/// Why a call is in no partition.
struct UnassignedNode {
    enum class Reason : std::uint8_t {
        Unsupported, ///< `rule` says by which rule
        SingleNode,  ///< its partition had less than two operators that compute, and none beside it
        NonCompute,  ///< it stood at an end of its partition and computes nothing
        Cycle,       ///< as SingleNode; merging it with the partition beside it would close `cycle`
    };
    NodeId node = kNoNode;
    Reason reason = Reason::Unsupported;
    Message rule;              ///< why, in words
    NodeId follows = kNoNode;  ///< a getitem goes where its producer goes: that node; the reason is the producer's
    std::vector<NodeId> cycle; ///< as in NotMerged
};
std::string_view reasonName(UnassignedNode::Reason reason);

/// Two partitions beside each other that are not one: `a` is the one that comes first. Places in the list of
/// partitions.
struct NotMerged {
    std::size_t a = 0, b = 0;
    /// The way out of both and back that merging them would close: from a node of `a` over nodes of neither to a node
    /// of `b`. Each step is an edge of the graph, or goes from one node to another of the same third partition. Empty
    /// when nothing forbids to merge them: torch.fx did not try, or not again after what stood between them was merged.
    std::vector<NodeId> cycle;
};

/// torch.fx 2.13's CapabilityBasedPartitioner: which supported nodes go into one module. Same partitions, same order.
///
/// O(nodes + edges); with skipHorizontalFusion see assignVertically. The model must not change while this lives.
/// Reasons come from what the partitioner decided by, not from a second look at the result.
class CapabilityBasedPartitioner {
public:
    CapabilityBasedPartitioner(const GraphModule& model, const OperatorSupportBase& support,
                               PartitionerOptions options = {});

    /// torch.fx `propose_partitions`. Throws Error{Refused} when nodes stand before their inputs, and where torch.fx
    /// would never end: a getitem with two producers that want it in different partitions.
    std::vector<Partition> proposePartitions(const Progress& progress = {});
    /// torch.fx `remove_bookend_non_compute_ops`: nonComputeOps at the ends of partitions leave them. Partitions may
    /// become empty.
    void removeBookendNonComputeOps(std::vector<Partition>& partitions);

    std::size_t supportedCount() const;
    /// The calls that are in none of `partitions`, in graph order, and why. After proposePartitions.
    std::vector<UnassignedNode> unassigned(const std::vector<Partition>& partitions) const;
    /// The pairs beside each other, joined by an edge or by nodes of no partition. Linear, and the length of the
    /// cycles.
    std::vector<NotMerged> notMerged(const std::vector<Partition>& partitions) const;

private:
    /// The partitions of torch.fx's dictionaries while they change.
    struct Member {
        NodeId node;
        std::uint32_t stamp; ///< of the last time that the node was put somewhere
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
    Assignment m_assignment; ///< groupOf as it is before small groups are dropped
    std::vector<std::vector<Member>> m_groups;
    std::vector<std::uint32_t> m_stamps; ///< by node id
    std::vector<NodeId> m_follows;       ///< by node id: the producer that a getitem was moved to
    std::vector<bool> m_trimmed;         ///< by node id: taken away by removeBookendNonComputeOps
};

} // namespace fx
