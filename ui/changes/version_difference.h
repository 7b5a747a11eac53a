// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/history.h"
#include "core/edit/steps/steps.h"

#include <QByteArray>

#include <memory>
#include <vector>

namespace ui {

/// How two versions of one model differ: nodes, and the generated code line by line.
struct VersionDifference {
    enum class Kind : std::uint8_t { Same, Created, Erased, Changed };
    struct Line {
        Kind kind = Kind::Same; ///< a changed node has an Erased and a Created line
        QByteArray text;
        fx::NodeId node = fx::kNoNode;
    };
    std::shared_ptr<const fx::GraphModule> before, after;
    fx::EditEffect effect; ///< without nodes that were only recreated
    /// Of the whole code, in order. Where only the module of a call is new, comments tell it from the one before.
    std::vector<Line> lines;
    std::vector<Kind> kinds; ///< by node id
    /// Those that differ, in the order of the code; nodes without a line come last.
    std::vector<fx::NodeId> nodes;
    /// Changed nodes of which the call is the same: only what they call is new, a module or its weights. Sorted by id.
    std::vector<fx::NodeId> newModules;
    /// The modules of `after` with weights that were drawn at random since `before`.
    std::vector<std::string> randomWeights;
    bool isEmpty() const {
        return effect.created.empty() && effect.erased.empty() && effect.changed.empty() && sameModules;
    }
    bool sameModules = true; ///< no module or tensor was replaced

    bool hasNewModule(fx::NodeId node) const;
    /// The module that it calls, or one inside of it, is among `randomWeights`.
    bool hasRandomWeights(fx::NodeId node) const;
    Kind kindOf(fx::NodeId node) const { return fx::index(node) < kinds.size() ? kinds[fx::index(node)] : Kind::Same; }
};

/// `after` must be an edited version of `before`. Linear; any thread.
VersionDifference differenceOf(std::shared_ptr<const fx::GraphModule> before,
                               std::shared_ptr<const fx::GraphModule> after);

/// The same of the first and the last of these versions, with the random weights that the edits between them drew.
VersionDifference differenceOf(const std::vector<fx::History::Entry>& versions);
/// The versions from the first one to the current one.
std::vector<fx::History::Entry> versionsOf(const fx::History& history);

/// The changed lines with `context` lines before and after; each omitted range becomes one line of kind Same without a
/// node, with the number of lines.
std::vector<VersionDifference::Line> shortened(const std::vector<VersionDifference::Line>& lines, std::size_t context);

} // namespace ui
