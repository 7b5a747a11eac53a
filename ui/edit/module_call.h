// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <QByteArray>
#include <QString>

namespace ui {

/// A call of a module at the drop position: after `node`, whose users take the result, or with `user` only on that
/// edge.
struct ModuleCall {
    std::string path;
    fx::NodeId node = fx::kNoNode, user = fx::kNoNode;
};

/// Whether it is a container such as ModuleList, which cannot be called.
bool holdsOnly(const fx::Module& module);
/// Why the call is not possible, or empty. A quick check; the step itself may still be refused.
QString whyNoCall(const fx::GraphModule& module, const ModuleCall& call);
/// "Call blocks.0 after relu": the name of the change in the history. Only for possible calls.
QString callName(const fx::GraphModule& module, const ModuleCall& call);
/// The steps of the call. Throws fx::Error.
QByteArray callModuleSteps(const fx::GraphModule& module, const ModuleCall& call);

} // namespace ui
