// SPDX-License-Identifier: GPL-3.0-or-later
// torch.fx Interpreter and Transformer in followed programs: what they do to each node, unless a class derived from
// them does it in its own way. The rest of them is text in core/python/library/fx_modules.cpp.
#include "core/textpasses/graph_objects.h"

namespace fx::python {

/// Whether `self` has a member as `base`, a class of torch.fx, has it.
bool GraphObjects::isInherited(const Instance& self, const Class& base, std::string_view name) {
    const Value* member = self.type->find(name);
    return member && member->sameAs(*base.members.find(name)) && !self.attributes.find(name);
}

/// torch.fx `Interpreter.run`.
Value GraphObjects::interpret(Instance& self, const Values& args, const Value& initial) {
    const Value object(&self);
    m_in.setAttribute(object, "env", initial.isSet() && !initial.isNone() ? initial : m_in.heap().make<Dict>());
    m_in.setAttribute(object, "args_iter", m_in.iterate(m_in.tuple(args)));
    Iterator* nodes = m_in.iterate(m_in.attribute(m_in.attribute(object, "graph"), "nodes"));
    for (Value each = nodes->next(); each.isSet(); each = nodes->next()) {
        NodeObject& node = *nodeOf(each, "run");
        if (!m_in.contains(m_in.attribute(object, "env"), each)) {
            const Value made = isInherited(self, *m_interpreter, "run_node")
                                   ? interpretNode(self, node)
                                   : m_in.call(m_in.attribute(object, "run_node"), {each});
            m_in.setItem(m_in.attribute(object, "env"), each, made);
        }
        if (node.graph->graph->node(node.id).op() == Op::Output) return m_in.item(m_in.attribute(object, "env"), each);
    }
    return Value::none();
}

/// torch.fx `Interpreter.run_node`: calls the method that has the name of the node's op.
Value GraphObjects::interpretNode(Instance& self, NodeObject& node) {
    auto [args, kwargs] = isInherited(self, *m_interpreter, "fetch_args_kwargs_from_env")
                              ? valuesOf(self, node)
                              : overriddenValuesOf(self, node);
    const auto name = opName(node.graph->graph->node(node.id).op());
    return m_in.call(m_in.attribute(&self, name), {targetOf(node), std::move(args), std::move(kwargs)});
}

std::pair<Value, Value> GraphObjects::overriddenValuesOf(Instance& self, NodeObject& node) {
    const Values both = m_in.list(m_in.call(m_in.attribute(&self, "fetch_args_kwargs_from_env"), {&node}));
    if (both.size() != 2) m_in.raise("ValueError", "fetch_args_kwargs_from_env: expected args and kwargs");
    return {both[0], both[1]};
}

/// torch.fx `Interpreter.fetch_args_kwargs_from_env`.
std::pair<Value, Value> GraphObjects::valuesOf(Instance& self, NodeObject& node) {
    const Node& call = node.graph->graph->node(node.id);
    if (!isInherited(self, *m_interpreter, "map_nodes_to_values")) {
        const Value map = m_in.attribute(&self, "map_nodes_to_values");
        const Value args = m_in.call(map, {arguments(*node.graph, call.args()), &node});
        return {args, m_in.call(map, {keywords(*node.graph, call.kwargs()), &node})};
    }
    const Value env = m_in.attribute(&self, "env");
    const NodeValues values = [&](NodeId each) { return m_in.item(env, this->node(*node.graph, each)); };
    Values args;
    args.reserve(call.args().size());
    for (const Argument& each : call.args()) args.push_back(fromArgument(values, each));
    Dict* kwargs = m_in.heap().make<Dict>();
    for (const auto& [key, each] : call.kwargs()) kwargs->set(m_in.text(key), fromArgument(values, each));
    return {m_in.tuple(std::move(args)), kwargs};
}

/// torch.fx `Transformer.call_function`.
Value GraphObjects::transformCall(Instance& self, const Value& target, const Value& args, const Value& kwargs) {
    const Value tracer = m_in.attribute(&self, "tracer");
    const auto* own = tracer.as<Instance>();
    const bool isPlain =
        own && isInherited(*own, *m_appending, "create_proxy") && isInherited(*own, *m_appending, "create_node");
    if (!isPlain)
        return m_in.call(m_in.attribute(tracer, "create_proxy"), {m_in.text("call_function"), target, args, kwargs});
    GraphObject& graph = *graphOf(m_in.attribute(tracer, "graph"), "create_node");
    return proxyOf(*created(graph, Op::CallFunction, target, {args, kwargs}, {}).as<NodeObject>());
}

void GraphObjects::addInterpreters() {
    Names& names = m_in.run(*m_in.ownFile("torch.fx")).names;
    m_interpreter = names.find("Interpreter")->as<Class>();
    m_appending = names.find("GraphAppendingTracer")->as<Class>();
    const auto self = [this](const Values& args) -> Instance& {
        auto* instance = args.at(0).as<Instance>();
        if (!instance) m_in.raise("TypeError", "expected an Interpreter, got " + m_in.repr(args[0]));
        return *instance;
    };
    method(m_interpreter, "run", [this, self](Values& args, Keywords& kwargs) {
        const Value* initial = keyword(kwargs, "initial_env");
        return interpret(self(args), Values(args.begin() + 1, args.end()), initial ? *initial : Value());
    });
    method(m_interpreter, "run_node", [this, self](Values& args, Keywords& kwargs) {
        return interpretNode(self(args), *nodeOf(argumentAt(args, kwargs, 1, "n"), "run_node"));
    });
    method(m_interpreter, "fetch_args_kwargs_from_env", [this, self](Values& args, Keywords& kwargs) -> Value {
        const auto [positional, named] =
            valuesOf(self(args), *nodeOf(argumentAt(args, kwargs, 1, "n"), "fetch_args_kwargs_from_env"));
        return m_in.tuple({positional, named});
    });
    method(m_interpreter, "map_nodes_to_values", [this, self](Values& args, Keywords& kwargs) {
        const Value env = m_in.attribute(&self(args), "env");
        return mapAggregate(argumentAt(args, kwargs, 1, "args"),
                            [&](const Value& each) { return each.as<NodeObject>() ? m_in.item(env, each) : each; });
    });
    method(names.find("Transformer")->as<Class>(), "call_function", [this, self](Values& args, Keywords& kwargs) {
        return transformCall(self(args), argumentAt(args, kwargs, 1, "target"), argumentAt(args, kwargs, 2, "args"),
                             argumentAt(args, kwargs, 3, "kwargs"));
    });
}

} // namespace fx::python
