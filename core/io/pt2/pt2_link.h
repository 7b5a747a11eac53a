// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/pt2/pt2_json.h"
#include "core/ir/graph.h"

namespace fx {

/// Maps nodes of an edited graph to nodes of the graph as it was read: by identity, and by name if a pass has rebuilt
/// the graph.
class Pt2Link {
public:
    /// Keeps references to both graphs, which must outlive this object.
    Pt2Link(const Graph& before, const Graph& now);

    /// Returns the original node, or kNoNode if the node is new.
    NodeId before(NodeId now) const;
    /// Returns true if the value is unchanged apart from names.
    bool same(const Argument& before, const Argument& now) const;
    bool same(const Node& before, const Node& now) const; ///< compares only arguments
    /// New names of values. Erased nodes get a replacement if a different node has taken their name.
    const Pt2Renames& renames() const { return m_renames; }

private:
    void link(NodeId before, NodeId now);
    void linkNodes();
    void linkGetItems();
    void findRenames();

    const Graph &m_graphBefore, &m_graphNow;
    std::unordered_map<std::uint32_t, NodeId> m_before, m_now;
    Pt2Renames m_renames;
};

/// Returns the index that an `operator.getitem` node reads from a node with several results, or -1.
std::int64_t getItemPlace(const Node& node);

} // namespace fx
