// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/float_functionals.h"

#include "core/module/module_editor.h"
#include "core/quant/module_values.h"

#include <algorithm>

namespace fx::quant {
namespace {

constexpr std::string_view kFxFloatFunctional = "torch.ao.nn.quantized.modules.functional_modules.FXFloatFunctional";

bool isFloatFunctional(const Module& module) {
    return module.className == "FloatFunctional" &&
           module.classModule == "torch.ao.nn.quantized.modules.functional_modules";
}

bool hasFloatFunctional(const Module& module) {
    return std::any_of(module.children.begin(), module.children.end(),
                       [](const Module::Child& each) { return each.module && isFloatFunctional(*each.module); });
}

void dropIdentities(TracedModel& traced) {
    Graph& graph = traced.model.graph;
    PathResolver paths(*traced.model.root);
    for (const NodeId id : graph.order()) {
        const Node& node = graph.node(id);
        if (node.op() != Op::CallModule || !node.target().ends_with(".activation_post_process")) continue;
        const Module* holder = paths.resolve(parentPath(node.target())).module;
        if (!holder || !isFloatFunctional(*holder) || node.args().empty() || !node.args()[0].isNode()) continue;
        const NodeId result = node.args()[0].node();
        traced.scopes.erase(node.name());
        graph.replaceAllUses(id, result);
        graph.erase(id);
    }
}

} // namespace

void swapFloatFunctionals(TracedModel& traced) {
    std::vector<std::string> holders;
    forEachModule(*traced.model.root, [&](const std::string& path, const Module& module) {
        if (hasFloatFunctional(module)) holders.push_back(path);
    });
    if (holders.empty()) return;
    dropIdentities(traced);
    ModuleEditor editor(traced.model);
    for (const std::string& path : holders) {
        std::vector<Module::Child>& children = editor.writable(path)->children;
        // PyTorch deletes and adds them: they stand last.
        const auto swapped = std::stable_partition(children.begin(), children.end(), [](const Module::Child& each) {
            return !each.module || !isFloatFunctional(*each.module);
        });
        for (auto child = swapped; child != children.end(); ++child) child->module = emptyModule(kFxFloatFunctional);
    }
}

} // namespace fx::quant
