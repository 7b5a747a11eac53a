// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/transition.h"

namespace ui {
namespace {

fx::Rect between(const fx::Rect& a, const fx::Rect& b, double t) {
    return {a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t, a.w + (b.w - a.w) * t, a.h + (b.h - a.h) * t};
}

/// `inner` placed in `to` as it lies in `from`.
fx::Rect carriedAlong(const fx::Rect& inner, const fx::Rect& from, const fx::Rect& to) {
    const double sx = from.w > 0 ? to.w / from.w : 1, sy = from.h > 0 ? to.h / from.h : 1;
    return {to.x + (inner.x - from.x) * sx, to.y + (inner.y - from.y) * sy, inner.w * sx, inner.h * sy};
}

} // namespace

Transition::Transition(std::shared_ptr<const Scene> from, std::shared_ptr<const Scene> to)
    : m_from(std::move(from)), m_to(std::move(to)) {
    const ItemIndex count = m_to->itemCount();
    m_start.resize(count);
    m_appears.assign(count, 0);
    // Groups first, parents before children: what appears starts where its parent starts.
    const auto place = [this](ItemIndex item) {
        const ItemIndex old = counterpart(*m_from, *m_to, item);
        if (old != kNoItem) {
            m_start[item] = m_from->rect(old);
            return;
        }
        m_appears[item] = 1;
        const ItemIndex parent = m_to->parent(item);
        m_start[item] =
            parent == kNoItem ? m_to->rect(item) : carriedAlong(m_to->rect(item), m_to->rect(parent), m_start[parent]);
    };
    const auto nodes = static_cast<ItemIndex>(m_to->picture().nodes.size());
    for (ItemIndex item = nodes; item < count; ++item) place(item);
    for (ItemIndex item = 0; item < nodes; ++item) place(item);

    for (ItemIndex item = 0; item < m_from->itemCount(); ++item) {
        if (counterpart(*m_to, *m_from, item) != kNoItem) continue;
        ItemIndex parent = m_from->parent(item), kept = kNoItem;
        while (parent != kNoItem && (kept = counterpart(*m_to, *m_from, parent)) == kNoItem)
            parent = m_from->parent(parent);
        const fx::Rect& box = m_from->rect(item);
        m_leaving.push_back({item, kept == kNoItem ? box : carriedAlong(box, m_from->rect(parent), m_to->rect(kept))});
    }
}

/// The item of scene `in` that draws the same thing as `item` of scene `of`.
ItemIndex Transition::counterpart(const Scene& in, const Scene& of, ItemIndex item) const {
    if (of.isGroup(item)) return in.groupByPath(of.group(item).path);
    const fx::NodeItem& node = of.node(item);
    for (ItemIndex other = in.itemOf(node.node); other != kNoItem; other = in.nextCopy(other))
        if (in.node(other).copy == node.copy) return other;
    return kNoItem;
}

fx::Rect Transition::rect(ItemIndex item) const { return between(m_start[item], m_to->rect(item), m_t); }

fx::Rect Transition::rect(const Leaving& leaving) const { return between(m_from->rect(leaving.item), leaving.to, m_t); }

fx::Point Transition::offset(ItemIndex item) const {
    const fx::Point now = rect(item).center(), final = m_to->rect(item).center();
    return {now.x - final.x, now.y - final.y};
}

} // namespace ui
