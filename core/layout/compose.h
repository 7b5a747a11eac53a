// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/layout/card_text.h"
#include "core/layout/dock.h"
#include "core/layout/hierarchy.h"
#include "core/layout/layout.h"

#include <map>
#include <memory>

namespace fx {

/// The geometry of an open group: its placed level and the positions of its ports. Shared by all groups of one
/// structure.
struct GroupGeometry {
    Placement placement;
    std::vector<DockedBox> boxes;          ///< per item; open groups have only a size
    double width = 0, height = 0;          ///< of the whole box, on the screen
    Point content;                         ///< of the level inside the box, on the screen
    std::vector<double> inPorts, outPorts; ///< across the flow, from the middle of the box
    std::uint32_t serial = 0;              ///< identifies a geometry
};

/// Cached between pictures: planned levels, and the geometries of this and the last picture.
struct LayoutCache {
    using Key = std::vector<std::uint32_t>;
    std::vector<std::shared_ptr<const LevelPlan>> plans; ///< by Hierarchy::Group::structure
    std::map<Key, std::shared_ptr<const GroupGeometry>> now, before;
    std::uint32_t nextSerial = 0;
};

/// Places the visible part of a hierarchy, as given by `options`.
Picture compose(const GraphModule& module, const Hierarchy& hierarchy, const LayoutOptions& options, LayoutCache& cache,
                const Progress& progress);

} // namespace fx
