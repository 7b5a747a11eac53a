// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"
#include "ui/edit/callables.h"

#include <QByteArray>

namespace ui {

/// What a node calls, as it would be chosen to be called again: a module of torch.nn as a new one of its class. Nothing
/// for other nodes.
std::optional<CallableChoice> choiceOf(const fx::GraphModule& model, const fx::Node& node);

/// What is likely to be called next to a node: first what the model calls after (or before) nodes that call the same,
/// then what it calls at all; the most frequent first. Linear in the nodes.
std::vector<CallableChoice> plausibleCalls(const fx::GraphModule& model, fx::NodeId node, bool after,
                                           std::size_t limit = 10);

/// The calls that were inserted last, newest first, and their JSON for the settings.
std::vector<CallableChoice> recentCalls(const QByteArray& json);
QByteArray recentCallsWith(const QByteArray& json, const CallableChoice& newest);

} // namespace ui
