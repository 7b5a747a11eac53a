// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/partition/stage_line.h"
#include "ui/partition/partition_run.h"
#include "ui/scene/scene.h"

namespace ui {

/// Positions of the calls of a line in a picture, along its flow.
///
///     line      a b c d e          c is beside d: no straight line has exactly a b c before it. The line with the
///     picture   a b d c e          fewest calls on the wrong side is drawn, and those calls get a separate hull.
///
/// The calls in a closed group divide its box in their order, so that a cut inside a group is drawn across it.
/// Immutable.
class StagePlaces {
public:
    /// Computes the positions. O(calls log calls).
    StagePlaces(const Scene& scene, const fx::StageLine& line, const DrawnGroups& groups);

    /// Returns the position for a cut before this call that has the fewest calls on the wrong side; of several such
    /// positions, one in the widest gap. O(calls).
    double lineOf(std::size_t cut) const;
    /// Returns the cut within first..last whose line would be nearest to `place`. O(calls).
    std::size_t cutAt(double place, std::pair<std::size_t, std::size_t> range) const;
    /// True if a call is drawn and lies outside `from`..`to`.
    bool isOutside(std::size_t call, double from, double to) const;
    /// The group that hides each call in the picture, as an item or kNoItem. By position in the line.
    const std::vector<ItemIndex>& closedGroups() const { return m_closed; }

private:
    struct Extent {
        double from = 0, to = -1; ///< empty if the call is not drawn
        bool isDrawn() const { return to >= from; }
        double middle() const { return (from + to) / 2; }
    };
    std::vector<Extent> m_extents;    ///< by position in the line
    std::vector<std::size_t> m_order; ///< the drawn calls along the flow
    std::vector<ItemIndex> m_closed;
    double m_begin = 0, m_end = 0; ///< extent of the picture
};

} // namespace ui
