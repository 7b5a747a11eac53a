// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document.h"
#include "ui/shell/window_actions.h"

namespace ui {

/// What can be done with a document follows from what is open and selected; the rest is known elsewhere.
Needs needsMetBy(Document* document);

/// Adds the inputs, or else the users, of the selected nodes to the selection.
void selectNeighbours(Document& document, bool inputs);

/// The graph behind the selected node: of a higher-order operator's get_attr, or of a module that is a GraphModule
/// itself; null: there is none.
std::shared_ptr<const fx::GraphModule> nestedGraph(const Document& document);

} // namespace ui
