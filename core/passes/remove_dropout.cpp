// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/remove_dropout.h"

#include "core/passes/module_uses.h"
#include "core/passes/sort_users.h"

namespace fx {
namespace {

bool takeOutDropout(const PassRun& run) {
    Graph& graph = run.graph();
    PathResolver paths(*run.model.root);
    std::set<std::string> removed;
    for (const NodeId id : graph.order()) {
        const Node& node = graph.node(id);
        if (node.op() != Op::CallModule) continue;
        const Module* module = paths.resolve(node.target()).module;
        if (!module || module->qualifiedType() != "torch.nn.modules.dropout.Dropout") continue;
        if (node.args().size() != 1 || !node.args()[0].isNode() || !node.kwargs().empty())
            throw Error(ErrorKind::Refused, Message("passes.dropout_arguments", {{"count", node.args().size()}}))
                .onNode(node.name());
        const NodeId input = node.args()[0].node();
        const std::string path = node.target();
        const bool made = run.rewrite(id, [&] {
            graph.replaceAllUses(id, input);
            graph.erase(id);
            sortUsers(graph, input);
        });
        if (made) removed.insert(path);
    }
    removeUnusedModules(run.model, removed);
    return !removed.empty();
}

} // namespace

Pass removeDropoutPass() {
    return {"remove_dropout", "removes nn.Dropout modules, which do nothing in eval mode", {}, takeOutDropout, {}};
}

} // namespace fx
