// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/base/cow_chunks.h"
#include "core/ir/namespace.h"
#include "core/ir/node_names.h"

#include <set>
#include <span>

namespace fx {

/// The position at which `createNode` inserts new nodes.
struct InsertPoint {
    enum class Side : std::uint8_t { Before, After };
    Side side = Side::Before; ///< relative to `anchor`
    NodeId anchor = kNoNode;  ///< kNoNode: Before is the end of the graph, After its start
};

/// The nodes in which two versions of a graph may differ, in ascending order of ids. Few if one version was derived
/// from the other.
struct GraphDifference {
    std::vector<NodeId> nodes;  ///< may differ in name, arguments, users, …; includes new and erased nodes
    std::vector<NodeId> places; ///< may differ in their position in the graph
};

/// A torch.fx Graph: an ordered list of nodes with args, users and unique names.
///
/// Nodes are addressed by NodeId and stored in copy-on-write chunks, so copying a Graph is an O(1) snapshot. Another
/// thread may read a snapshot while the original changes; there is no other synchronisation. Order keys make `isBefore`
/// O(1). Names, the order of users and the effects of edits match torch.fx 2.13.
class Graph {
public:
    Graph();

    // ── reading ──────────────────────────────────────────────────────────────────────────────────────────────
    std::size_t size() const { return m_size; }            ///< nodes in the graph, `len(graph.nodes)`
    std::size_t idLimit() const { return m_nodes.size(); } ///< greater than every id
    /// The node with this id, which may be erased.
    const Node& node(NodeId id) const { return m_nodes[index(id)]; }
    /// The first node in graph order, or kNoNode.
    NodeId first() const { return m_links[0].next == 0 ? kNoNode : fromLink(m_links[0].next); }
    /// The last node in graph order, or kNoNode.
    NodeId last() const { return m_links[0].prev == 0 ? kNoNode : fromLink(m_links[0].prev); }
    NodeId next(NodeId id) const { return fromLink(m_links[index(id) + 1].next); } ///< kNoNode after the last
    NodeId prev(NodeId id) const { return fromLink(m_links[index(id) + 1].prev); } ///< kNoNode before the first
    /// Returns true if `a` is before `b` in graph order. O(1).
    bool isBefore(NodeId a, NodeId b) const { return m_links[index(a) + 1].key < m_links[index(b) + 1].key; }
    /// Returns the node with this name, or kNoNode. O(1).
    NodeId find(std::string_view name) const;
    /// False if `setNameUnchecked` gave two nodes the same name. O(1).
    bool namesAreUnique() const { return m_byName.size() == m_size; }
    /// Returns the last node if it is an output, else kNoNode.
    NodeId outputNode() const;

    /// Iterates over the nodes in graph order: `for (const Node& node : graph.nodes())`.
    class NodeRange;
    NodeRange nodes() const;
    /// Returns all node ids in graph order.
    std::vector<NodeId> order() const;

    /// Returns the nodes that may differ from another version, derived from the parts that are not shared. O(result + n
    /// / 2048) after few changes.
    GraphDifference differenceFrom(const Graph& other) const;
    /// Returns the ids in graph order, without duplicates and erased nodes.
    std::vector<NodeId> inOrder(std::vector<NodeId> ids) const;

    /// Returns a graph with the same ids in which only the nodes for which `keeps` returns true remain; these must have
    /// no inputs. The result equals erasing all others, without copying them: no other node has a name or users.
    Graph withOnly(const std::function<bool(const Node&)>& keeps) const;

    // ── creating ─────────────────────────────────────────────────────────────────────────────────────────────
    /// torch.fx `create_node`, at the insert point. An empty `name` derives the name from the target; another is the
    /// candidate. Throws Error{Refused}, as all that create nodes do, if the graph has had 2,097,152 nodes.
    NodeId createNode(Op op, std::string target, std::vector<Argument> args = {}, Kwargs kwargs = {},
                      std::string_view name = {}, TypePtr type = {});
    /// torch.fx `call_function`.
    NodeId callFunction(CallablePtr callable, std::vector<Argument> args = {}, Kwargs kwargs = {},
                        std::string_view name = {}, TypePtr type = {});
    /// torch.fx `placeholder`. `defaultValue` has at most one element.
    NodeId placeholder(std::string target, std::vector<Argument> defaultValue = {}, TypePtr type = {},
                       std::string_view name = {});
    /// torch.fx `output`.
    NodeId output(Argument value, TypePtr type = {});
    /// Creates the same call as a node of this graph or another, with its inputs as `map` returns them. torch.fx
    /// `node_copy`, without metadata. An empty name is derived from the target; an empty target is that of the node.
    NodeId createCopy(const Node& node, const std::function<Argument(NodeId)>& map, std::string_view name = {},
                      const std::string& target = {});
    /// Sets where new nodes are inserted.
    void setInsertPoint(InsertPoint point) { m_insert = point; }
    InsertPoint insertPoint() const { return m_insert; } ///< where new nodes are inserted

    // ── changing ─────────────────────────────────────────────────────────────────────────────────────────────
    // Any assignment of args or kwargs moves the node to the end of the users of all its inputs, as in torch.fx.
    /// Sets `node.args`.
    void setArgs(NodeId id, std::vector<Argument> args);
    /// Sets `node.kwargs`.
    void setKwargs(NodeId id, Kwargs kwargs);
    /// Sets both at once.
    void setArgsKwargs(NodeId id, std::vector<Argument> args, Kwargs kwargs);
    /// Replaces each input by what `map` returns for it.
    void mapInputs(NodeId id, const std::function<Argument(NodeId)>& map);
    /// torch.fx `replace_input_with`.
    void replaceInput(NodeId id, NodeId before, NodeId after);
    /// Sets `node.target` of a node that is not a call_function.
    void setTarget(NodeId id, std::string target);
    /// Sets `node.target` of a call_function.
    void setCallable(NodeId id, CallablePtr callable);
    /// Sets `node.op` and `node.target` together: `callable` for call_function, `target` otherwise.
    void setCall(NodeId id, Op op, std::string target, CallablePtr callable);
    /// Sets `node.type`, the annotation.
    void setType(NodeId id, TypePtr type);
    /// Replaces `node.meta`.
    void setMeta(NodeId id, MetaPtr meta);
    /// torch.fx `_rename`: takes a unique name from the namespace and returns it.
    std::string rename(NodeId id, std::string_view candidate);
    /// Sets exactly this name (`node.name = ...`), without reserving or releasing names. `lint` reports a clash.
    void setNameUnchecked(NodeId id, std::string name);
    /// torch.fx `prepend`/`append`: moves `id` directly before or after `anchor`. Does nothing if they are the same
    /// node.
    void moveBefore(NodeId id, NodeId anchor);
    void moveAfter(NodeId id, NodeId anchor);
    /// torch.fx `replace_all_uses_with`. Returns the changed users in order. Users for which `keep` returns true are
    /// not changed.
    std::vector<NodeId> replaceAllUses(NodeId id, NodeId with, const std::function<bool(NodeId user)>& keep = {});
    /// torch.fx `erase_node`. Throws Error{Refused} with the names of the remaining users. The node stays readable and
    /// is marked as erased.
    void erase(NodeId id);

    /// Sets the order of the users of a node, for loading and undo. Returns false without changes if `order` does not
    /// list each user exactly once.
    bool setUsersOrder(NodeId id, std::span<const NodeId> order);

    /// The namespace from which nodes get their names.
    Namespace& names() { return m_names; }
    const Namespace& names() const { return m_names; }

private:
    /// A name belongs to the first node that had it; when that node goes, to the oldest other node of the same name.
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
    std::set<std::pair<std::string, NodeId>> m_namesakes; ///< nodes whose name belongs to a different node in m_byName
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
