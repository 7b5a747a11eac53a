// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <QByteArray>
#include <QString>

namespace ui {

/// A module of the tree called where it was dropped: after `node`, whose users take the result; with `user` on the edge
/// to that one alone.
struct ModuleCall {
    std::string path;
    fx::NodeId node = fx::kNoNode, user = fx::kNoNode;
};

/// A ModuleList or its like, which only holds other modules and cannot be called.
bool holdsOnly(const fx::Module& module);
/// Why it cannot be, in words; empty: it can. Quick: the engine has the last word when the step is done.
QString whyNoCall(const fx::GraphModule& module, const ModuleCall& call);
/// "Call blocks.0 after relu": of the change, for the history. Only for a call that can be.
QString callName(const fx::GraphModule& module, const ModuleCall& call);
/// The steps that make it. Throws fx::Error.
QByteArray callModuleSteps(const fx::GraphModule& module, const ModuleCall& call);

} // namespace ui
