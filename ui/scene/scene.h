// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/layout/picture.h"
#include "core/module/graph_module.h"
#include "ui/scene/loose_grid.h"

#include <memory>
#include <optional>
#include <unordered_map>

namespace ui {

/// A drawn item of a Picture, numbered as in fx::EdgeItem: nodes first, then groups.
using ItemIndex = std::uint32_t;
inline constexpr ItemIndex kNoItem = 0xFFFFFFFFu;

/// A Picture prepared for drawing, hit tests and navigation: spatial indexes, kinds of nodes, edges by item.
///
/// Immutable and thread-safe. `make` takes a few milliseconds per 10,000 nodes, so for large graphs call it where the
/// picture is created, not on the GUI thread.
class Scene {
public:
    /// Builds a scene. If `module` is null, all nodes count as call_function and have no details.
    static std::shared_ptr<const Scene> make(std::shared_ptr<const fx::Picture> picture,
                                             std::shared_ptr<const fx::GraphModule> module);

    const fx::Picture& picture() const { return *m_picture; }        ///< The drawn picture.
    const fx::GraphModule* module() const { return m_module.get(); } ///< The model, or null.
    /// The number of nodes and groups; items are `0..itemCount() - 1`.
    ItemIndex itemCount() const { return static_cast<ItemIndex>(m_picture->nodes.size() + m_picture->groups.size()); }
    /// True for groups, which are numbered after the nodes.
    bool isGroup(ItemIndex item) const { return item >= m_picture->nodes.size(); }
    /// The node of an item that is not a group.
    const fx::NodeItem& node(ItemIndex item) const { return m_picture->nodes[item]; }
    /// The group of an item that is a group.
    const fx::GroupItem& group(ItemIndex item) const { return m_picture->groups[item - m_picture->nodes.size()]; }
    /// The item of a group index; `kNoItem` for `kNoGroup`.
    ItemIndex groupItem(std::uint32_t group) const {
        return group == fx::kNoGroup ? kNoItem : static_cast<ItemIndex>(m_picture->nodes.size() + group);
    }
    /// The rectangle of an item, in picture coordinates.
    const fx::Rect& rect(ItemIndex item) const { return isGroup(item) ? group(item).rect : node(item).rect; }
    /// The group around an item, or `kNoItem`.
    ItemIndex parent(ItemIndex item) const { return groupItem(isGroup(item) ? group(item).parent : node(item).group); }
    fx::Op op(ItemIndex item) const { return m_ops[item]; } ///< The kind of a node item.

    /// The item of a node (not a copy of a hub); `kNoItem` if the node is hidden or inside a closed group.
    ItemIndex itemOf(fx::NodeId node) const;
    /// Like `itemOf`, but the first user for a parameter or constant that is only drawn as a chip.
    ItemIndex seatOf(fx::NodeId node) const;
    /// The next item that draws the same node, or `kNoItem`: `for (i = itemOf(n); i != kNoItem; i = nextCopy(i))`.
    ItemIndex nextCopy(ItemIndex item) const { return m_nextCopy[item]; }
    /// The item of a group path, or `kNoItem`.
    ItemIndex groupByPath(const std::string& path) const;

    /// The edges that end at an item, as indexes into `picture().edges` in picture order.
    std::span<const std::uint32_t> edgesInto(ItemIndex item) const { return m_into.of(item); }
    /// The edges that start at an item, likewise.
    std::span<const std::uint32_t> edgesFrom(ItemIndex item) const { return m_from.of(item); }

    const LooseGrid& nodeGrid() const { return m_nodeGrid; }           ///< Index of the node rectangles.
    const LooseGrid& groupGrid() const { return m_groupGrid; }         ///< Index of the group rectangles.
    const LooseGrid& edgeGrid() const { return m_edgeGrid; }           ///< Index of the bounding boxes of edges.
    const LooseGrid& stubLabelGrid() const { return m_stubLabelGrid; } ///< Index of the labels of stubs.
    /// The node under a point, else the innermost group, else `kNoItem`.
    ItemIndex itemAt(fx::Point point) const;
    /// The innermost expanded group around a point, or `kNoItem`.
    ItemIndex groupAt(fx::Point point) const;

    /// The title of an item in the picture.
    const std::string& title(ItemIndex item) const { return isGroup(item) ? group(item).title : node(item).title; }

private:
    /// Edge indexes grouped by item (compressed rows).
    struct Incidence {
        std::vector<std::uint32_t> begin, edges;
        std::span<const std::uint32_t> of(ItemIndex item) const {
            return {edges.data() + begin[item], edges.data() + begin[item + 1]};
        }
    };
    Scene() = default;
    void indexNodes();
    void indexGroups();
    void indexEdges();
    template<class End> Incidence incidence(End end) const;

    std::shared_ptr<const fx::Picture> m_picture;
    std::shared_ptr<const fx::GraphModule> m_module;
    std::vector<fx::Op> m_ops;
    std::vector<ItemIndex> m_itemOfNode, m_nextCopy;
    std::unordered_map<fx::NodeId, ItemIndex> m_chipOwner;
    std::unordered_map<std::string, ItemIndex> m_groupByPath;
    Incidence m_into, m_from;
    LooseGrid m_nodeGrid, m_groupGrid, m_edgeGrid, m_stubLabelGrid;
};

} // namespace ui
