// SPDX-License-Identifier: GPL-3.0-or-later
// torch.fx GraphModule as a class of followed programs.
#include "core/codegen/pytree_code.h"
#include "core/module/child_lookup.h"
#include "core/module/computed_reads.h"
#include "core/textpasses/class_making.h"
#include "core/textpasses/graph_objects.h"

#include <algorithm>
#include <unordered_set>

namespace fx::python {

void GraphObjects::addModuleClass() {
    m_type = makeClass(m_in, "GraphModule", {m_in.bridge().torchClass("torch.nn.Module")});
    m_type->isModule = true;
    m_type->members.set("__module__", m_in.text("torch.fx.graph_module"));
    addProperty(
        m_in, m_type, "graph", [this](const Value& self) -> Value { return m_graphs.at(self.as<Instance>()); },
        [this](const Value& self, const Value& value) { own(self.as<Instance>(), graphOf(value, "graph")); });
    const auto code = [this](const Value& self) -> Value {
        return m_in.text(generatePython(modelOf(*self.as<Instance>())).text);
    };
    addProperty(m_in, m_type, "code", code);
    addProperty(m_in, m_type, "forward", [this](const Value& self) -> Value {
        ::fx::python::Method* bound = m_in.heap().make<::fx::python::Method>();
        bound->self = self;
        bound->function = forwardOf(*self.as<Instance>());
        return bound;
    });
    addProperty(
        m_in, m_type, "meta",
        [this](const Value& self) -> Value {
            Value& meta = m_metas[self.as<Instance>()];
            if (!meta.isSet()) meta = m_in.heap().make<Dict>();
            return meta;
        },
        [this](const Value& self, const Value& value) { m_metas[self.as<Instance>()] = value; });
    addMethod(m_in, m_type, "_get_name", [this](Values& args, Keywords&) -> Value {
        return m_in.text(args.at(0).get<Instance>().module->className);
    });
    addMethod(m_in, m_type, "__str__", [this, code](Values& args, Keywords&) -> Value {
        return m_in.text(m_in.repr(args.at(0)) + "\n" + m_in.str(code(args[0])) +
                         "\n# To see more debug info, please use `graph_module.print_readable()`");
    });
    addMethod(m_in, m_type, "recompile", [this](Values& args, Keywords&) {
        if (const auto known = m_graphs.find(args.at(0).as<Instance>()); known != m_graphs.end())
            known->second->compiled = *known->second->graph;
        return Value::none();
    });
    addMethod(m_in, m_type, "print_readable", [this](Values& args, Keywords& kwargs) {
        const Value prints = argumentAt(args, kwargs, 1, "print_output");
        Keywords shown;
        for (const auto& [at, key] : {std::pair(2, "include_stride"), std::pair(3, "include_device")})
            if (const Value given = argumentAt(args, kwargs, static_cast<std::size_t>(at), key); given.isSet())
                shown.emplace_back(key, given);
        const Value name = m_in.call(m_in.attribute(args.at(0), "_get_name"), {});
        const Value text = m_in.call(m_in.resolve("torch.fx._readable.readable"), {args[0], name}, std::move(shown));
        if (!prints.isSet() || m_in.truth(prints)) m_in.call(*m_in.builtin("print"), {text});
        return text;
    });
    m_type->members.set("__lancet_call__",
                        m_in.native("GraphModule", [this](Interpreter&, Values& args, Keywords& kwargs) -> Value {
                            GraphObject* graph = graphOf(argumentAt(args, kwargs, 1, "graph"), "GraphModule");
                            const Value name = argumentAt(args, kwargs, 2, "class_name");
                            graph->className = name.isSet() ? m_in.str(name) : "GraphModule";
                            return graphModule(rootFor(argumentAt(args, kwargs, 0, "root"), *graph), graph);
                        }));
    for (const char* name : {"__copy__", "__deepcopy__"})
        addMethod(m_in, m_type, name,
                  [this, isDeep = std::string_view(name) == "__deepcopy__"](Values& args, Keywords&) {
                      Values given{args.at(0)};
                      if (isDeep) {
                          const bool hasMemo = args.size() > 1 && !args[1].isNone();
                          given.push_back(hasMemo ? args[1] : Value(m_in.heap().make<Dict>()));
                          given.emplace_back(true); // plain
                      }
                      const Value copy = m_in.call(*m_in.builtin("__copy__"), given);
                      auto* made = copy.as<Instance>();
                      made->module->className = "GraphModule"; // torch.fx gives copies no name
                      made->type = classOf(*made->module);
                      own(made, copied(*m_graphs.at(args[0].as<Instance>())));
                      return copy;
                  });
    addModuleTree();
}

namespace {

void setChild(Module& holder, const std::string& name, std::shared_ptr<Module> module) {
    const std::size_t known = holder.childIndex(name);
    if (known < holder.children.size()) holder.children[known].module = std::move(module);
    else holder.children.push_back({name, std::move(module)});
}

/// The root of a new GraphModule, with what its graph names and plain modules above that.
class NewRoot {
public:
    const std::shared_ptr<Module>& root() const { return m_root; }

    /// torch.fx `_copy_attr`; false if `from` has no such thing. Each path once.
    bool copy(const Module& from, const std::string& path) {
        const PathTarget found = resolvePath(from, path, m_lookup);
        if (found.kind == PathTarget::Kind::Missing) return false;
        const Module* source = &from;
        Module* holder = holderOf(path, [&](const std::string& atom) {
            const auto& next = source->children[m_lookup.find(*source, atom)].module;
            source = next.get();
            return next;
        });
        const std::string name = path.substr(path.rfind('.') + 1);
        if (!holder) return true;
        if (found.kind == PathTarget::Kind::Module) setModule(*holder, path, found.shared);
        else if (found.kind == PathTarget::Kind::Parameter) holder->parameters.push_back({name, found.tensor});
        else if (found.tensor) holder->buffers.push_back({name, found.tensor});
        else if (const auto* value = found.holder->attribute(name)) holder->attributes.emplace_back(name, *value);
        return true;
    }
    /// torch.fx `_assign_attr` of a module or tensor.
    void assign(const std::string& path, const Value& value) {
        Module* holder = holderOf(path, [](const std::string&) { return nullptr; });
        const auto* module = value.as<Instance>();
        if (module && module->module) return setModule(*holder, path, module->module);
        if (const auto* given = tensorIn(value)) {
            const TensorPtr tensor = trace::objectOf(*given);
            (tensor->isParameter ? holder->parameters : holder->buffers)
                .push_back({path.substr(path.rfind('.') + 1), tensor});
        }
    }

private:
    /// Null where a module above is the original one, with all that it has.
    template<class Below> Module* holderOf(const std::string& path, Below below) {
        Module* at = m_root.get();
        std::size_t start = 0;
        for (std::size_t dot = path.find('.'); dot != std::string::npos; start = dot + 1, dot = path.find('.', start)) {
            const std::string atom = path.substr(start, dot - start), above = path.substr(0, dot);
            const std::shared_ptr<Module> original = below(atom);
            const auto known = m_places.find(above);
            if (known == m_places.end()) setModule(*at, above, emptyModule());
            const auto& child = at->children[m_places.at(above)].module;
            if (child == original) return nullptr;
            at = child.get();
        }
        return at;
    }
    void setModule(Module& holder, const std::string& path, std::shared_ptr<Module> module) {
        const auto [place, isNew] = m_places.emplace(path, holder.children.size());
        if (isNew) holder.children.push_back({path.substr(path.rfind('.') + 1), std::move(module)});
        else holder.children[place->second].module = std::move(module);
    }

    std::shared_ptr<Module> m_root = emptyModule("torch.fx.graph_module.GraphModule");
    std::unordered_map<std::string, std::size_t> m_places; ///< of modules among the children of theirs, by path
    ChildLookup m_lookup;
};

} // namespace

/// What `GraphModule(root, graph)` makes of its root: the modules and tensors that the graph names.
std::shared_ptr<Module> GraphObjects::rootFor(const Value& root, const GraphObject& graph) {
    const auto* given = root.as<Instance>();
    auto* named = given ? given->payload.as<Dict>() : root.as<Dict>();
    if (!named && (!given || !given->module))
        m_in.raise("RuntimeError", "Unsupported type " + m_in.repr(root) + " passed for root!");
    if (!named && given->module == m_model.root && m_model.format == Format::Pt2)
        return std::make_shared<Module>(*m_model.root); // its graph names weights as inputs
    const Module none;                                  // a dict has what it has
    std::vector<std::string> paths = neededPaths(*graph.graph, named ? none : *given->module);
    NewRoot made;
    if (named)
        std::stable_sort(paths.begin(), paths.end(), [](const std::string& a, const std::string& b) {
            return std::count(a.begin(), a.end(), '.') < std::count(b.begin(), b.end(), '.');
        });
    else made.root()->training = given->module->training;
    for (const std::string& path : paths) {
        if (!named && !made.copy(*given->module, path))
            m_in.raise("AttributeError", "'" + given->type->name + "' object has no attribute '" + path + "'");
        const Value* value = named ? named->find(path) : nullptr;
        if (named && !value)
            m_in.raise("RuntimeError", "Node referenced target " + path + " but that target was not provided in root!");
        if (value) made.assign(path, *value);
    }
    return made.root();
}

/// Each GraphModule has a class of its own, which has the name of the class that was traced.
Class* GraphObjects::classOf(const Module& root) {
    Class* type = makeClass(m_in, root.className.c_str(), {m_type});
    type->isModule = true;
    type->members.set("__module__", *m_type->members.find("__module__"));
    type->members.set("__lancet_call__", *m_type->members.find("__lancet_call__"));
    return type;
}

Instance* GraphObjects::graphModule(const std::shared_ptr<Module>& root, GraphObject* graph) {
    auto* made = m_in.modules().wrapModule(root).as<Instance>();
    if (!graph->className.empty()) made->module->className = graph->className;
    made->type = classOf(*made->module);
    own(made, graph);
    return made;
}

void GraphObjects::own(Instance* module, GraphObject* graph) {
    m_graphs[module] = graph;
    graph->owner = module;
    graph->compiled = *graph->graph;
}

const std::shared_ptr<Module>& GraphObjects::rootOf(const GraphObject& graph) const {
    return graph.owner ? graph.owner->module : graph.traced ? graph.traced : m_model.root;
}

namespace {
std::pair<std::string, std::string> split(const std::string& path) {
    const std::size_t dot = path.rfind('.');
    return dot == std::string::npos ? std::pair(std::string(), path)
                                    : std::pair(path.substr(0, dot), path.substr(dot + 1));
}

/// Returns the module at a path, or null. `creates` makes missing ones.
std::shared_ptr<Module> moduleAt(const std::shared_ptr<Module>& root, const std::string& path, bool creates) {
    constexpr std::ptrdiff_t kMaxParts = 900; // Python's walks over the modules end there
    if (creates && std::count(path.begin(), path.end(), '.') > kMaxParts)
        throw trace::PythonError("RecursionError: maximum recursion depth exceeded");
    std::shared_ptr<Module> at = root;
    for (std::size_t start = 0; start <= path.size() && !path.empty();) {
        const std::size_t dot = std::min(path.find('.', start), path.size());
        const std::string atom = path.substr(start, dot - start);
        start = dot + 1;
        const std::size_t found = at->childIndex(atom);
        if (found == at->children.size()) {
            if (!creates) return nullptr;
            at->children.push_back({atom, emptyModule()});
        }
        at = at->children[found].module;
        if (!at) return nullptr;
    }
    return at;
}

/// torch.fx `delete_all_unused_submodules`.
void removeUnused(const std::shared_ptr<Module>& root, const Graph& graph) {
    std::unordered_set<std::string> used;
    std::unordered_set<const Module*> inside;
    for (const std::string& path : neededPaths(graph, *root)) {
        for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', dot + 1))
            used.insert(path.substr(0, dot));
        used.insert(path);
    }
    for (const Node& node : graph.nodes()) {
        const std::string& path = node.target();
        if (const auto module = node.op() == Op::CallModule ? moduleAt(root, path, false) : nullptr)
            forEachModule(*module, [&](const std::string& below, const Module&) {
                if (!below.empty()) used.insert(path + "." + below);
            });
    }
    std::vector<std::string> unused;
    forEachModule(*root, [&](const std::string& path, const Module&) {
        if (!path.empty() && !used.contains(path)) unused.push_back(path);
    });
    for (const std::string& path : unused) {
        const auto [parent, name] = split(path);
        if (const auto holder = moduleAt(root, parent, false))
            std::erase_if(holder->children, [last = name](const auto& child) { return child.name == last; });
    }
}

} // namespace

void GraphObjects::addModuleTree() {
    addMethod(m_in, m_type, "add_submodule", [this](Values& args, Keywords& kwargs) -> Value {
        const auto [parent, name] = split(m_in.str(argumentAt(args, kwargs, 1, "target")));
        const auto* child = argumentAt(args, kwargs, 2, "m").as<Instance>();
        if (!child || !child->module) m_in.raise("TypeError", "expected a Module to add");
        const auto holder = moduleAt(args.at(0).get<Instance>().module, parent, true);
        if (!holder || holder->parameter(name) || holder->buffer(name)) return {false};
        setChild(*holder, name, child->module);
        return {true};
    });
    addMethod(m_in, m_type, "delete_submodule", [this](Values& args, Keywords& kwargs) -> Value {
        const auto [parent, name] = split(m_in.str(argumentAt(args, kwargs, 1, "target")));
        const auto holder = moduleAt(args.at(0).get<Instance>().module, parent, false);
        return {holder &&
                std::erase_if(holder->children, [last = name](const auto& child) { return child.name == last; }) > 0};
    });
    addMethod(m_in, m_type, "delete_all_unused_submodules", [this](Values& args, Keywords&) {
        const auto* self = args.at(0).as<Instance>();
        removeUnused(self->module, *m_graphs.at(self)->graph);
        return Value::none();
    });
}

} // namespace fx::python
