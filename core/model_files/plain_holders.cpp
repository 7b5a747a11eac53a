// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/plain_holders.h"

#include "core/io/graphmodule/graphmodule_writer.h"
#include "core/module/module_editor.h"

#include <unordered_set>
#include <variant>

namespace fx {
namespace {

std::unordered_set<std::string> targetsOf(const Graph& graph) {
    std::unordered_set<std::string> targets;
    for (const Node& node : graph.nodes())
        if (node.op() == Op::CallModule || node.op() == Op::GetAttr) targets.insert(node.target());
    return targets;
}

/// Modules that keep their class: those that nodes name, nested graphs, and all that is in them.
std::unordered_set<const Module*> wholeModules(const GraphModule& model,
                                               const std::unordered_set<std::string>& targets) {
    std::unordered_set<const Module*> whole;
    const auto add = [&](const Module& module) {
        if (!whole.contains(&module))
            forEachModule(module, [&](const std::string&, const Module& each) { whole.insert(&each); });
    };
    PathResolver paths(*model.root);
    for (const std::string& target : targets)
        if (const Module* module = paths.resolve(target).module) add(*module);
    forEachModule(*model.root, [&](const std::string& path, const Module& module) {
        if (!path.empty() && module.graphModule) add(module);
    });
    return whole;
}

/// Modules that a target only passes through.
std::unordered_set<const Module*> passedThrough(const GraphModule& model,
                                                const std::unordered_set<std::string>& targets) {
    std::unordered_set<std::string_view> above;
    for (std::string_view path : targets)
        for (auto dot = path.rfind('.'); dot != path.npos && above.insert(path.substr(0, dot)).second;)
            path = path.substr(0, dot), dot = path.rfind('.');
    std::unordered_set<const Module*> passed;
    PathResolver paths(*model.root);
    for (const std::string_view path : above) passed.insert(paths.resolve(path).module);
    return passed;
}

} // namespace

GraphModule withPlainHolders(GraphModule model) {
    std::vector<std::pair<std::string, const Module*>> holders;
    forEachModule(*model.root, [&](const std::string& path, const Module& module) {
        if (!path.empty() && module.className != "Module" && isNewIn(model, module))
            holders.emplace_back(path, &module);
    });
    if (holders.empty()) return model;
    const std::unordered_set<std::string> targets = targetsOf(model.graph);
    const std::unordered_set<const Module*> whole = wholeModules(model, targets);
    const std::unordered_set<const Module*> passed = passedThrough(model, targets);
    std::erase_if(holders, [&](const auto& each) {
        const bool isOfTorch = each.second->classModule.starts_with("torch.");
        return whole.contains(each.second) || (isOfTorch && !passed.contains(each.second));
    });
    if (holders.empty()) return model;
    ModuleEditor editor(model);
    for (const auto& holder : holders) {
        const std::string& path = holder.first; // clang 14 captures no structured bindings
        Module& module = *editor.writable(path);
        module.setType("torch.nn.modules.module.Module");
        std::erase_if(module.attributes, [&](const auto& each) { // tensors may be read by constants
            return std::holds_alternative<Argument>(each.second) && !targets.contains(path + "." + each.first);
        });
    }
    return model;
}

} // namespace fx
