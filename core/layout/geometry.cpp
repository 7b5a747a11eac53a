// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/layout/geometry.h"

#include "core/layout/family_mark.h"
#include "core/layout/text_metrics.h"

#include <algorithm>
#include <cmath>

namespace fx {

namespace {

constexpr double kMinNodeWidth = 120, kMaxNodeWidth = 320, kWidthStep = 20;
constexpr double kMaxFullWidth = 4000; // with full names
constexpr double kChipGap = 6, kChipPadding = 6;
constexpr double kGroupPadding = 16, kChevron = 20, kCountWidth = 64;
constexpr double kPicturePadding = 24;

double inSteps(double width) { return std::ceil(width / kWidthStep) * kWidthStep; }

double chipsWidth(const std::vector<std::string>& chips) {
    double width = 0;
    for (const auto& chip : chips) width += (width > 0 ? kChipGap : 0) + monoWidth(chip) + 2 * kChipPadding;
    return width;
}

/// The size of a node for its texts.
DockedBox boxOf(const NodeItem& node, double widest) {
    const double name = monoWidth(node.title) + (node.shape.empty() ? 0 : kNodePadding + monoWidth(node.shape));
    const double what = titleWidth(node.what) + (hasMark(node) ? kMarkWidth : 0);
    const double text = std::max({name, what, chipsWidth(node.chips)});
    DockedBox box;
    box.width = std::clamp(inSteps(text + 2 * kNodePadding + kNodeStripe), kMinNodeWidth, widest);
    box.height = kNodeHeight + (node.chips.empty() ? 0 : kChipRowHeight);
    return box;
}

double headerWidth(const GroupItem& group) {
    return inSteps(2 * kNodePadding + kChevron + titleWidth(group.title) + 8 + monoWidth(group.type) + kCountWidth);
}

DockedBox closedBoxOf(const GroupItem& group) {
    const double text = std::max(kChevron + titleWidth(group.title), monoWidth(group.type) + kCountWidth + 16);
    DockedBox box;
    box.width = std::clamp(inSteps(text + 2 * kNodePadding), kMinNodeWidth, kMaxNodeWidth);
    box.height = kClosedGroupHeight;
    return box;
}

class GroupPlacer {
public:
    GroupPlacer(const Hierarchy& hierarchy, const Shown& shown, const Picture& picture, const ItemIndexes& items,
                LayoutCache& cache, const LayoutOptions& options, const Progress& progress)
        : m_hierarchy(hierarchy), m_shown(shown), m_picture(picture), m_items(items), m_cache(cache),
          m_direction(options.direction), m_widest(options.fullNames ? kMaxFullWidth : kMaxNodeWidth),
          m_progress(progress) {}

    std::vector<std::shared_ptr<const GroupGeometry>> run() {
        m_cache.before = std::move(m_cache.now);
        m_cache.now.clear();
        const auto count = m_hierarchy.groups.size();
        m_lookOf.assign(count, kNone);
        for (std::size_t g = count; g-- > 0;)
            if (m_shown.open[g]) joinLook(static_cast<std::uint32_t>(g));
        for (auto& look : m_looks) {
            m_progress.check();
            place(look);
        }
        std::vector<std::shared_ptr<const GroupGeometry>> result(count);
        for (std::size_t g = 0; g < count; ++g)
            if (m_lookOf[g] != kNone) result[g] = m_looks[m_lookOf[g]].geometry;
        return result;
    }

private:
    /// Groups that look alike: the same structure, the same groups open inside, the same wires and docks. Each of their
    /// boxes is as large as the largest of them needs.
    struct Look {
        LayoutCache::Key key;
        std::uint32_t example = 0;
        std::vector<DockedBox> boxes;     ///< per item
        std::vector<std::uint32_t> inner; ///< per item: the look of an open group, else kNone
        double header = 0;
        std::shared_ptr<const GroupGeometry> geometry;
    };

    static DrawnId drawnId(const LevelItem& item) {
        return item.isGroup ? DrawnId::group(item.id) : DrawnId::node(static_cast<NodeId>(item.id));
    }
    bool isOpen(const LevelItem& item) const { return item.isGroup && m_shown.open[item.id]; }

    void joinLook(std::uint32_t g) {
        const auto& group = m_hierarchy.groups[g];
        LayoutCache::Key key{group.structure};
        for (const auto& item : group.items) {
            const auto* dock = isOpen(item) ? nullptr : m_shown.dock(drawnId(item));
            key.push_back(isOpen(item) ? m_lookOf[item.id] : kNone);
            key.push_back(dock == nullptr ? 0 : static_cast<std::uint32_t>(dock->heads.size()));
            key.push_back(dock == nullptr ? 0 : static_cast<std::uint32_t>(dock->tails.size()));
        }
        for (const auto& wire : m_shown.wires[g])
            key.insert(key.end(), {wire.from, wire.to, wire.outPort, wire.inPort});
        const auto [at, isNew] = m_known.emplace(std::move(key), static_cast<std::uint32_t>(m_looks.size()));
        m_lookOf[g] = at->second;
        if (isNew) {
            auto& look = m_looks.emplace_back();
            look.key = at->first;
            look.example = g;
            look.boxes.resize(group.items.size());
            for (const auto& item : group.items) look.inner.push_back(isOpen(item) ? m_lookOf[item.id] : kNone);
        }
        widen(m_looks[m_lookOf[g]], group);
        if (g != 0)
            m_looks[m_lookOf[g]].header =
                std::max(m_looks[m_lookOf[g]].header, headerWidth(m_picture.groups[m_items.group[g]]));
    }

    void widen(Look& look, const Hierarchy::Group& group) const {
        for (std::size_t i = 0; i < group.items.size(); ++i) {
            const auto& item = group.items[i];
            if (isOpen(item)) continue;
            auto box = item.isGroup ? closedBoxOf(m_picture.groups[m_items.group[item.id]])
                                    : boxOf(m_picture.nodes[m_items.node[item.id]], m_widest);
            if (const auto* slots = m_shown.dock(drawnId(item)); slots != nullptr) {
                box.dock.heads = static_cast<std::uint32_t>(slots->heads.size());
                box.dock.tails = static_cast<std::uint32_t>(slots->tails.size());
                for (const auto& slot : slots->heads)
                    box.dock.headWidth = std::max(box.dock.headWidth, slotWidth(slot, true));
                for (const auto& slot : slots->tails)
                    box.dock.tailWidth = std::max(box.dock.tailWidth, slotWidth(slot, false));
            }
            auto& largest = look.boxes[i];
            largest.width = std::max(largest.width, box.width);
            largest.height = std::max(largest.height, box.height);
            largest.dock = {box.dock.heads, box.dock.tails, std::max(largest.dock.headWidth, box.dock.headWidth),
                            std::max(largest.dock.tailWidth, box.dock.tailWidth)};
        }
    }
    double slotWidth(const Shown::Slot& slot, bool head) const {
        double text = 0;
        if (slot.isCopy) {
            text = monoWidth(m_picture.nodes[m_items.copy[slot.index]].title);
        } else {
            const auto id = head ? m_shown.edges[slot.index].from : m_shown.edges[slot.index].to;
            text = id.isGroup() ? monoWidth(m_picture.groups[m_items.group[id.value()]].title)
                                : monoWidth(m_picture.nodes[m_items.node[id.value()]].title);
        }
        return std::clamp(std::ceil((text + 2 * kCopyPadding) / 4) * 4, 40.0, kStubLabelWidth);
    }

    /// Looks stand inner first, so the geometries inside are known.
    void place(Look& look) {
        const auto& group = m_hierarchy.groups[look.example];
        LayoutCache::Key key = std::move(look.key);
        key.push_back(m_direction == Direction::TopDown ? 0 : 1);
        key.push_back(static_cast<std::uint32_t>(look.header));
        for (std::size_t i = 0; i < group.items.size(); ++i) {
            const auto& box = look.boxes[i];
            if (look.inner[i] != kNone) key[1 + 3 * i] = m_looks[look.inner[i]].geometry->serial;
            for (const double size : {box.width, box.height, box.dock.headWidth, box.dock.tailWidth})
                key.push_back(static_cast<std::uint32_t>(size * 16));
        }
        auto& known = m_cache.now[key];
        if (const auto before = m_cache.before.find(key); before != m_cache.before.end()) known = before->second;
        if (!known) known = compute(look, group);
        look.geometry = known;
    }

    std::shared_ptr<const GroupGeometry> compute(Look& look, const Hierarchy::Group& group) {
        auto geometry = std::make_shared<GroupGeometry>();
        geometry->serial = m_cache.nextSerial++;
        std::vector<BoxShape> shapes(group.level.size());
        for (std::uint32_t i = 0; i < group.items.size(); ++i) {
            if (look.inner[i] != kNone) {
                const auto& inner = *m_looks[look.inner[i]].geometry;
                look.boxes[i].width = inner.width, look.boxes[i].height = inner.height;
                shapes[group.box(i)] = look.boxes[i].shape(m_direction);
                shapes[group.box(i)].inPorts = inner.inPorts;
                shapes[group.box(i)].outPorts = inner.outPorts;
            } else {
                shapes[group.box(i)] = look.boxes[i].shape(m_direction);
            }
        }
        const auto& plan = planOf(m_hierarchy, look.example, m_cache, m_progress);
        geometry->placement = placeLevel(plan, shapes, m_shown.wires[look.example], m_progress);
        geometry->boxes = look.boxes;
        frame(*geometry, look, group);
        return geometry;
    }

    /// The box around a placed level: padding, header, and where the ports come out.
    void frame(GroupGeometry& geometry, const Look& look, const Hierarchy::Group& group) const {
        const bool down = m_direction == Direction::TopDown;
        const auto& level = geometry.placement;
        const double width = down ? level.cross : level.flow, height = down ? level.flow : level.cross;
        const bool root = look.example == 0;
        const double side = root ? kPicturePadding : kGroupPadding;
        const double top =
            root ? kPicturePadding : kGroupHeader + (down && !group.inPorts.empty() ? 0 : kGroupPadding / 2);
        geometry.width = std::max(width + 2 * side, root ? 0 : look.header);
        geometry.height = top + height + side;
        geometry.content = {down ? (geometry.width - width) / 2 : side, top};
        const double shift = down ? geometry.content.x - geometry.width / 2 : geometry.content.y - geometry.height / 2;
        const auto place = [&](std::uint32_t item) { return level.items[item].x + shift; };
        for (std::uint32_t p = 0; p < group.inPorts.size(); ++p) geometry.inPorts.push_back(place(p));
        for (std::uint32_t p = 0; p < group.outPorts.size(); ++p) geometry.outPorts.push_back(place(group.outPort(p)));
    }

    const Hierarchy& m_hierarchy;
    const Shown& m_shown;
    const Picture& m_picture;
    const ItemIndexes& m_items;
    LayoutCache& m_cache;
    Direction m_direction;
    double m_widest; ///< a node may be
    const Progress& m_progress;
    std::vector<Look> m_looks;
    std::vector<std::uint32_t> m_lookOf; ///< per group
    std::map<LayoutCache::Key, std::uint32_t> m_known;
};

} // namespace

std::vector<std::shared_ptr<const GroupGeometry>> placeGroups(const Hierarchy& hierarchy, const Shown& shown,
                                                              const Picture& picture, const ItemIndexes& items,
                                                              LayoutCache& cache, const LayoutOptions& options,
                                                              const Progress& progress) {
    return GroupPlacer(hierarchy, shown, picture, items, cache, options, progress).run();
}

} // namespace fx
