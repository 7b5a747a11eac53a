// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/edit/module_call.h"

#include "core/edit/history.h"
#include "core/edit/steps.h"
#include "core/json/json_writer.h"
#include "ui/edit/call_dialog.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>

namespace ui {

namespace {

/// The translation context.
class CallText {
    Q_DECLARE_TR_FUNCTIONS(ui::ModuleCall)
};

QString plain(const std::string& text) { return QString::fromStdString(text); }

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
            .arg(plain(call.path));
    if (holdsOnly(*target.module))
        return CallText::tr("%1 is a %2, which only contains modules; drag one of them instead.")
            .arg(plain(call.path), plain(target.module->className));
    if (call.node == fx::kNoNode)
        return CallText::tr("Drop %1 on a node to call it after that node, or on an edge.").arg(plain(call.path));
    if (graph.node(call.node).op() == fx::Op::Output)
        return CallText::tr("Nothing can follow the output; drop %1 on the edge to it.").arg(plain(call.path));
    return {};
}

QString callName(const fx::GraphModule& module, const ModuleCall& call) {
    const auto name = [&](fx::NodeId id) { return plain(module.graph.node(id).name()); };
    if (call.user == fx::kNoNode) return CallText::tr("Call %1 after %2").arg(plain(call.path), name(call.node));
    return CallText::tr("Call %1 between %2 and %3").arg(plain(call.path), name(call.node), name(call.user));
}

QByteArray callModuleSteps(const fx::GraphModule& module, const ModuleCall& call) {
    const fx::Graph& graph = module.graph;
    const std::string& at = graph.node(call.node).name();
    fx::JsonWriter json;
    json.beginArray()
        .beginObject()
        .key("step")
        .string("insert_after")
        .key("node")
        .string(at)
        .key("op")
        .string("call_module")
        .key("target")
        .string(call.path);
    json.key("args").beginArray().beginObject().key("node").string(at).endObject().endArray();
    if (call.user == fx::kNoNode) json.key("rewire_users").boolean(true);
    json.endObject();
    if (call.user != fx::kNoNode) {
        // The name of the new node is known from trying the insertion.
        const auto edited = fx::History::edited(module, json.text() + "]");
        const fx::EditEffect effect = fx::compareVersions(graph, edited->graph);
        json.beginObject().key("step").string("set_args").key("node").string(graph.node(call.user).name());
        writeCallWith(json, edited->graph, edited->graph.node(call.user), call.node, effect.created.back());
        json.endObject();
    }
    return QByteArray::fromStdString(json.endArray().text());
}

} // namespace ui
