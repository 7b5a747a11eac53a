// SPDX-License-Identifier: GPL-3.0-or-later
// torch.fx Proxy in followed programs: what is done to one is appended to its graph.
#include "core/textpasses/class_making.h"
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

void GraphObjects::addProxies() {
    Names& names = m_in.run(*m_in.ownFile("torch.fx")).names;
    const auto add = [&](const char* name, NativeBody body) {
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
        return mapAggregate(m_in, args.at(0), [&](const Value& each) {
            return each.as<NodeObject>() ? m_in.call(function, {each}) : each;
        });
    });
    add("map_aggregate", [this](Values& args, Keywords&) {
        const Value function = args.at(1);
        return mapAggregate(m_in, args.at(0), [&](const Value& each) { return m_in.call(function, {each}); });
    });
}

} // namespace fx::python
