// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/partition/partition_model.h"
#include "ui/partition/support_draft.h"

#include <optional>
#include <unordered_map>

namespace ui {

/// A query of the Partition panel.
struct PartitionQuery {
    QByteArray rules;               ///< RULES.json
    fx::NamedPartitions assignment; ///< if not empty, manual partitions instead of the rules
    bool allowSingle = false, trimEnds = false, noHorizontal = false;
    std::vector<std::string> nonCompute;
    bool operator==(const PartitionQuery&) const = default;
};

struct PartitionOutcome {
    fx::PartitionReport report;
    std::optional<fx::Error> error;        ///< of the rules or of the model
    std::vector<std::int32_t> partitionOf; ///< by node id; -1 if none
    std::vector<std::int32_t> refusalOf;   ///< by node id: index in report.unassigned, or -1
    double millis = 0;                     ///< of the partitioner alone

    int partition(fx::NodeId node) const {
        return fx::index(node) < partitionOf.size() ? partitionOf[fx::index(node)] : -1;
    }
    const fx::UnassignedNode* refusal(fx::NodeId node) const {
        return fx::index(node) < refusalOf.size() && refusalOf[fx::index(node)] >= 0
                   ? &report.unassigned[static_cast<std::size_t>(refusalOf[fx::index(node)])]
                   : nullptr;
    }
};

/// The groups of the layout that contain the nodes, parents before children.
struct DrawnGroups {
    std::vector<std::string> paths;
    std::vector<std::int32_t> parents; ///< -1 if none
    std::vector<std::int32_t> groupOf; ///< by node id; -1 if not drawn as a node
    /// The number of calls of each partition (-1 for none) in each group, at any depth. O(nodes * depth).
    std::unordered_map<std::string, std::vector<std::pair<int, std::uint32_t>>> shares(
        const fx::Graph& graph, const PartitionOutcome& outcome) const;
};
DrawnGroups drawnGroups(const fx::GraphModule& model, const fx::Progress& progress);

/// Partitions a model without changing it; errors are part of the result. Any thread. Throws fx::Error{Cancelled}.
PartitionOutcome runPartition(const fx::GraphModule& model, const PartitionQuery& query, const fx::Progress& progress);

/// Recomputes the bytes that cross borders with the shapes in `shown`, which is the same version with known shapes.
void countBytes(fx::PartitionReport& report, const fx::GraphModule& shown);

/// The difference between two partitionings of a model, in words: "2 partitions → 1: 0 and 1 merge; 3 more nodes".
QString differenceInWords(const PartitionOutcome& before, const PartitionOutcome& after);
/// Why a call is not in a partition, in words; `ticked`: the rules are only ticks, so there is no line of a file to
/// report.
QString refusalInWords(const fx::Graph& graph, const fx::UnassignedNode& refusal, bool ticked = false);

/// The badge on the canvas for an unassigned call.
std::string badgeOf(fx::UnassignedNode::Reason reason);

/// The step that turns the partitions of `query` into modules: fuses them, or splits the model.
QByteArray partitionStep(const PartitionQuery& query, bool splits);
/// The names of the nodes of each partition.
fx::NamedPartitions namesOf(const fx::Graph& graph, const std::vector<fx::Partition>& partitions);

} // namespace ui
