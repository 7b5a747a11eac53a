// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/steps/step_list.h"
#include "core/module/graph_module.h"

#include <QString>

namespace ui {

/// A call of an existing module that a drop on the canvas inserts.
struct ModuleCall {
    std::string path; ///< the path of the module
    /// Inserts after `node`; all its users take the result, or only `user` if it is set.
    fx::NodeId node = fx::kNoNode, user = fx::kNoNode;
};

/// True for containers such as ModuleList, which cannot be called.
bool holdsOnly(const fx::Module& module);
/// Explains why the call is not possible; empty if it is. This is a quick check: the step may still be refused.
QString whyNoCall(const fx::GraphModule& module, const ModuleCall& call);
/// Returns the name of the change in the history: "Call blocks.0 after relu". Only for possible calls.
QString callName(const fx::GraphModule& module, const ModuleCall& call);
/// Returns the steps of the call. Throws fx::Error.
fx::StepList callModuleSteps(const fx::GraphModule& module, const ModuleCall& call);

} // namespace ui
