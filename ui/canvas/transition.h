// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/canvas/scene.h"

namespace ui {

/// The way from one scene to the next: where everything was, and where what disappears goes.
///
/// Things in both scenes move from their old box to the new one. What appears inside a group grows out of the group's
/// old box; what disappears shrinks into its group's new box.
class Transition {
public:
    Transition(std::shared_ptr<const Scene> from, std::shared_ptr<const Scene> to);

    void setTime(double t) { m_t = t; } ///< 0..1, already eased
    double time() const { return m_t; }
    const Scene& from() const { return *m_from; }

    /// Box of an item of the new scene at this moment.
    fx::Rect rect(ItemIndex item) const;
    /// How much of it is there: 1 for things that were there before.
    double presence(ItemIndex item) const { return m_appears[item] ? m_t : 1.0; }
    /// How far it still is from its final place.
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
