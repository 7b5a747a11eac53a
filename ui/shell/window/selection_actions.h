// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document.h"
#include "ui/shell/window_actions.h"

namespace ui {

/// What can be done with a document follows from what is open and selected; the rest is known elsewhere.
Needs needsMetBy(Document* document);

/// Paths of the tensors that belong to a node: the one that it gets, or those of the module that it calls.
std::vector<std::string> tensorPathsOf(const fx::GraphModule& model, const fx::Node& node);

/// Adds the inputs, or else the users, of the selected nodes to the selection.
void selectNeighbours(Document& document, bool inputs);

/// A graph in a model, and the get_attr or call_module whose target it is.
struct NestedGraph {
    fx::NodeId node = fx::kNoNode;
    std::shared_ptr<const fx::GraphModule> graph;
    bool isBlock = false; ///< of TorchScript, whose text is what runs: the graph is only shown
};
/// The graphs behind the selected node: of a higher-order operator's get_attr, of a module that is a GraphModule
/// itself, of a block of TorchScript, or those that a call such as torch.cond takes, in their order.
std::vector<NestedGraph> nestedGraphs(const Document& document);
/// Whether there is one.
bool hasNestedGraphs(const Document& document);

} // namespace ui
