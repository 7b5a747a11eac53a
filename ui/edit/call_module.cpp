// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/edit/call_module.h"

#include "core/edit/history.h"
#include "core/edit/steps/steps.h"
#include "ui/widgets/core_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>

namespace ui {

namespace {

/// The translation context.
class CallText {
    Q_DECLARE_TR_FUNCTIONS(ui::ModuleCall)
};

} // namespace

bool holdsOnly(const fx::Module& module) {
    constexpr std::array kHolders{"ModuleList", "ModuleDict", "ParameterList", "ParameterDict"};
    return module.classModule == "torch.nn.modules.container" &&
           std::find(kHolders.begin(), kHolders.end(), module.className) != kHolders.end();
}

QString whyNoCall(const fx::GraphModule& module, const ModuleCall& call) {
    const fx::Graph& graph = module.graph;
    if (call.path.empty()) return CallText::tr("The model cannot call itself; drag one of its modules instead.");
    const fx::PathTarget target = fx::resolvePath(*module.root, call.path);
    if (!target.module)
        return CallText::tr("%1 is not a module of this model; copy and paste nodes that call it instead.")
            .arg(fromCore(call.path));
    if (holdsOnly(*target.module))
        return CallText::tr("%1 is a %2, which only contains modules; drag one of them instead.")
            .arg(fromCore(call.path), fromCore(target.module->className));
    if (call.node == fx::kNoNode)
        return CallText::tr("Drop %1 on a node to call it after that node, or on an edge.").arg(fromCore(call.path));
    if (graph.node(call.node).op() == fx::Op::Output)
        return CallText::tr("Nothing can follow the output; drop %1 on the edge to it.").arg(fromCore(call.path));
    return {};
}

QString callName(const fx::GraphModule& module, const ModuleCall& call) {
    const auto name = [&](fx::NodeId id) { return fromCore(module.graph.node(id).name()); };
    if (call.user == fx::kNoNode) return CallText::tr("Call %1 after %2").arg(fromCore(call.path), name(call.node));
    return CallText::tr("Call %1 between %2 and %3").arg(fromCore(call.path), name(call.node), name(call.user));
}

fx::StepList callModuleSteps(const fx::GraphModule& module, const ModuleCall& call) {
    const fx::Graph& graph = module.graph;
    const std::vector<fx::Argument> args{call.node};
    const bool rewires = call.user == fx::kNoNode;
    fx::StepList steps;
    steps.insertAfter(graph.node(call.node).name(), {fx::Op::CallModule, call.path, {}, rewires, {}},
                      {graph, args, {}});
    if (!rewires) {
        // The name of the new node is known from trying the insertion.
        const auto edited = fx::History::tried(module, steps).model;
        const fx::EditEffect effect = fx::compareVersions(graph, edited->graph);
        steps.setInput(edited->graph, call.user, call.node, effect.created.back());
    }
    return steps;
}

} // namespace ui
