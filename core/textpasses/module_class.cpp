// SPDX-License-Identifier: GPL-3.0-or-later
// torch.fx GraphModule as a class of followed programs.
#include "core/textpasses/graph_objects.h"

#include <algorithm>
#include <unordered_set>

namespace fx::python {

void GraphObjects::addModuleClass() {
    m_type = makeClass("GraphModule", {m_in.torchClass("torch.nn.Module")});
    m_type->isModule = true;
    property(
        m_type, "graph", [this](const Value& self) -> Value { return m_graphs.at(self.as<Instance>()); },
        [this](const Value& self, const Value& value) { m_graphs[self.as<Instance>()] = graphOf(value, "graph"); });
    for (const char* name : {"recompile", "print_readable"})
        method(m_type, name, [](Values&, Keywords&) { return Value::none(); });
    // GraphModule(root, graph): a second GraphModule of the same tree, whose graph is another.
    m_type->members.set("__lancet_call__",
                        m_in.native("GraphModule", [this](Interpreter&, Values& args, Keywords& kwargs) -> Value {
                            if (!isGraphModule(argumentAt(args, kwargs, 0, "root")))
                                m_in.raise("NotImplementedError", "a GraphModule of another root than the given model");
                            return graphModule(graphOf(argumentAt(args, kwargs, 1, "graph"), "GraphModule"));
                        }));
    addModuleTree();
}

Instance* GraphObjects::graphModule(GraphObject* graph) {
    Instance* made = m_in.heap().make<Instance>();
    made->type = m_type;
    made->module = m_model.root;
    m_graphs.emplace(made, graph);
    return made;
}

std::shared_ptr<Module> GraphObjects::moduleAt(const std::string& path, bool creates) {
    std::shared_ptr<Module> at = m_model.root;
    for (std::size_t start = 0; start <= path.size() && !path.empty();) {
        const std::size_t dot = std::min(path.find('.', start), path.size());
        const std::string atom = path.substr(start, dot - start);
        start = dot + 1;
        const std::size_t found = at->childIndex(atom);
        if (found == at->children.size()) {
            if (!creates) return nullptr;
            auto made = std::make_shared<Module>();
            made->className = "Module";
            made->classModule = "torch.nn.modules.module";
            at->children.push_back({atom, made});
        }
        at = at->children[found].module;
        if (!at) return nullptr;
    }
    return at;
}

namespace {
std::pair<std::string, std::string> split(const std::string& path) {
    const std::size_t dot = path.rfind('.');
    return dot == std::string::npos ? std::pair(std::string(), path)
                                    : std::pair(path.substr(0, dot), path.substr(dot + 1));
}
} // namespace

/// torch.fx `delete_all_unused_submodules`.
void GraphObjects::removeUnused(const Graph& graph) {
    std::unordered_set<std::string> used;
    std::unordered_set<const Module*> inside;
    for (const Node& node : graph.nodes()) {
        if (node.op() != Op::CallModule && node.op() != Op::GetAttr) continue;
        const std::string& path = node.target();
        for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', dot + 1))
            used.insert(path.substr(0, dot));
        used.insert(path);
        if (const auto module = node.op() == Op::CallModule ? moduleAt(path, false) : nullptr)
            forEachModule(*module, [&](const std::string& below, const Module&) {
                if (!below.empty()) used.insert(path + "." + below);
            });
    }
    std::vector<std::string> unused;
    forEachModule(*m_model.root, [&](const std::string& path, const Module&) {
        if (!path.empty() && !used.contains(path)) unused.push_back(path);
    });
    for (const std::string& path : unused) {
        const auto [parent, name] = split(path);
        if (const auto holder = moduleAt(parent, false))
            std::erase_if(holder->children, [last = name](const auto& child) { return child.name == last; });
    }
}

void GraphObjects::addModuleTree() {
    method(m_type, "add_submodule", [this](Values& args, Keywords& kwargs) -> Value {
        const auto [parent, name] = split(m_in.str(argumentAt(args, kwargs, 1, "target")));
        const auto* child = argumentAt(args, kwargs, 2, "m").as<Instance>();
        if (!child || !child->module) m_in.raise("TypeError", "expected a Module to add");
        const auto holder = moduleAt(parent, true);
        if (!holder || holder->parameter(name) || holder->buffer(name)) return {false};
        const std::size_t at = holder->childIndex(name);
        if (at < holder->children.size()) holder->children[at].module = child->module;
        else holder->children.push_back({name, child->module});
        return {true};
    });
    method(m_type, "delete_submodule", [this](Values& args, Keywords& kwargs) -> Value {
        const auto [parent, name] = split(m_in.str(argumentAt(args, kwargs, 1, "target")));
        const auto holder = moduleAt(parent, false);
        return {holder &&
                std::erase_if(holder->children, [last = name](const auto& child) { return child.name == last; }) > 0};
    });
    method(m_type, "delete_all_unused_submodules", [this](Values& args, Keywords&) {
        removeUnused(*m_graphs.at(args.at(0).as<Instance>())->graph);
        return Value::none();
    });
}

} // namespace fx::python
