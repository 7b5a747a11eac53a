// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/layout/compose.h"

#include "core/layout/family_mark.h"
#include "core/layout/geometry.h"
#include "core/layout/shown.h"
#include "core/layout/text_metrics.h"

#include <algorithm>

namespace fx {

namespace {

class Composer {
public:
    Composer(const GraphModule& module, const Hierarchy& hierarchy, const LayoutOptions& options, LayoutCache& cache,
             const Progress& progress)
        : m_module(module), m_hierarchy(hierarchy), m_options(options), m_cache(cache), m_progress(progress),
          m_texts(module) {}

    Picture run() {
        m_picture.direction = m_options.direction;
        m_shown = show(m_module.graph, m_hierarchy, m_options, m_cache, m_progress);
        makeItems();
        m_geometry = placeGroups(m_hierarchy, m_shown, m_picture, m_itemOf, m_cache, m_options, m_progress);
        placeItems();
        fitTexts();
        for (std::uint32_t e = 0; e < m_shown.edges.size(); ++e) addEdge(e);
        for (std::uint32_t c = 0; c < m_shown.copies.size(); ++c) addCopyEdge(c);
        const auto& root = *m_geometry[0];
        m_picture.bounds = {0, 0, root.width, root.height};
        return std::move(m_picture);
    }

private:
    /// Items with their texts and sizes: nodes in graph order, each followed by its copies, then the groups seen.
    void makeItems() {
        m_itemOf.node.assign(m_module.graph.idLimit(), kNone);
        m_itemOf.group.assign(m_hierarchy.groups.size(), kNone);
        m_itemOf.copy.assign(m_shown.copies.size(), kNone);
        for (std::uint32_t g = 1; g < m_hierarchy.groups.size(); ++g)
            if (m_shown.open[g] || m_shown.closedIn[g] == g) addGroup(g);
        std::vector<std::vector<std::uint32_t>> copiesOf(m_module.graph.idLimit());
        for (std::uint32_t c = 0; c < m_shown.copies.size(); ++c) copiesOf[index(m_shown.copies[c].node)].push_back(c);
        const auto names = chipNames();
        std::uint32_t count = 0;
        for (const Node& node : m_module.graph.nodes()) {
            if (count++ % 1024 == 0) m_progress.check();
            const auto group = m_hierarchy.groupOf[index(node.id())];
            if (group == kNone) continue;
            if (m_shown.closedIn[group] == kNone) addNode(node, group, names);
            for (const auto copy : copiesOf[index(node.id())]) addCopy(node, copy);
        }
    }

    void addGroup(std::uint32_t g) {
        const auto& group = m_hierarchy.groups[g];
        GroupItem item;
        item.path = group.path;
        item.title = group.title;
        item.type = group.type;
        item.parent = group.parent == 0 ? kNoGroup : m_itemOf.group[group.parent];
        item.expanded = m_shown.open[g];
        item.artificial = group.artificial;
        item.nodeCount = group.nodeCount;
        item.depth = group.depth - 1;
        m_itemOf.group[g] = static_cast<std::uint32_t>(m_picture.groups.size());
        const auto [first, isNew] = m_firstOf.emplace(group.structure, m_itemOf.group[g]);
        if (!isNew) item.sameAs = first->second;
        m_picture.groups.push_back(std::move(item));
    }

    std::unordered_map<std::uint32_t, std::string_view> chipNames() const {
        std::unordered_map<std::uint32_t, std::string_view> names;
        for (const auto& input : m_module.lifted) names.emplace(index(input.node), input.path);
        return names;
    }

    std::uint32_t groupItem(std::uint32_t group) const { return group == 0 ? kNoGroup : m_itemOf.group[group]; }

    /// The path of a group's module: artificial groups append "#k", later calls "@k".
    std::string_view modulePath(std::uint32_t group) const {
        const std::string_view path = m_hierarchy.groups[group].path;
        return path.substr(0, path.find_first_of("#@"));
    }

    void addNode(const Node& node, std::uint32_t group,
                 const std::unordered_map<std::uint32_t, std::string_view>& names) {
        auto card = m_texts.of(node, m_options.fullNames ? std::string_view() : modulePath(group));
        NodeItem item;
        item.node = node.id();
        item.group = groupItem(group);
        item.title = std::move(card.name);
        item.what = std::move(card.what);
        item.brief = card.brief;
        item.shape = std::move(card.side);
        item.family = card.family;
        item.chipNodes = m_hierarchy.chips[index(node.id())];
        for (const auto chip : item.chipNodes) {
            const auto found = names.find(index(chip));
            const std::string_view path = found == names.end() ? m_module.graph.node(chip).target() : found->second;
            item.chips.emplace_back(path.substr(path.rfind('.') + 1));
        }
        m_itemOf.node[index(node.id())] = static_cast<std::uint32_t>(m_picture.nodes.size());
        m_picture.nodes.push_back(std::move(item));
    }

    void addCopy(const Node& node, std::uint32_t c) {
        const auto& copy = m_shown.copies[c];
        NodeItem item;
        item.node = node.id();
        item.copy = copy.number;
        item.group = groupItem(copy.user.isGroup() ? m_hierarchy.groups[copy.user.value()].parent
                                                   : m_hierarchy.groupOf[copy.user.value()]);
        item.title = node.name();
        m_itemOf.copy[c] = static_cast<std::uint32_t>(m_picture.nodes.size());
        m_picture.nodes.push_back(std::move(item));
    }

    /// Gives everything its rectangle, outer groups first.
    void placeItems() {
        std::vector<Point> origin(m_hierarchy.groups.size());
        for (std::uint32_t g = 0; g < m_hierarchy.groups.size(); ++g) {
            if (!m_shown.open[g]) continue;
            const auto& group = m_hierarchy.groups[g];
            const auto& geometry = *m_geometry[g];
            const Rect rect = g == 0 ? Rect{} : m_picture.groups[m_itemOf.group[g]].rect;
            origin[g] = {rect.x + geometry.content.x, rect.y + geometry.content.y};
            for (std::uint32_t i = 0; i < group.items.size(); ++i) {
                const auto& item = group.items[i];
                auto box = geometry.boxes[i].boxAt(geometry.placement.items[group.box(i)], m_options.direction);
                box.x += origin[g].x, box.y += origin[g].y;
                auto& place = item.isGroup ? m_picture.groups[m_itemOf.group[item.id]].rect
                                           : m_picture.nodes[m_itemOf.node[item.id]].rect;
                place = box;
                if (item.isGroup && m_shown.open[item.id]) continue;
                placeDock(geometry.boxes[i], box,
                          item.isGroup ? DrawnId::group(item.id) : DrawnId::node(static_cast<NodeId>(item.id)));
            }
        }
        m_origin = std::move(origin);
    }

    void placeDock(const DockedBox& docked, const Rect& box, DrawnId id) {
        const auto* dock = m_shown.dock(id);
        if (dock == nullptr) return;
        for (const bool heads : {true, false}) {
            const auto rects = docked.slots(box, heads, m_options.direction);
            const auto& slots = heads ? dock->heads : dock->tails;
            for (std::size_t i = 0; i < slots.size(); ++i) {
                auto line = docked.line(box, rects[i], heads, m_options.direction);
                if (slots[i].isCopy) {
                    m_picture.nodes[m_itemOf.copy[slots[i].index]].rect = rects[i];
                    m_copyLines[slots[i].index] = std::move(line);
                } else {
                    (heads ? m_headLines : m_tailLines)[slots[i].index] = std::move(line);
                    m_picture.stubLabels.push_back(
                        {slots[i].index, heads, rects[i], stubText(slots[i].index, heads, rects[i])});
                }
            }
        }
    }

    std::string stubText(std::uint32_t e, bool atTarget, const Rect& rect) const {
        const auto other = atTarget ? m_shown.edges[e].from : m_shown.edges[e].to;
        const auto& title = other.isGroup() ? m_picture.groups[m_itemOf.group[other.value()]].title
                                            : m_picture.nodes[m_itemOf.node[other.value()]].title;
        return elideMono(title, rect.w - 2 * kCopyPadding);
    }

    /// Cards are sized for their texts; only very long ones do not fit.
    void fitTexts() {
        for (auto& node : m_picture.nodes) {
            const double room = node.rect.w - 2 * kNodePadding - kNodeStripe;
            const double shape = node.shape.empty() ? 0 : monoWidth(node.shape) + kNodePadding;
            if (node.copy > 0) {
                node.title = elideMono(node.title, node.rect.w - 2 * kCopyPadding);
                continue;
            }
            node.title = elideName(node.title,
                                   node.group == kNoGroup ? std::string_view()
                                                          : std::string_view(m_picture.groups[node.group].path),
                                   room - shape);
            node.what = elideTitle(node.what, room - (hasMark(node) ? kMarkWidth : 0));
            node.brief = std::min(node.brief, static_cast<std::uint32_t>(node.what.size()));
        }
    }

    std::uint32_t itemOf(DrawnId id) const {
        return id.isGroup() ? static_cast<std::uint32_t>(m_picture.nodes.size()) + m_itemOf.group[id.value()]
                            : m_itemOf.node[id.value()];
    }

    void addEdge(std::uint32_t e) {
        const auto& edge = m_shown.edges[e];
        EdgeItem item;
        item.from = itemOf(edge.from);
        item.to = itemOf(edge.to);
        item.weight = edge.weight;
        item.stub = edge.stub;
        if (edge.stub) {
            item.points = m_tailLines[e];
            item.gap = static_cast<std::uint32_t>(item.points.size() - 1);
            item.points.insert(item.points.end(), m_headLines[e].begin(), m_headLines[e].end());
        } else {
            for (std::uint32_t p = 0; p < edge.pieces; ++p) addPiece(item.points, m_shown.pieces[edge.firstPiece + p]);
        }
        m_picture.edges.push_back(std::move(item));
    }

    void addPiece(std::vector<Point>& points, const Shown::Piece& piece) const {
        const auto& wires = m_shown.wires[piece.group];
        const auto at = std::lower_bound(wires.begin(), wires.end(), piece.wire) - wires.begin();
        const auto origin = m_origin[piece.group];
        const bool down = m_options.direction == Direction::TopDown;
        for (const auto& point : m_geometry[piece.group]->placement.wires[static_cast<std::size_t>(at)]) {
            const Point next =
                down ? Point{origin.x + point.x, origin.y + point.y} : Point{origin.x + point.y, origin.y + point.x};
            const auto size = points.size();
            const auto inLine = [&](double Point::*axis) {
                return std::abs(points[size - 1].*axis - next.*axis) < 0.01 &&
                       std::abs(points[size - 2].*axis - next.*axis) < 0.01;
            };
            if (size >= 2 && inLine(down ? &Point::x : &Point::y)) points.pop_back();
            points.push_back(next);
        }
    }

    void addCopyEdge(std::uint32_t c) {
        EdgeItem item;
        item.from = m_itemOf.copy[c];
        item.to = itemOf(m_shown.copies[c].user);
        item.weight = m_shown.copies[c].weight;
        item.points = std::move(m_copyLines[c]);
        m_picture.edges.push_back(std::move(item));
    }

    const GraphModule& m_module;
    const Hierarchy& m_hierarchy;
    const LayoutOptions& m_options;
    LayoutCache& m_cache;
    const Progress& m_progress;
    CardTexts m_texts;
    Picture m_picture;
    Shown m_shown;
    ItemIndexes m_itemOf;
    std::vector<std::shared_ptr<const GroupGeometry>> m_geometry; ///< per group, null unless open
    std::vector<Point> m_origin; ///< per open group: where its level starts on the screen
    std::unordered_map<std::uint32_t, std::uint32_t> m_firstOf; ///< structure -> first item of it that is seen
    std::unordered_map<std::uint32_t, std::vector<Point>> m_copyLines, m_headLines, m_tailLines;
};

} // namespace

Picture compose(const GraphModule& module, const Hierarchy& hierarchy, const LayoutOptions& options, LayoutCache& cache,
                const Progress& progress) {
    return Composer(module, hierarchy, options, cache, progress).run();
}

} // namespace fx
