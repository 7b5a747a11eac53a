// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/python/tracing/graph_code.h"

#include "core/module/graph_module.h"

namespace fx::python {

Function* forwardOf(Interpreter& in, const PythonCode& code) {
    const std::string name = "<eval_with_key>." + std::to_string(in.heap().size());
    return in.imports().runText(name, code.imports + "\n" + code.text).names.find("forward")->as<Function>();
}

Instance* graphModules(Interpreter& in, const std::shared_ptr<Module>& root, const Graph& graph) {
    // A class of its own, as torch.fx gives each GraphModule one.
    const auto follow = [&](const std::shared_ptr<Module>& module, const Graph& code) {
        auto* object = in.modules().wrapModule(module).as<Instance>();
        Class* type = in.heap().make<Class>();
        type->name = "GraphModule";
        type->isModule = true;
        type->bases = {in.bridge().torchClass("torch.nn.Module")};
        type->order = type->bases.front()->order;
        type->order.insert(type->order.begin(), type);
        type->members.set("forward", forwardOf(in, generatePython(code)));
        object->type = type;
        return object;
    };
    std::vector<std::shared_ptr<Module>> nested;
    forEachModule(*root, [&](const std::string&, const Module& module) {
        for (const auto& child : module.children)
            if (child.module && child.module->graphModule) nested.push_back(child.module);
    });
    for (const auto& module : nested) follow(module, module->graphModule->graph);
    return follow(root, graph);
}

} // namespace fx::python
