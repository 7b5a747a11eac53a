// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/textpasses/class_making.h"
#include "core/textpasses/graph_functions.h"
#include "core/textpasses/graph_objects.h"

namespace fx::python {
namespace {

/// torch.fx Interpreter and Transformer: what they do to each node, unless a class derived from them does it in its
/// own way. The rest of them is text in core/python/library/torch/fx.
class Interpreting {
public:
    explicit Interpreting(GraphObjects& objects);

private:
    static bool isInherited(const Instance& self, const Class& base, std::string_view name);
    Value interpret(Instance& self, const Values& args, const Value& initial);
    Value interpretNode(Instance& self, NodeObject& node);
    std::pair<Value, Value> valuesOf(Instance& self, NodeObject& node);
    std::pair<Value, Value> overriddenValuesOf(Instance& self, NodeObject& node);
    Value transformCall(Instance& self, const Value& target, const Value& args, const Value& kwargs);

    GraphObjects& m_objects;
    Interpreter& m_in;
    Class *m_interpreter = nullptr, *m_appending = nullptr; ///< Interpreter and GraphAppendingTracer
};

/// Whether `self` has a member as `base`, a class of torch.fx, has it.
bool Interpreting::isInherited(const Instance& self, const Class& base, std::string_view name) {
    const Value* member = self.type->find(name);
    return member && member->sameAs(*base.members.find(name)) && !self.attributes.find(name);
}

/// torch.fx `Interpreter.run`.
Value Interpreting::interpret(Instance& self, const Values& args, const Value& initial) {
    const Value object(&self);
    m_in.setAttribute(object, "env", initial.isSet() && !initial.isNone() ? initial : m_in.heap().make<Dict>());
    m_in.setAttribute(object, "args_iter", m_in.iterate(m_in.tuple(args)));
    Iterator* nodes = m_in.iterate(m_in.attribute(m_in.attribute(object, "graph"), "nodes"));
    for (Value each = nodes->next(); each.isSet(); each = nodes->next()) {
        NodeObject& node = *m_objects.nodeOf(each, "run");
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
Value Interpreting::interpretNode(Instance& self, NodeObject& node) {
    auto [args, kwargs] = isInherited(self, *m_interpreter, "fetch_args_kwargs_from_env")
                              ? valuesOf(self, node)
                              : overriddenValuesOf(self, node);
    const auto name = opName(node.graph->graph->node(node.id).op());
    return m_in.call(m_in.attribute(&self, name), {m_objects.targetOf(node), std::move(args), std::move(kwargs)});
}

std::pair<Value, Value> Interpreting::overriddenValuesOf(Instance& self, NodeObject& node) {
    const Values both = m_in.list(m_in.call(m_in.attribute(&self, "fetch_args_kwargs_from_env"), {&node}));
    if (both.size() != 2) m_in.raise("ValueError", "fetch_args_kwargs_from_env: expected args and kwargs");
    return {both[0], both[1]};
}

/// torch.fx `Interpreter.fetch_args_kwargs_from_env`.
std::pair<Value, Value> Interpreting::valuesOf(Instance& self, NodeObject& node) {
    const Node& call = node.graph->graph->node(node.id);
    if (!isInherited(self, *m_interpreter, "map_nodes_to_values")) {
        const Value map = m_in.attribute(&self, "map_nodes_to_values");
        const Value args =
            m_in.call(map, {m_objects.arguments().fromArguments(m_objects.nodesOf(*node.graph), call.args()), &node});
        return {args, m_in.call(map, {m_objects.arguments().fromKwargs(m_objects.nodesOf(*node.graph), call.kwargs()),
                                      &node})};
    }
    const Value env = m_in.attribute(&self, "env");
    const ArgumentValues::NodeValues values = [&](NodeId each) {
        return m_in.item(env, m_objects.node(*node.graph, each));
    };
    return {m_objects.arguments().fromArguments(values, call.args()),
            m_objects.arguments().fromKwargs(values, call.kwargs())};
}

/// torch.fx `Transformer.call_function`.
Value Interpreting::transformCall(Instance& self, const Value& target, const Value& args, const Value& kwargs) {
    const Value tracer = m_in.attribute(&self, "tracer");
    const auto* own = tracer.as<Instance>();
    const bool isPlain =
        own && isInherited(*own, *m_appending, "create_proxy") && isInherited(*own, *m_appending, "create_node");
    if (!isPlain)
        return m_in.call(m_in.attribute(tracer, "create_proxy"), {m_in.text("call_function"), target, args, kwargs});
    GraphObject& graph = *m_objects.graphOf(m_in.attribute(tracer, "graph"), "create_node");
    return m_objects.proxyOf(*m_objects.created(graph, Op::CallFunction, target, {args, kwargs}, {}).as<NodeObject>());
}

Interpreting::Interpreting(GraphObjects& objects) : m_objects(objects), m_in(objects.in()) {
    Names& names = m_in.run(*m_in.ownFile("torch.fx")).names;
    m_interpreter = names.find("Interpreter")->as<Class>();
    m_appending = names.find("GraphAppendingTracer")->as<Class>();
    const auto self = [this](const Values& args) -> Instance& {
        auto* instance = args.at(0).as<Instance>();
        if (!instance) m_in.raise("TypeError", "expected an Interpreter, got " + m_in.repr(args[0]));
        return *instance;
    };
    addMethod(m_in, m_interpreter, "run", [this, self](Values& args, Keywords& kwargs) {
        const Value* initial = keyword(kwargs, "initial_env");
        return interpret(self(args), Values(args.begin() + 1, args.end()), initial ? *initial : Value());
    });
    addMethod(m_in, m_interpreter, "run_node", [this, self](Values& args, Keywords& kwargs) {
        return interpretNode(self(args), *m_objects.nodeOf(argumentAt(args, kwargs, 1, "n"), "run_node"));
    });
    addMethod(m_in, m_interpreter, "fetch_args_kwargs_from_env", [this, self](Values& args, Keywords& kwargs) -> Value {
        const auto [positional, named] =
            valuesOf(self(args), *m_objects.nodeOf(argumentAt(args, kwargs, 1, "n"), "fetch_args_kwargs_from_env"));
        return m_in.tuple({positional, named});
    });
    addMethod(m_in, m_interpreter, "map_nodes_to_values", [this, self](Values& args, Keywords& kwargs) {
        const Value env = m_in.attribute(&self(args), "env");
        return mapAggregate(m_in, argumentAt(args, kwargs, 1, "args"),
                            [&](const Value& each) { return each.as<NodeObject>() ? m_in.item(env, each) : each; });
    });
    addMethod(m_in, names.find("Transformer")->as<Class>(), "call_function",
              [this, self](Values& args, Keywords& kwargs) {
                  return transformCall(self(args), argumentAt(args, kwargs, 1, "target"),
                                       argumentAt(args, kwargs, 2, "args"), argumentAt(args, kwargs, 3, "kwargs"));
              });
}

} // namespace

void addInterpreters(GraphObjects& objects) { objects.keep(std::make_shared<Interpreting>(objects)); }

} // namespace fx::python
