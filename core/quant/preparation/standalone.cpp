// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/preparation/standalone.h"

#include "core/diag/error.h"

namespace fx::quant {

void matchStandalone(const NodeHeads& heads, const CustomConfig& custom, PatternMatches& matches) {
    static const PatternConfig kAlone;
    if (custom.standalone.empty()) return;
    std::unordered_set<std::string> seen;
    for (const Node& node : heads.graph().nodes()) {
        if (node.op() != Op::CallModule) continue;
        const StandaloneModule* entry = custom.standaloneFor(node.target(), heads.type(node.id()));
        if (!entry) continue;
        if (!seen.insert(node.target()).second)
            throw Error(ErrorKind::Refused, Message("quant.standalone_called_twice"))
                .onNode(node.name())
                .onModule(node.target());
        PatternMatch match;
        match.config = &kAlone, match.standalone = entry;
        match.lastNode = match.root = node.id();
        match.matched.parts.push_back({Argument(node.id()), {}});
        matches.put(node.id(), static_cast<std::uint32_t>(matches.matches.size()));
        matches.matches.push_back(std::move(match));
    }
}

namespace {

/// Sequential.forward, as torch.fx traces it one level deep.
GraphModule chain(const Module& module) {
    GraphModule made;
    NodeId value = made.graph.placeholder("input");
    for (const Module::Child& child : module.children)
        value = made.graph.createNode(Op::CallModule, child.name, {value});
    made.graph.output(value);
    return made;
}

} // namespace

GraphModule standaloneGraph(const Module& module, const std::string& path) {
    const bool isSequential = module.qualifiedType() == "torch.nn.modules.container.Sequential";
    if (!module.graphModule && !isSequential)
        throw Error(ErrorKind::Refused, Message("quant.standalone_untraced")).onModule(path);
    GraphModule made = module.graphModule ? *module.graphModule : chain(module);
    auto root = std::make_shared<Module>(module); // its children may be newer than those of the nested root
    root->graphModule = nullptr;
    made.root = std::move(root);
    return made;
}

std::shared_ptr<Module> asChild(GraphModule model) {
    auto child = std::make_shared<Module>(*model.root);
    child->className = "GraphModule", child->classModule = "torch.fx.graph_module";
    model.root = std::make_shared<Module>(*child);
    child->graphModule = std::make_shared<GraphModule>(std::move(model));
    return child;
}

} // namespace fx::quant
