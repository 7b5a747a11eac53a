// SPDX-License-Identifier: GPL-3.0-or-later
// torch.fx Proxy in followed programs: what is done to one is appended to its graph.
#include "core/textpasses/graph_objects.h"

namespace fx::python {

/// Proxies of one graph at a time, as in torch.fx, where those of several tracers do not mix: the graph of the proxy
/// that was made last records.
Value GraphObjects::proxyOf(const NodeObject& node) {
    if (node.graph == m_open) return m_in.traced({trace::Proxy{node.id}});
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
}

} // namespace fx::python
