// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"
#include "ui/edit/callable_search.h"

#include <QByteArray>

namespace ui {

/// Returns the callable of a node as a choice for a new node; a call of a torch.nn module gives its class. Empty for
/// nodes that call nothing and for functions that are unknown.
std::optional<CallableChoice> choiceOf(const fx::GraphModule& model, const fx::Node& node);

/// Returns the calls that are likely beside a node. The calls that the model makes after (or before) nodes with the
/// same call come first, then its other calls, the most frequent first. Linear in the nodes.
std::vector<CallableChoice> plausibleCalls(const fx::GraphModule& model, fx::NodeId node, bool after,
                                           std::size_t limit = 10);

/// Parses the JSON of the calls that were inserted last, newest first.
std::vector<CallableChoice> recentCalls(const QByteArray& json);
/// Returns `json` with `newest` in front, without duplicates and with a limited length.
QByteArray recentCallsWith(const QByteArray& json, const CallableChoice& newest);

} // namespace ui
