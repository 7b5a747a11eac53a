// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/scene/scene.h"

namespace ui {

/// The animation from one scene to the next: old positions of items, and targets of disappearing ones.
///
/// Items in both scenes move from their old box to the new one. Items that appear in a group grow from the group's old
/// box; items that disappear shrink into their group's new box.
class Transition {
public:
    Transition(std::shared_ptr<const Scene> from, std::shared_ptr<const Scene> to);

    void setTime(double t) { m_t = t; } ///< 0..1, already eased
    double time() const { return m_t; }
    const Scene& from() const { return *m_from; }

    /// Current box of an item of the new scene.
    fx::Rect rect(ItemIndex item) const;
    /// Visibility of the item: 1 for items that existed before.
    double presence(ItemIndex item) const { return m_appears[item] ? m_t : 1.0; }
    /// Remaining distance to its final position.
    fx::Point offset(ItemIndex item) const;

    /// Items of the old scene that have no counterpart, with the boxes they shrink into.
    struct Leaving {
        ItemIndex item;
        fx::Rect to;
    };
    const std::vector<Leaving>& leaving() const { return m_leaving; }
    fx::Rect rect(const Leaving& leaving) const;

private:
    ItemIndex counterpart(const Scene& in, const Scene& of, ItemIndex item) const;

    std::shared_ptr<const Scene> m_from, m_to;
    std::vector<fx::Rect> m_start; ///< per item of the new scene
    std::vector<std::uint8_t> m_appears;
    std::vector<Leaving> m_leaving;
    double m_t = 0;
};

} // namespace ui
