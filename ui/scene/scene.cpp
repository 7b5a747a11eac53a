// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/scene/scene.h"

namespace ui {
namespace {

fx::Rect boundsOf(const std::vector<fx::Point>& points) {
    if (points.empty()) return {};
    double left = points[0].x, right = left, top = points[0].y, bottom = top;
    for (const fx::Point& p : points) {
        left = std::min(left, p.x), right = std::max(right, p.x);
        top = std::min(top, p.y), bottom = std::max(bottom, p.y);
    }
    return {left, top, right - left, bottom - top};
}

bool contains(const fx::Rect& r, fx::Point p) {
    return p.x >= r.x && p.x <= r.right() && p.y >= r.y && p.y <= r.bottom();
}

} // namespace

std::shared_ptr<const Scene> Scene::make(std::shared_ptr<const fx::Picture> picture,
                                         std::shared_ptr<const fx::GraphModule> module) {
    std::shared_ptr<Scene> scene(new Scene);
    scene->m_picture = picture ? std::move(picture) : std::make_shared<const fx::Picture>();
    scene->m_module = std::move(module);
    scene->indexNodes();
    scene->indexGroups();
    scene->indexEdges();
    return scene;
}

void Scene::indexNodes() {
    const auto& nodes = m_picture->nodes;
    std::vector<fx::Rect> boxes(nodes.size());
    m_ops.resize(nodes.size(), fx::Op::CallFunction);
    m_nextCopy.assign(nodes.size(), kNoItem);
    std::uint32_t limit = 0;
    for (const fx::NodeItem& node : nodes)
        if (node.node != fx::kNoNode) limit = std::max(limit, fx::index(node.node) + 1);
    m_itemOfNode.assign(limit, kNoItem);
    // Backwards, so that the chain of a node starts with its first item.
    for (auto i = static_cast<ItemIndex>(nodes.size()); i-- > 0;) {
        boxes[i] = nodes[i].rect;
        if (nodes[i].node == fx::kNoNode) continue;
        ItemIndex& head = m_itemOfNode[fx::index(nodes[i].node)];
        m_nextCopy[i] = head;
        head = i;
        if (m_module && fx::index(nodes[i].node) < m_module->graph.idLimit())
            m_ops[i] = m_module->graph.node(nodes[i].node).op();
    }
    for (ItemIndex i = 0; i < nodes.size(); ++i)
        for (fx::NodeId chip : nodes[i].chipNodes) m_chipOwner.emplace(chip, i);
    m_nodeGrid = LooseGrid(boxes);
}

void Scene::indexGroups() {
    std::vector<fx::Rect> boxes;
    boxes.reserve(m_picture->groups.size());
    for (std::uint32_t i = 0; i < m_picture->groups.size(); ++i) {
        boxes.push_back(m_picture->groups[i].rect);
        m_groupByPath.emplace(m_picture->groups[i].path, groupItem(i));
    }
    m_groupGrid = LooseGrid(boxes);
}

template<class End> Scene::Incidence Scene::incidence(End end) const {
    Incidence result;
    result.begin.assign(itemCount() + 1, 0);
    for (const fx::EdgeItem& edge : m_picture->edges) ++result.begin[end(edge) + 1];
    for (std::size_t i = 1; i < result.begin.size(); ++i) result.begin[i] += result.begin[i - 1];
    result.edges.resize(m_picture->edges.size());
    std::vector<std::uint32_t> next(result.begin.begin(), result.begin.end() - 1);
    for (std::uint32_t i = 0; i < m_picture->edges.size(); ++i) result.edges[next[end(m_picture->edges[i])]++] = i;
    return result;
}

void Scene::indexEdges() {
    std::vector<fx::Rect> boxes;
    boxes.reserve(m_picture->edges.size());
    for (const fx::EdgeItem& edge : m_picture->edges) boxes.push_back(boundsOf(edge.points));
    m_edgeGrid = LooseGrid(boxes);
    boxes.clear();
    for (const fx::StubLabel& label : m_picture->stubLabels) boxes.push_back(label.rect);
    m_stubLabelGrid = LooseGrid(boxes);
    m_into = incidence([](const fx::EdgeItem& edge) { return edge.to; });
    m_from = incidence([](const fx::EdgeItem& edge) { return edge.from; });
}

ItemIndex Scene::itemOf(fx::NodeId node) const {
    return fx::index(node) < m_itemOfNode.size() ? m_itemOfNode[fx::index(node)] : kNoItem;
}

ItemIndex Scene::seatOf(fx::NodeId node) const {
    if (const ItemIndex item = itemOf(node); item != kNoItem) return item;
    const auto owner = m_chipOwner.find(node);
    return owner == m_chipOwner.end() ? kNoItem : owner->second;
}

ItemIndex Scene::groupByPath(const std::string& path) const {
    const auto found = m_groupByPath.find(path);
    return found == m_groupByPath.end() ? kNoItem : found->second;
}

ItemIndex Scene::groupAt(fx::Point point) const {
    ItemIndex best = kNoItem;
    m_groupGrid.query({point.x, point.y, 0, 0}, 0, [&](std::uint32_t index) {
        const ItemIndex item = groupItem(index);
        if (!contains(rect(item), point)) return;
        if (best == kNoItem || group(item).depth > group(best).depth) best = item;
    });
    return best;
}

ItemIndex Scene::itemAt(fx::Point point) const {
    ItemIndex best = kNoItem;
    m_nodeGrid.query({point.x, point.y, 0, 0}, 0, [&](std::uint32_t item) {
        if (contains(rect(item), point)) best = best == kNoItem ? item : std::max(best, item);
    });
    return best != kNoItem ? best : groupAt(point);
}

} // namespace ui
