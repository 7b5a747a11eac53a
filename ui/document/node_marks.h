// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "ui/scene/node_style.h"

#include <QCoreApplication>

namespace ui {

class Document;

/// The marks of a document's nodes on the canvas: failing if the shape cannot be inferred, else new or edited since the
/// model was opened. A failure that may be due to the inputs only marks the node as suspect.
class NodeMarks {
    Q_DECLARE_TR_FUNCTIONS(ui::NodeMarks)
public:
    /// Finds the marks of the current version in linear time. Thread-safe. Returns null if no node is marked.
    using Make = std::function<NodeMarker(const fx::Progress& progress)>;
    /// Returns the function that finds the marks of the current version, or null if there cannot be any.
    static Make makerFor(const Document& document);
};

} // namespace ui
