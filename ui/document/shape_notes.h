// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"
#include "core/shapes/node_shapes.h"

#include <QString>

#include <memory>
#include <vector>

namespace ui {

/// What was found out about the values of one version's nodes, ready to be shown. Immutable once made.
struct ShapeNotes {
    std::shared_ptr<const fx::GraphModule> version;
    std::shared_ptr<const fx::GraphModule>
        shown; ///< the version with its notes; null: nothing is known but what the file says
    std::vector<std::pair<fx::NodeId, fx::MetaPtr>> notes;
    std::vector<fx::ShapeFailure> failures;
    QString guessed; ///< what of the inputs was made up: "x 1×3×224×224 float32"; empty: nothing
    QString error;   ///< why nothing could be found out; else empty
};

/// Notes for all nodes of which `shapes` says something else than the file. Sizes that the file has as symbols stay
/// where they fit. When a node fails, what the file says of it and of what depends on it is no longer true and goes.
/// Linear; any thread.
std::shared_ptr<const ShapeNotes> makeShapeNotes(std::shared_ptr<const fx::GraphModule> version, fx::NodeShapes shapes,
                                                 QString guessed);

/// `module` with the notes of the nodes that it has in common with their version; null when there are none, or too many
/// for the GUI thread.
std::shared_ptr<const fx::GraphModule> noted(const std::shared_ptr<const fx::GraphModule>& module,
                                             const std::shared_ptr<const ShapeNotes>& notes);

/// Whether both versions of the same nodes say the same shapes and types. Linear.
bool sameShapes(const fx::GraphModule& a, const fx::GraphModule& b);

} // namespace ui
