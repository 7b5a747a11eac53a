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

/// The result of running the original on inputs on which a version of it fails. Yes: edits have broken the version. No:
/// the inputs are wrong for both.
enum class OriginalTakes { Unknown, Yes, No };

/// True if a failure may be due to the inputs: then its nodes are marked as suspect, not as wrong.
inline bool suspectsInputs(OriginalTakes original, const QString& guessed) {
    return original == OriginalTakes::No || (original == OriginalTakes::Unknown && !guessed.isEmpty());
}

/// Known values of one version's nodes, ready for display. Immutable.
struct ShapeNotes {
    std::shared_ptr<const fx::GraphModule> version; ///< the version of these notes
    std::shared_ptr<const fx::GraphModule>
        shown; ///< the version with its notes; null if there are no notes besides the shapes in the file
    std::vector<std::pair<fx::NodeId, fx::MetaPtr>> notes; ///< metadata that differs from the file
    std::vector<fx::ShapeFailure> failures;                ///< nodes whose shapes could not be inferred
    /// The values of the file's symbols and expressions for the inputs that were used: {"s0", "16"}.
    std::unordered_map<std::string, std::string> symbols;
    OriginalTakes original = OriginalTakes::Unknown; ///< for a version that fails
    QString guessed;                                 ///< the guessed inputs: "x 1×3×224×224 float32"; empty if none
    QString batch;   ///< inputs of which only the batch size is assumed: "x 1×3×32×32 float32"; empty if none
    QString error;   ///< why shapes are unknown; else empty
    QString failure; ///< a sentence: why there are no shapes, or no more of them; else empty
    /// Nodes whose shapes need run-time values, or code that does not run automatically, with the reason; in graph
    /// order. Empty once the user has asked for the shapes.
    std::vector<std::pair<fx::NodeId, fx::Message>> waiting;

    /// Returns why a node has no shape yet, or null.
    const fx::Message* whyWaiting(fx::NodeId node) const;
};

/// The reason for inferring shapes: a file was opened, or the user asked.
enum class ShapesFor { Opening, User };

/// Creates notes for all nodes whose `shapes` differ from the file. Keeps symbolic sizes of the file that match. If a
/// node fails, drops the file's shapes of the node and its dependents, unless it only waits for values. Linear;
/// thread-safe.
std::shared_ptr<const ShapeNotes> makeShapeNotes(std::shared_ptr<const fx::GraphModule> version, fx::NodeShapes shapes,
                                                 QString guessed, OriginalTakes original = OriginalTakes::Unknown,
                                                 ShapesFor whom = ShapesFor::User, QString batch = {});

/// Returns `module` with the notes of the nodes that it shares with their version; null if no node is shared, or too
/// many for the GUI thread.
std::shared_ptr<const fx::GraphModule> noted(const std::shared_ptr<const fx::GraphModule>& module,
                                             const std::shared_ptr<const ShapeNotes>& notes);

/// True if two versions with the same nodes have equal shapes and dtypes. Linear.
bool sameShapes(const fx::GraphModule& a, const fx::GraphModule& b);

} // namespace ui
