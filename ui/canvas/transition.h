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
    /// Matches the items of both scenes.
    Transition(std::shared_ptr<const Scene> from, std::shared_ptr<const Scene> to);

    void setTime(double t) { m_t = t; }           ///< Sets the progress, 0..1, already eased.
    double time() const { return m_t; }           ///< The progress, 0..1.
    const Scene& from() const { return *m_from; } ///< The old scene.

    /// The current box of an item of the new scene.
    fx::Rect rect(ItemIndex item) const;
    /// The visibility of an item: 1 for items that existed before.
    double presence(ItemIndex item) const { return m_appears[item] ? m_t : 1.0; }
    /// The remaining distance of an item to its final position.
    fx::Point offset(ItemIndex item) const;

    /// An item of the old scene without a counterpart, with the box into which it shrinks.
    struct Leaving {
        ItemIndex item;
        fx::Rect to;
    };
    /// The items of the old scene that disappear.
    const std::vector<Leaving>& leaving() const { return m_leaving; }
    fx::Rect rect(const Leaving& leaving) const; ///< The current box of an item that disappears.

private:
    ItemIndex counterpart(const Scene& in, const Scene& of, ItemIndex item) const;

    std::shared_ptr<const Scene> m_from, m_to;
    std::vector<fx::Rect> m_start; ///< per item of the new scene
    std::vector<std::uint8_t> m_appears;
    std::vector<Leaving> m_leaving;
    double m_t = 0;
};

} // namespace ui
