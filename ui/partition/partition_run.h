// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/steps/step_list.h"
#include "core/partition/partition_model.h"
#include "ui/partition/support_draft.h"

#include <optional>
#include <unordered_map>

namespace ui {

/// A query of the Partition panel.
struct PartitionQuery {
    QByteArray rules;               ///< RULES.json
    fx::NamedPartitions assignment; ///< manual partitions instead of the rules, unless empty
    bool allowSingle = false, trimEnds = false, noHorizontal = false; ///< options of the partitioner
    std::vector<std::string> nonCompute; ///< torch.fx `non_compute_ops`: trimmed from the ends of partitions
    bool operator==(const PartitionQuery&) const = default;
};

/// The result of partitioning a model.
struct PartitionOutcome {
    fx::PartitionReport report;            ///< partitions and unassigned calls
    std::optional<fx::Error> error;        ///< invalid rules, or a failure on the model
    std::vector<std::int32_t> partitionOf; ///< by node id; -1: no partition
    std::vector<std::int32_t> refusalOf;   ///< by node id: index in `report.unassigned`, or -1
    double millis = 0;                     ///< time of the partitioner alone

    /// Returns the partition of a node, or -1.
    int partition(fx::NodeId node) const {
        return fx::index(node) < partitionOf.size() ? partitionOf[fx::index(node)] : -1;
    }
    /// Returns why a node is in no partition, or null.
    const fx::UnassignedNode* refusal(fx::NodeId node) const {
        return fx::index(node) < refusalOf.size() && refusalOf[fx::index(node)] >= 0
                   ? &report.unassigned[static_cast<std::size_t>(refusalOf[fx::index(node)])]
                   : nullptr;
    }
};

/// The groups of the layout around the nodes, parents before children.
struct DrawnGroups {
    std::vector<std::string> paths;    ///< by group
    std::vector<std::int32_t> parents; ///< by group; -1: top level
    std::vector<std::int32_t> groupOf; ///< by node id; -1: not drawn as a node
    /// Returns the number of calls of each partition (-1: no partition) in each group, at any depth. O(nodes * depth).
    std::unordered_map<std::string, std::vector<std::pair<int, std::uint32_t>>> shares(
        const fx::Graph& graph, const PartitionOutcome& outcome) const;
};
/// Returns the groups of a model. Throws fx::Error{Cancelled}.
DrawnGroups drawnGroups(const fx::GraphModule& model, const fx::Progress& progress);

/// Partitions a model without changing it. Reports errors in the result. Thread-safe. Throws fx::Error{Cancelled}.
PartitionOutcome runPartition(const fx::GraphModule& model, const PartitionQuery& query, const fx::Progress& progress);

/// Recomputes the bytes that cross borders with the shapes in `shown`, the same version with known shapes.
void countBytes(fx::PartitionReport& report, const fx::GraphModule& shown);

/// Describes the difference between two partitionings of a model: "2 partitions → 1: 0 and 1 merge; 3 more nodes".
QString differenceInWords(const PartitionOutcome& before, const PartitionOutcome& after);
/// Explains why a call is not in a partition. `ticked`: the rules consist only of ticks, so there is no line of a file
/// to report.
QString refusalInWords(const fx::Graph& graph, const fx::UnassignedNode& refusal, bool ticked = false);

/// Returns the badge on the canvas for an unassigned call.
std::string badgeOf(fx::UnassignedNode::Reason reason);

/// Returns the step that turns the partitions of `query` into modules: fuses them, or splits the model.
fx::StepList partitionStep(const PartitionQuery& query, bool splits);
/// Returns the names of the nodes of each partition.
fx::NamedPartitions namesOf(const fx::Graph& graph, const std::vector<fx::Partition>& partitions);

} // namespace ui
