// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/base/cow_chunks.h"
#include "core/ir/namespace.h"
#include "core/ir/node_names.h"

#include <set>
#include <span>

namespace fx {

/// Where `createNode` puts new nodes.
struct InsertPoint {
    enum class Side : std::uint8_t { Before, After };
    Side side = Side::Before;
    NodeId anchor = kNoNode; ///< kNoNode: Before = at the end of the graph, After = at its start
};

/// Nodes in which two versions of a graph may differ, by rising ids; few when one was made from the other.
struct GraphDifference {
    std::vector<NodeId> nodes;  ///< in name, arguments, users...; new and erased ones
    std::vector<NodeId> places; ///< in the order of the graph
};

/// A torch.fx Graph: an ordered list of nodes with args, users and unique names.
///
/// Nodes are addressed by NodeId and live in chunks that copies share, so copying a Graph is a snapshot in O(1);
/// a snapshot may be read on another thread while the original changes. Order keys make `isBefore` O(1). Not
/// synchronised otherwise. Mirrors names, order of users and effects of torch.fx 2.13.
class Graph {
public:
    Graph();

    // ── reading ──────────────────────────────────────────────────────────────────────────────────────────────
    std::size_t size() const { return m_size; }            ///< nodes in the graph, `len(graph.nodes)`
    std::size_t idLimit() const { return m_nodes.size(); } ///< all ids are below this
    const Node& node(NodeId id) const { return m_nodes[index(id)]; }
    NodeId first() const { return m_links[0].next == 0 ? kNoNode : fromLink(m_links[0].next); }
    NodeId last() const { return m_links[0].prev == 0 ? kNoNode : fromLink(m_links[0].prev); }
    NodeId next(NodeId id) const { return fromLink(m_links[index(id) + 1].next); } ///< kNoNode after the last
    NodeId prev(NodeId id) const { return fromLink(m_links[index(id) + 1].prev); } ///< kNoNode before the first
    bool isBefore(NodeId a, NodeId b) const { return m_links[index(a) + 1].key < m_links[index(b) + 1].key; }
    /// The node with this name, or kNoNode. O(1).
    NodeId find(std::string_view name) const;
    /// False if `setNameUnchecked` has given two nodes the same name. O(1).
    bool namesAreUnique() const { return m_byName.size() == m_size; }
    /// The last node if it is an output, else kNoNode.
    NodeId outputNode() const;

    /// Iterates nodes in graph order: `for (const Node& node : graph.nodes())`.
    class NodeRange;
    NodeRange nodes() const;
    /// All node ids in graph order.
    std::vector<NodeId> order() const;

    /// What may differ from another version, from which parts are shared. O(result + n / 2048) after few changes.
    GraphDifference differenceFrom(const Graph& other) const;
    /// Ids in graph order; erased ones are left out.
    std::vector<NodeId> inOrder(std::vector<NodeId> ids) const;

    /// A graph with the same ids where only nodes without inputs that `keeps` are left; nothing else has their names or
    /// users. As if the others were erased one by one, but nothing of them is copied.
    Graph withOnly(const std::function<bool(const Node&)>& keeps) const;

    // ── creating ─────────────────────────────────────────────────────────────────────────────────────────────
    /// torch.fx `create_node`. If `name` is empty, the name is derived from the target; otherwise it is the candidate.
    NodeId createNode(Op op, std::string target, std::vector<Argument> args = {}, Kwargs kwargs = {},
                      std::string_view name = {}, TypePtr type = {});
    NodeId callFunction(CallablePtr callable, std::vector<Argument> args = {}, Kwargs kwargs = {},
                        std::string_view name = {}, TypePtr type = {});
    NodeId placeholder(std::string target, std::vector<Argument> defaultValue = {}, TypePtr type = {},
                       std::string_view name = {});
    NodeId output(Argument value, TypePtr type = {});
    void setInsertPoint(InsertPoint point) { m_insert = point; }
    InsertPoint insertPoint() const { return m_insert; }

    // ── changing ─────────────────────────────────────────────────────────────────────────────────────────────
    // Any assignment of args or kwargs moves the node to the end of the users of all its inputs, as in torch.fx.
    void setArgs(NodeId id, std::vector<Argument> args);
    void setKwargs(NodeId id, Kwargs kwargs);
    void setArgsKwargs(NodeId id, std::vector<Argument> args, Kwargs kwargs);
    void setTarget(NodeId id, std::string target);
    void setCallable(NodeId id, CallablePtr callable);
    /// `node.op = ...; node.target = ...`, together: `callable` for call_function, `target` otherwise.
    void setCall(NodeId id, Op op, std::string target, CallablePtr callable);
    void setType(NodeId id, TypePtr type);
    void setMeta(NodeId id, MetaPtr meta);
    /// torch.fx `_rename`: through the namespace. Returns the name given.
    std::string rename(NodeId id, std::string_view candidate);
    /// Gives the node exactly this name (`node.name = ...`), without reserving or releasing a name; lint reports a
    /// clash.
    void setNameUnchecked(NodeId id, std::string name);
    /// torch.fx `prepend`/`append`: moves `id` directly before/after `anchor`; no-op if they are the same node.
    void moveBefore(NodeId id, NodeId anchor);
    void moveAfter(NodeId id, NodeId anchor);
    /// torch.fx `replace_all_uses_with`: returns the changed users, in order. Users for which `keep` returns true stay
    /// unchanged.
    std::vector<NodeId> replaceAllUses(NodeId id, NodeId with, const std::function<bool(NodeId user)>& keep = {});
    /// torch.fx `erase_node`. Throws Error{Refused} with the names of remaining users. The id can still be read, as
    /// erased.
    void erase(NodeId id);

    /// Sets the order of a node's users, for loading and undo. Returns false, without changes, if `order` does not list
    /// each user exactly once.
    bool setUsersOrder(NodeId id, std::span<const NodeId> order);

    Namespace& names() { return m_names; }
    const Namespace& names() const { return m_names; }

private:
    /// Names belong to the node that had them first; when that goes, to the oldest of its namesakes.
    void takeName(NodeId id);
    void releaseName(NodeId id);
    struct Link {
        std::uint32_t prev = 0, next = 0; ///< index + 1 of the neighbour; 0 is the root
        std::int64_t key = 0;
    };
    static NodeId fromLink(std::uint32_t link) { return link == 0 ? kNoNode : static_cast<NodeId>(link - 1); }
    NodeId insertNew(Op op, std::string target, CallablePtr callable, std::vector<Argument> args, Kwargs kwargs,
                     TypePtr type, std::string_view candidate);
    void link(NodeId id, std::uint32_t prev);
    void unlink(NodeId id);
    std::int64_t makeKey(std::uint32_t prev, std::uint32_t next);
    void relabelAround(std::uint32_t link);
    void replaceInputs(NodeId id, std::vector<Argument> args, Kwargs kwargs);
    std::uint32_t insertAfterLink() const;

    CowChunks<Node> m_nodes;
    CowChunks<Link, 256> m_links; ///< entry 0 is the root; node i is entry i + 1
    NodeNames m_byName;
    std::set<std::pair<std::string, NodeId>> m_namesakes; ///< nodes whose name another one has in m_byName
    Namespace m_names;
    InsertPoint m_insert;
    std::size_t m_size = 0;
};

/// Forward range over the nodes of a graph, in graph order. The graph must not change during iteration.
class Graph::NodeRange {
public:
    class Iterator {
    public:
        Iterator(const Graph* graph, NodeId id) : m_graph(graph), m_id(id) {}
        const Node& operator*() const { return m_graph->node(m_id); }
        Iterator& operator++() {
            m_id = m_graph->next(m_id);
            return *this;
        }
        bool operator==(const Iterator& other) const { return m_id == other.m_id; }

    private:
        const Graph* m_graph;
        NodeId m_id;
    };
    explicit NodeRange(const Graph& graph) : m_graph(&graph) {}
    Iterator begin() const { return {m_graph, m_graph->first()}; }
    Iterator end() const { return {m_graph, kNoNode}; }

private:
    const Graph* m_graph;
};
inline Graph::NodeRange Graph::nodes() const { return NodeRange(*this); }

} // namespace fx
