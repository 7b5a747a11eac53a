// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/scene/node_style.h"

#include <QCoreApplication>

namespace ui {

class Document;

/// The marks of a document's nodes on the canvas: failing where shapes do not fit, else new or edited since the model
/// was opened. A failure for a guessed input only suspects the node.
class NodeMarks {
    Q_DECLARE_TR_FUNCTIONS(ui::NodeMarks)
public:
    using Make = std::function<NodeMarker()>;
    /// What finds the marks of the current version, in any thread and in linear time; it gives null if no node is
    /// marked. Null if there is nothing to look for.
    static Make makerFor(const Document& document);
};

} // namespace ui
