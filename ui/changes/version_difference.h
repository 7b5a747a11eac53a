// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/history.h"
#include "core/edit/steps/steps.h"

#include <QByteArray>

#include <memory>
#include <vector>

namespace ui {

/// The difference between two versions of one model: nodes, and the generated code line by line.
struct VersionDifference {
    /// How a node or line differs.
    enum class Kind : std::uint8_t { Same, Created, Erased, Changed };
    /// A line of the merged code.
    struct Line {
        Kind kind = Kind::Same;        ///< a changed node has an Erased and a Created line
        QByteArray text;               ///< without a line end
        fx::NodeId node = fx::kNoNode; ///< kNoNode: no node
    };
    std::shared_ptr<const fx::GraphModule> before, after; ///< the compared versions
    fx::EditEffect effect;                                ///< without nodes that were merely recreated
    /// The lines of the merged code, in order. If only the module behind a call is new, comments describe both modules.
    std::vector<Line> lines;
    std::vector<Kind> kinds; ///< by node id
    /// The nodes that differ, in code order; nodes without a line come last.
    std::vector<fx::NodeId> nodes;
    /// Changed nodes whose call is the same: only the module or tensor behind the path is new. Sorted by id.
    std::vector<fx::NodeId> newModules;
    /// The modules of `after` whose weights were drawn at random since `before`, by path.
    std::vector<std::string> randomWeights;
    /// True if no node, module or tensor differs.
    bool isEmpty() const {
        return effect.created.empty() && effect.erased.empty() && effect.changed.empty() && sameModules;
    }
    bool sameModules = true; ///< no module or tensor was replaced

    /// True for nodes in `newModules`. O(log n).
    bool hasNewModule(fx::NodeId node) const;
    /// True if the module that the node calls, or a module inside it, is in `randomWeights`.
    bool hasRandomWeights(fx::NodeId node) const;
    /// Returns the kind of difference of a node; Same for unknown ids.
    Kind kindOf(fx::NodeId node) const { return fx::index(node) < kinds.size() ? kinds[fx::index(node)] : Kind::Same; }
};

/// Compares two versions; `after` must be an edited version of `before`. Linear; thread-safe.
VersionDifference differenceOf(std::shared_ptr<const fx::GraphModule> before,
                               std::shared_ptr<const fx::GraphModule> after, const fx::Progress& progress = {});

/// Compares the first and the last of `versions`, and finds the random weights that the edits between them drew.
VersionDifference differenceOf(const std::vector<fx::History::Entry>& versions, const fx::Progress& progress = {});
/// Returns the versions from the first to the current one.
std::vector<fx::History::Entry> versionsOf(const fx::History& history);

/// Returns the changed lines with `context` lines before and after. Each omitted range becomes one line of kind Same
/// without a node that gives the number of lines.
std::vector<VersionDifference::Line> shortened(const std::vector<VersionDifference::Line>& lines, std::size_t context);

} // namespace ui
