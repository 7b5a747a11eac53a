// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document.h"
#include "ui/shell/window_actions.h"

namespace ui {

/// Returns the requirements that `document` (may be null) and its selection meet. Other requirements are checked
/// elsewhere.
Needs needsMetBy(Document* document);

/// Returns the paths of the tensors of a node: the one that it gets, or those of the module that it calls.
std::vector<std::string> tensorPathsOf(const fx::GraphModule& model, const fx::Node& node);

/// Adds the inputs, or else the users, of the selected nodes to the selection.
void selectNeighbours(Document& document, bool inputs);

/// A graph inside a model.
struct NestedGraph {
    fx::NodeId node = fx::kNoNode;                ///< the get_attr or call_module whose target it is
    std::shared_ptr<const fx::GraphModule> graph; ///< null: no graph
    bool isBlock = false; ///< a TorchScript block or file, which is what runs: the graph is only shown
};
/// Returns the graphs behind the selected node: of a higher-order operator's get_attr, of a module that is a
/// GraphModule itself, of a TorchScript block, or those that a call such as torch.cond takes, in their order.
std::vector<NestedGraph> nestedGraphs(const Document& document);
/// True if `nestedGraphs` is not empty; cheaper.
bool hasNestedGraphs(const Document& document);

} // namespace ui
