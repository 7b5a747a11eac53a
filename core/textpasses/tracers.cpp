// SPDX-License-Identifier: GPL-3.0-or-later
// torch.fx Tracer and symbolic_trace in followed programs.
#include "core/codegen/python_code.h"
#include "core/python/tracing/graph_code.h"
#include "core/python/tracing/trace_forward.h"
#include "core/textpasses/class_making.h"
#include "core/textpasses/graph_objects.h"
#include "core/trace/retrace.h"

#include <algorithm>

namespace fx::python {
namespace {

/// A trace inside of what runs, for as long as this lives.
class NestedTrace {
public:
    NestedTrace(Interpreter& in, Interpreter::Recording& recording) : m_in(in), m_other(recording) {
        m_in.swapRecording(m_other);
    }
    ~NestedTrace() { m_in.swapRecording(m_other); }
    NestedTrace(const NestedTrace&) = delete;
    NestedTrace& operator=(const NestedTrace&) = delete;

private:
    Interpreter& m_in;
    Interpreter::Recording& m_other;
};

/// Functions that are recorded while a trace goes on.
class WrappedFunctions {
public:
    explicit WrappedFunctions(Interpreter& in) : m_in(in) {}
    ~WrappedFunctions() {
        for (Function* each : m_functions) each->wrapped = false;
    }
    WrappedFunctions(const WrappedFunctions&) = delete;
    WrappedFunctions& operator=(const WrappedFunctions&) = delete;

    void add(Instance& tracer) {
        for (const char* name : {"_autowrap_modules", "_autowrap_functions"})
            if (const Value* all = tracer.attributes.find(name))
                for (const Value& each : m_in.list(*all)) m_in.calls().autowrap(each, m_functions);
    }

private:
    Interpreter& m_in;
    std::vector<Function*> m_functions;
};

/// Another value in a place for as long as this lives.
template<class T> class Temporarily {
public:
    Temporarily(T& place, T value) : m_place(place), m_before(std::exchange(place, std::move(value))) {}
    ~Temporarily() { m_place = std::move(m_before); }
    Temporarily(const Temporarily&) = delete;
    Temporarily& operator=(const Temporarily&) = delete;

private:
    T &m_place, m_before;
};

Value dictOf(Interpreter& in, const Keywords& kwargs) {
    Dict* dict = in.heap().make<Dict>();
    for (const auto& [key, each] : kwargs) dict->set(in.text(key), each);
    return dict;
}

} // namespace

// ── GraphModules that are traced again ───────────────────────────────────────────────────────────────────────────

/// The children that are GraphModules themselves become objects of that class.
void GraphObjects::adoptNested(const Module& root) {
    forEachModule(root, [&](const std::string&, const Module& module) {
        for (const auto& child : module.children) {
            if (!child.module || !child.module->graphModule) continue;
            auto* object = m_in.modules().wrapModule(child.module).as<Instance>();
            if (m_graphs.contains(object)) continue;
            object->type = classOf(*child.module);
            own(object, graphFrom(child.module->graphModule->graph));
        }
    });
}

/// Whether tracing again goes into one of the modules below.
bool GraphObjects::followsAny(const Module& root) {
    bool any = false;
    forEachModule(root, [&](const std::string& path, const Module& module) {
        any = any || (!path.empty() && (module.graphModule || module.className == "Sequential"));
    });
    return any;
}

/// The `forward` of a GraphModule, made again where the graph has changed.
Function* GraphObjects::forwardOf(Instance& module) {
    const PythonCode code = generatePython(*m_graphs.at(&module)->graph);
    Forward& known = m_forwards[&module];
    if (!known.function || known.code != code.text) known = {code.text, fx::python::forwardOf(m_in, code)};
    return known.function;
}

/// A GraphModule all of whose modules stay as they are: what loading its code gives.
GraphObject* GraphObjects::traceAgain(const Value& module) {
    GraphModule made = modelOf(*module.as<Instance>());
    const PythonCode code = generatePython(made.graph);
    made.graph = {};
    retraceSavedCode(made, code.imports, code.text);
    return graphFrom(std::move(made.graph));
}

// ── tracing ──────────────────────────────────────────────────────────────────────────────────────────────────────

/// torch.fx `Tracer.trace`; `tracer`: null for torch.fx's own.
GraphObject* GraphObjects::trace(Instance* tracer, const Value& program, const Value& concrete) {
    const auto* instance = program.as<Instance>();
    auto root = instance ? instance->module : nullptr;
    if (root) adoptNested(*root);
    if (isGraphModule(program) && !tracer && !followsAny(*root)) {
        GraphObject* again = traceAgain(program);
        again->className = instance->type->name;
        return again;
    }
    const Value rootObject = root ? program : m_in.instantiate(m_in.bridge().torchClass("torch.nn.Module"), {}, {});
    if (!root) root = rootObject.get<Instance>().module;
    m_in.modules().syncModules();
    GraphObject* graph = graphFrom({});
    graph->form = std::make_shared<PytreeForm>();
    graph->traced = root;
    graph->className = instance ? instance->type->name : m_in.str(m_in.attribute(program, "__name__"));
    trace::ModuleIndex index(*root);
    trace::Tracer recording(graph->own, index, trace::Tracer::Mode::AsPython);
    recording.runsBodies = true;
    TracerHooks hooks;
    WrappedFunctions wrapped(m_in);
    Interpreter::Recording next{&recording};
    next.hooks = &hooks;
    next.proxyAttribute = [&, tracer](const trace::Value& proxy, std::string_view name) -> Value {
        if (name == "tracer" && tracer) return tracer;
        return name == "node" ? node(*graph, recording.toArgument(proxy).node()) : Value();
    };
    if (takesNotes) next.notes = std::make_unique<NodeNotes>(graph->own, m_in.stack().calls.size());
    if (tracer) {
        tracer->attributes.set("root", rootObject);
        tracer->attributes.set("graph", graph);
        wrapped.add(*tracer);
        prepare(*tracer, recording, *graph, hooks);
        next.shapesConstant = m_in.truth(m_in.attribute(tracer, "param_shapes_constant"));
    }
    const Temporarily open(m_open, graph);
    const NestedTrace nested(m_in, next);
    traceForward(m_in, program, concrete, *graph->form);
    return graph;
}

/// What the program's tracer overrides.
void GraphObjects::prepare(Instance& tracer, trace::Tracer& recording, GraphObject& graph, TracerHooks& hooks) {
    const auto* base = m_in.resolve("torch.fx.Tracer").as<Class>();
    const auto own = [&](const char* name) {
        const Value* member = tracer.type->find(name);
        return tracer.attributes.find(name) || (member && !member->sameAs(*base->find(name)));
    };
    const auto ask = [this, self = Value(&tracer)](const char* name, Values args) {
        return m_in.call(m_in.attribute(self, name), std::move(args));
    };
    recording.setLenient(m_in.truth(m_in.attribute(&tracer, "proxy_buffer_attributes")));
    if (own("is_leaf_module"))
        hooks.isLeafModule = [this, ask](Instance& module, const std::string& path) {
            return m_in.truth(ask("is_leaf_module", {&module, m_in.text(path)}));
        };
    if (own("call_module") || own("path_of_module"))
        hooks.callModule = [this, ask](Instance& module, const Value& forward, Values args, const Keywords& kwargs) {
            return ask("call_module", {&module, forward, m_in.tuple(std::move(args)), dictOf(m_in, kwargs)});
        };
    if (own("getattr"))
        hooks.getAttribute = [this, ask, cache = Value(m_in.heap().make<Dict>())](
                                 Instance& module, std::string_view name, const Value& value) {
            const Temporarily holder(m_holder, &module);
            return ask("getattr", {m_in.text(std::string(name)), value, cache});
        };
    if (own("create_arg"))
        hooks.createArgument = [this, ask](const Value& object) -> Value {
            if (m_isArgument) return {};
            const Temporarily inside(m_isArgument, true);
            const Value made = ask("create_arg", {object});
            const auto* created = made.as<NodeObject>();
            return created ? m_in.traced({trace::Proxy{created->id}}) : made;
        };
    if (own("to_bool")) hooks.toBool = [this, ask](const Value& proxy) { return m_in.truth(ask("to_bool", {proxy})); };
    if (own("iter")) hooks.iterate = [ask](const Value& proxy) { return ask("iter", {proxy}); };
    if (own("create_node") || own("create_proxy")) recording.setCreator(creatorOf(tracer, graph, own("create_proxy")));
}

/// Nodes are made by the tracer's `create_node`, or by its `create_proxy`, which has proxies as arguments.
trace::Tracer::Creator GraphObjects::creatorOf(Instance& tracer, GraphObject& graph, bool makesProxies) {
    return [this, &tracer, &graph, makesProxies](trace::Tracer::NewNode node) {
        const bool wantsProxies = makesProxies && node.op != Op::Output; // the output is no proxy
        const auto given = [&](const Value& value) {
            if (!wantsProxies) return value;
            return mapAggregate(m_in, value, [&](const Value& leaf) {
                const auto* object = leaf.as<NodeObject>();
                return object ? m_in.traced({trace::Proxy{object->id}}) : leaf;
            });
        };
        const char* name = wantsProxies ? "create_proxy" : "create_node";
        const Value target = node.callable ? m_arguments.functionOf(node.callable) : Value(m_in.text(node.target));
        Keywords more;
        // Of a function of torch, `__torch_function__` gives the name.
        if (node.callable && node.callable->fromTorch && !node.callable->name.starts_with('_'))
            more.emplace_back("name", m_in.text(node.callable->name));
        if (node.type) more.emplace_back("type_expr", m_arguments.fromType(node.type));
        const Value made = m_in.call(m_in.attribute(&tracer, name),
                                     {m_in.text(std::string(opName(node.op))), target,
                                      given(m_arguments.fromArguments(nodesOf(graph), node.args)),
                                      given(m_arguments.fromKwargs(nodesOf(graph), node.kwargs))},
                                     std::move(more));
        if (const auto* object = made.as<NodeObject>()) return object->id;
        if (!isProxy(made)) m_in.raise("TypeError", std::string(name) + " returned " + m_in.repr(made));
        return m_in.tracer().toArgument(m_in.toTrace(made)).node();
    };
}

/// torch.fx `Tracer.create_arg`: nodes instead of proxies, and of tensors and modules.
Value GraphObjects::argumentOf(GraphObject& graph, const Value& value) {
    return mapAggregate(m_in, value, [&](const Value& leaf) -> Value {
        const bool isOwn = leaf.as<Traced>() || leaf.as<Instance>();
        if (!isOwn || leaf.as<NodeObject>()) return leaf;
        return m_arguments.fromArgument(nodesOf(graph), m_in.tracer().toArgument(m_in.toTrace(leaf)));
    });
}

void GraphObjects::addTracers() {
    Names& names = m_in.run(*m_in.ownFile("torch.fx")).names;
    const auto add = [&](const char* name, NativeBody body) {
        names.set(name, m_in.native(name, [body = std::move(body)](Interpreter&, Values& args, Keywords& kwargs) {
            return body(args, kwargs);
        }));
    };
    add("symbolic_trace", [this](Values& args, Keywords& kwargs) -> Value {
        const Value root = argumentAt(args, kwargs, 0, "root");
        GraphObject* graph = trace(nullptr, root, argumentAt(args, kwargs, 1, "concrete_args"));
        const auto* module = root.as<Instance>();
        return graphModule(module ? rootFor(root, *graph) : rootOf(*graph), graph);
    });
    add("__tracer_trace__", [this](Values& args, Keywords&) -> Value { // (tracer, root, concrete_args)
        return trace(args.at(0).as<Instance>(), args.at(1), args.at(2));
    });
    add("__tracer_path__", [this](Values& args, Keywords&) -> Value {
        const auto* module = args.at(0).as<Instance>();
        const auto* path = module ? m_in.tracer().modules().modulePath(module->module.get()) : nullptr;
        if (!path) m_in.raise("NameError", "module is not installed as a submodule");
        return m_in.text(*path);
    });
    add("__tracer_read__", [this](Values& args, Keywords&) -> Value { // (name, value)
        if (!m_holder) return args.at(1);
        return m_in.fromTrace(
            m_in.tracer().attribute({trace::ModuleValue{m_holder->module.get()}}, m_in.str(args.at(0))));
    });
    add("__tracer_argument__", [this](Values& args, Keywords&) -> Value { // (graph, value)
        return argumentOf(*graphOf(args.at(0), "create_arg"), args.at(1));
    });
}

} // namespace fx::python
