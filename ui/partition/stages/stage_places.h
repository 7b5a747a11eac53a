// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/partition/stage_line.h"
#include "ui/partition/partition_run.h"
#include "ui/scene/scene.h"

namespace ui {

/// Where the calls of a line lie in a picture, along its flow.
///
///     line      a b c d e          c runs beside d: no straight line has exactly a b c before it; the one with the
///     picture   a b d c e          fewest calls on the wrong side is drawn, and those calls get a hull of their own
///
/// The calls in a closed group share its box in their order, so that a cut inside a group is drawn across it.
/// Immutable.
class StagePlaces {
public:
    /// O(calls log calls).
    StagePlaces(const Scene& scene, const fx::StageLine& line, const DrawnGroups& groups);

    /// The place of the line for a cut before this call: with the fewest calls on the wrong side; of several such
    /// places, in the widest gap. O(calls).
    double lineOf(std::size_t cut) const;
    /// The cut within first..last whose line would be at this place. O(calls).
    std::size_t cutAt(double place, std::pair<std::size_t, std::size_t> range) const;
    /// Whether a call is drawn and lies outside `from`..`to`.
    bool isOutside(std::size_t call, double from, double to) const;
    /// The group of the picture that hides each call: its item, or kNoItem. By place in the line.
    const std::vector<ItemIndex>& closedGroups() const { return m_closed; }

private:
    struct Extent {
        double from = 0, to = -1; ///< empty if the call is not drawn
        bool isDrawn() const { return to >= from; }
        double middle() const { return (from + to) / 2; }
    };
    std::vector<Extent> m_extents;    ///< by place in the line
    std::vector<std::size_t> m_order; ///< the drawn calls along the flow
    std::vector<ItemIndex> m_closed;
    double m_begin = 0, m_end = 0; ///< of the picture
};

} // namespace ui
