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
    std::vector<DockedBox> boxes;          ///< by item; open groups have only a size
    double width = 0, height = 0;          ///< size of the whole box, on the screen
    Point content;                         ///< origin of the level inside the box, on the screen
    std::vector<double> inPorts, outPorts; ///< positions across the flow, from the middle of the box
    std::uint32_t serial = 0;              ///< identifies a geometry
};

/// The cache between pictures: planned levels, and the geometries of this picture and the previous one.
struct LayoutCache {
    using Key = std::vector<std::uint32_t>;
    std::vector<std::shared_ptr<const LevelPlan>> plans; ///< by Hierarchy::Group::structure
    std::map<Key, std::shared_ptr<const GroupGeometry>> now, before;
    std::uint32_t nextSerial = 0;
};

/// Places the visible part of a hierarchy as `options` select it.
Picture compose(const GraphModule& module, const Hierarchy& hierarchy, const LayoutOptions& options, LayoutCache& cache,
                const Progress& progress);

} // namespace fx
