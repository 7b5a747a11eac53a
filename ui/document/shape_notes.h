// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"
#include "core/shapes/node_shapes.h"

#include <QString>

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace ui {

/// Whether the original takes the inputs on which a version of it fails: then edits have broken it. Else the inputs are
/// wrong for both.
enum class OriginalTakes { Unknown, Yes, No };

/// Whether what fails may be due to the inputs: then its nodes are to be checked, and are not said to be wrong.
inline bool suspectsInputs(OriginalTakes original, const QString& guessed) {
    return original == OriginalTakes::No || (original == OriginalTakes::Unknown && !guessed.isEmpty());
}

/// Known values of one version's nodes, ready for display. Immutable.
struct ShapeNotes {
    std::shared_ptr<const fx::GraphModule> version;
    std::shared_ptr<const fx::GraphModule>
        shown; ///< the version with its notes; null if only the file's shapes are known
    std::vector<std::pair<fx::NodeId, fx::MetaPtr>> notes;
    std::vector<fx::ShapeFailure> failures;
    /// What the symbols and expressions of the file are with the inputs that were used: {"s0", "16"}.
    std::unordered_map<std::string, std::string> symbols;
    OriginalTakes original = OriginalTakes::Unknown; ///< of a version that fails
    QString guessed;                                 ///< the guessed inputs: "x 1×3×224×224 float32"; empty if none
    QString error;                                   ///< why shapes are unknown, or empty
};

/// Notes for all nodes whose `shapes` differ from the file. Matching symbolic sizes from the file are kept. If a node
/// fails, the file's shapes of the node and its dependents are dropped. Linear; any thread.
std::shared_ptr<const ShapeNotes> makeShapeNotes(std::shared_ptr<const fx::GraphModule> version, fx::NodeShapes shapes,
                                                 QString guessed, OriginalTakes original = OriginalTakes::Unknown);

/// `module` with the notes of the nodes that it shares with their version; null if there are none, or too many for the
/// GUI thread.
std::shared_ptr<const fx::GraphModule> noted(const std::shared_ptr<const fx::GraphModule>& module,
                                             const std::shared_ptr<const ShapeNotes>& notes);

/// Whether two versions with the same nodes have equal shapes and types. Linear.
bool sameShapes(const fx::GraphModule& a, const fx::GraphModule& b);

} // namespace ui
