// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/layout/grouping.h"
#include "core/layout/hierarchy.h"

#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace fx {

/// Converts the tree of a Grouping to levels: sorts the content of each group topologically, splits groups that would
/// form a cycle, dissolves groups with one node, and cuts long levels into artificial groups.
///
/// Visits every node once per enclosing group, so the cost is (nodes + edges) × depth.
class LevelSplitter {
public:
    LevelSplitter(const GraphModule& module, Grouping& grouping, const Progress& progress);

    /// The content of a group.
    struct Level {
        std::string title;
        bool artificial = false;      ///< a part of a level without a module path
        std::vector<LevelItem> items; ///< groups by their index in `grouping.groups`
    };
    /// Returns one level per group of the grouping, which it extends. Unreachable groups were dissolved.
    std::vector<Level> run();

private:
    using Nodes = std::vector<NodeId>;
    struct Work {
        std::uint32_t group = 0;
        Nodes nodes; ///< all drawn nodes inside, in graph order
    };
    struct Partition {
        std::vector<LevelItem> items;                ///< in order of their first nodes
        std::vector<Nodes> nodes;                    ///< by item
        std::vector<std::vector<std::uint32_t>> out; ///< edges between items, in order, possibly repeated
    };
    void process(Work work);
    Partition partition(const Work& work);
    std::vector<std::uint32_t> sorted(const Partition& partition) const;
    void splitCycles(const Work& work, const Partition& partition, const std::vector<std::uint32_t>& sorted);
    void nameLoneRuns(const Partition& partition);
    std::uint32_t cloneFor(std::uint32_t group, std::uint32_t child, std::uint32_t copy);
    std::optional<std::size_t> numberOf(const LevelItem& item) const;
    std::string pieceTitle(const Partition& parts, const std::vector<std::uint32_t>& order, std::size_t begin,
                           std::size_t end) const;
    void fill(std::uint32_t group, Partition& partition, const std::vector<std::uint32_t>& order);
    std::uint32_t newGroup(std::string path, std::string title, std::uint32_t parent);

    const Graph& m_graph;
    Grouping& m_grouping;
    const Progress& m_progress;
    std::vector<Level> m_levels;
    std::vector<Work> m_work;
    std::vector<std::uint32_t> m_item, m_stamp; ///< by node id: its item in the level being processed
    std::unordered_set<std::string> m_paths;
    std::unordered_map<std::uint32_t, std::uint32_t> m_cloneOf; ///< from a run of a group to the group
};

} // namespace fx
