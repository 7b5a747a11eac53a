// SPDX-License-Identifier: GPL-3.0-or-later
// torch.fx Proxy in followed programs: what is done to one is appended to its graph.
#include "core/codegen/python_code.h"
#include "core/python/trace_forward.h"
#include "core/textpasses/graph_objects.h"
#include "core/trace/retrace.h"

namespace fx::python {

/// Proxies of one graph at a time, as in torch.fx, where those of several tracers do not mix: the graph of the proxy
/// that was made last records.
Value GraphObjects::proxyOf(const NodeObject& node) {
    if (m_recording != node.graph) {
        auto& modules = m_indexes[rootOf(*node.graph).get()];
        if (!modules) modules = std::make_unique<trace::ModuleIndex>(*rootOf(*node.graph));
        auto& tracer = node.graph->tracer;
        if (!tracer)
            tracer = std::make_unique<trace::Tracer>(*node.graph->graph, *modules, trace::Tracer::Mode::AsPython);
        tracer->setConstantWatch(m_in.machine);
        m_in.recordWith(*tracer, false);
        m_recording = node.graph;
    }
    return m_in.traced({trace::Proxy{node.id}});
}

/// torch.fx `map_aggregate`.
Value GraphObjects::mapAggregate(const Value& value, const std::function<Value(const Value&)>& leaf) {
    const auto all = [&](const Values& items) {
        Values out;
        for (const Value& each : items) out.push_back(mapAggregate(each, leaf));
        return out;
    };
    if (const auto* tuple = value.as<Tuple>()) return m_in.tuple(all(tuple->items));
    if (const auto* list = value.as<List>()) return m_in.listOf(all(list->items));
    if (const auto* dict = value.as<Dict>()) {
        Dict* out = m_in.heap().make<Dict>();
        dict->forEach([&](const Value& key, const Value& each) { out->set(key, mapAggregate(each, leaf)); });
        return out;
    }
    if (const auto* slice = value.as<SliceObject>()) {
        SliceObject* out = m_in.heap().make<SliceObject>();
        out->start = mapAggregate(slice->start, leaf);
        out->stop = mapAggregate(slice->stop, leaf);
        out->step = mapAggregate(slice->step, leaf);
        return out;
    }
    return leaf(value);
}

/// torch.fx `symbolic_trace` of a function or module of the program, or of the model itself.
std::shared_ptr<GraphModule> GraphObjects::traced(const Value& program) {
    auto made = std::make_shared<GraphModule>();
    if (isGraphModule(program)) {
        made->root = program.as<Instance>()->module;
        made->subgraphs = m_model.subgraphs;
        made->graph = *m_graphs.at(program.as<Instance>())->graph;
        const PythonCode code = generatePython(made->graph);
        made->graph = {};
        retraceSavedCode(*made, code.imports, code.text);
        return made;
    }
    if (auto* instance = program.as<Instance>(); instance && instance->module) made->root = instance->module;
    trace::Tracer& before = m_in.tracer();
    const bool traces = m_in.traces();
    trace::ModuleIndex index(*made->root);
    trace::Tracer tracer(made->graph, index, trace::Tracer::Mode::AsPython);
    const auto own = std::exchange(m_in.proxyAttribute, {});
    m_in.recordWith(tracer, true);
    try {
        traceForward(m_in, program);
    } catch (...) {
        m_in.recordWith(before, traces);
        m_in.proxyAttribute = own;
        throw;
    }
    m_in.recordWith(before, traces);
    m_in.proxyAttribute = own;
    return made;
}

void GraphObjects::addProxies() {
    Names& names = m_in.run(*m_in.ownFile("torch.fx")).names;
    const auto add = [&](const char* name, Method body) {
        names.set(name, m_in.native(name, [body = std::move(body)](Interpreter&, Values& args, Keywords& kwargs) {
            return body(args, kwargs);
        }));
    };
    names.find("Proxy")->as<Class>()->members.set(
        "__lancet_call__", m_in.native("Proxy", [this](Interpreter&, Values& args, Keywords& kwargs) {
            return proxyOf(*nodeOf(argumentAt(args, kwargs, 0, "node"), "Proxy"));
        }));
    m_in.proxyAttribute = [this](const trace::Value& proxy, std::string_view name) -> Value {
        if (name != "node" || !m_recording) return {};
        return node(*m_recording, m_in.tracer().toArgument(proxy).node());
    };
    add("map_arg", [this](Values& args, Keywords&) {
        const Value function = args.at(1);
        return mapAggregate(
            args.at(0), [&](const Value& each) { return each.as<NodeObject>() ? m_in.call(function, {each}) : each; });
    });
    add("map_aggregate", [this](Values& args, Keywords&) {
        const Value function = args.at(1);
        return mapAggregate(args.at(0), [&](const Value& each) { return m_in.call(function, {each}); });
    });
    for (const char* name : {"symbolic_trace", "__trace__"})
        add(name, [this](Values& args, Keywords& kwargs) -> Value {
            const Value root = argumentAt(args, kwargs, 0, "root");
            const auto made = traced(root);
            GraphObject* graph = graphFrom(std::move(made->graph));
            return graphModule(root.as<Function>() ? made->root : rootFor(root, *graph), graph);
        });
}

} // namespace fx::python
