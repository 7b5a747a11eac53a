// SPDX-License-Identifier: GPL-3.0-or-later
// torch.fx Graph as a class of followed programs.
#include "core/codegen/python_code.h"
#include "core/codegen/tabular.h"
#include "core/ir/print.h"
#include "core/textpasses/class_making.h"
#include "core/textpasses/graph_objects.h"

namespace fx::python {

/// Nodes in order; a node that is erased meanwhile is skipped, and one inserted after the current is met.
Value GraphObjects::iterateNodes(GraphObject& graph) {
    return m_in.iterator([this, &graph, at = kNoNode, ended = false]() mutable -> Value {
        if (ended) return {};
        const bool isModel = graph.graph == &m_model.graph;
        do at = graph.next(at);
        while (at != kNoNode && (graph.graph->node(at).erased() || (isModel && frozen && frozen->contains(at))));
        ended = at == kNoNode;
        return ended ? Value() : node(graph, at);
    });
}

void GraphObjects::addNodeList() {
    m_nodes = makeClass(m_in, "_node_list");
    const auto graphIn = [](const Value& list) -> GraphObject& {
        return *list.get<Instance>().attributes.find("graph")->as<GraphObject>();
    };
    addMethod(m_in, m_nodes, "__iter__",
              [this, graphIn](Values& args, Keywords&) { return iterateNodes(graphIn(args.at(0))); });
    addMethod(m_in, m_nodes, "__len__",
              [graphIn](Values& args, Keywords&) { return Value::integerOf(graphIn(args.at(0)).graph->size()); });
}

namespace {
/// What `graph.inserting_before(node)` returns: leaving it restores the point of before.
struct InsertContext : Instance {
    GraphObject* graph = nullptr;
    InsertPoint before;
};
} // namespace

void GraphObjects::addInsertPoint() {
    m_point = makeClass(m_in, "_InsertPoint");
    addMethod(m_in, m_point, "__enter__", [](Values&, Keywords&) { return Value::none(); });
    addMethod(m_in, m_point, "__exit__", [](Values& args, Keywords&) {
        const auto& context = *args.at(0).as<InsertContext>();
        context.graph->graph->setInsertPoint(context.before);
        return Value::none();
    });
}

/// `with graph.inserting_before(node):`; the point holds from the call on, as in torch.fx.
Value GraphObjects::insertPoint(GraphObject& graph, InsertPoint point) {
    InsertContext* context = m_in.heap().make<InsertContext>();
    context->type = m_point;
    context->graph = &graph;
    context->before = graph.graph->insertPoint();
    graph.graph->setInsertPoint(point);
    return context;
}

Value GraphObjects::created(GraphObject& graph, Op op, const Value& target, Values args, Keywords kwargs) {
    const Value positional = argumentAt(args, kwargs, 0, "args"), named = argumentAt(args, kwargs, 1, "kwargs"),
                name = argumentAt(args, kwargs, 2, "name"), type = argumentAt(args, kwargs, 3, "type_expr");
    const std::string wish = name.isSet() && !name.isNone() ? m_in.str(name) : "";
    std::vector<Argument> all = m_arguments.toArguments(graph.graph, positional);
    Kwargs byName = m_arguments.toKwargs(graph.graph, named);
    if (op != Op::CallFunction && !target.as<Str>())
        m_in.raise("TypeError", "expected a string as target, got " + m_in.repr(target));
    const NodeId made = op == Op::CallFunction
                            ? graph.graph->callFunction(m_arguments.callableOf(target), std::move(all),
                                                        std::move(byName), wish, m_arguments.typeOf(type))
                            : graph.graph->createNode(op, m_in.str(target), std::move(all), std::move(byName), wish,
                                                      m_arguments.typeOf(type));
    graph.mistakes.created(made, m_in.stack().here);
    return node(graph, made);
}

/// torch.fx `node_copy`.
Value GraphObjects::copied(GraphObject& into, NodeObject& from, const Value& transform) {
    const Node& node = from.graph->graph->node(from.id);
    const auto mapped = [&](NodeId each) -> Argument {
        const Value value = this->node(*from.graph, each);
        return transform.isSet() ? m_arguments.toArgument(into.graph, m_in.call(transform, {value}))
                                 : m_arguments.toArgument(nullptr, value);
    };
    Graph& graph = *into.graph;
    const NodeId made = graph.createCopy(node, mapped, node.name());
    graph.setMeta(made, std::make_shared<const NodeMeta>(node.meta()));
    const Value object = this->node(into, made);
    if (from.meta) {
        Dict* meta = object.get<NodeObject>().meta = m_in.heap().make<Dict>();
        from.meta->forEach([&](const Value& key, const Value& each) { meta->set(key, each); });
    }
    return object;
}

void GraphObjects::addGraphCreation() {
    static constexpr std::pair<const char*, Op> kCalls[] = {
        {"call_function", Op::CallFunction}, {"call_method", Op::CallMethod}, {"call_module", Op::CallModule}};
    for (const auto& [name, op] : kCalls)
        addMethod(m_in, m_graph, name, [this, op = op](Values& args, Keywords& kwargs) -> Value {
            GraphObject& graph = *graphOf(args.at(0), "create_node");
            const char* first = op == Op::CallFunction ? "the_function"
                                : op == Op::CallMethod ? "method_name"
                                                       : "module_name";
            const Value target = argumentAt(args, kwargs, 1, first);
            return created(graph, op, target,
                           Values(args.begin() + std::min<std::ptrdiff_t>(2, std::ssize(args)), args.end()), kwargs);
        });
    addMethod(m_in, m_graph, "create_node", [this](Values& args, Keywords& kwargs) -> Value {
        GraphObject& graph = *graphOf(args.at(0), "create_node");
        const auto op = opFromName(m_in.str(argumentAt(args, kwargs, 1, "op")));
        if (!op) m_in.raise("AssertionError", "unknown op " + m_in.repr(args.at(1)));
        const Value target = argumentAt(args, kwargs, 2, "target");
        return created(graph, *op, target,
                       Values(args.begin() + std::min<std::ptrdiff_t>(3, std::ssize(args)), args.end()), kwargs);
    });
    addMethod(m_in, m_graph, "get_attr", [this](Values& args, Keywords& kwargs) -> Value {
        GraphObject& graph = *graphOf(args.at(0), "get_attr");
        const std::string path = m_in.str(argumentAt(args, kwargs, 1, "qualified_name"));
        return node(graph, graph.graph->createNode(Op::GetAttr, path, {}, {}, {},
                                                   m_arguments.typeOf(argumentAt(args, kwargs, 2, "type_expr"))));
    });
    addMethod(m_in, m_graph, "placeholder", [this](Values& args, Keywords& kwargs) -> Value {
        GraphObject& graph = *graphOf(args.at(0), "placeholder");
        const Value byDefault = argumentAt(args, kwargs, 3, "default_value");
        std::vector<Argument> all;
        if (byDefault.isSet()) all.push_back(m_arguments.toArgument(graph.graph, byDefault));
        const TypePtr type = m_arguments.typeOf(argumentAt(args, kwargs, 2, "type_expr"));
        return node(graph,
                    graph.graph->placeholder(m_in.str(argumentAt(args, kwargs, 1, "name")), std::move(all), type));
    });
    addMethod(m_in, m_graph, "output", [this](Values& args, Keywords& kwargs) -> Value {
        GraphObject& graph = *graphOf(args.at(0), "output");
        return node(graph,
                    graph.graph->output(m_arguments.toArgument(graph.graph, argumentAt(args, kwargs, 1, "result")),
                                        m_arguments.typeOf(argumentAt(args, kwargs, 2, "type_expr"))));
    });
    addMethod(m_in, m_graph, "node_copy", [this](Values& args, Keywords& kwargs) -> Value {
        GraphObject& graph = *graphOf(args.at(0), "node_copy");
        return copied(graph, *nodeOf(argumentAt(args, kwargs, 1, "node"), "node_copy"),
                      argumentAt(args, kwargs, 2, "arg_transform"));
    });
}

GraphObject* GraphObjects::graphFrom(Graph graph) {
    GraphObject* made = m_in.heap().make<GraphObject>();
    made->type = m_graph;
    made->own = std::move(graph);
    return made;
}

GraphObject* GraphObjects::copied(GraphObject& graph) {
    trace::charge(graph.graph->size() / 8 + 8); // nodes are shared until they change
    trace::chargeBytes(graph.graph->idLimit() * 2 * sizeof(NodeId) + sizeof(Graph));
    GraphObject* made = graphFrom(*graph.graph);
    for (NodeObject* each : graph.nodes) {
        if (!each || !each->meta) continue;
        Dict* meta = node(*made, each->id).get<NodeObject>().meta = m_in.heap().make<Dict>();
        each->meta->forEach([&](const Value& key, const Value& value) { meta->set(key, value); });
    }
    return made;
}

/// What `Graph.python_code` returns: the text in `src`.
void GraphObjects::addGraphTexts() {
    addMethod(m_in, m_graph, "__repr__",
              [this](Values& args, Keywords&) { return m_in.text(graphText(*graphOf(args.at(0), "repr")->graph)); });
    addMethod(m_in, m_graph, "python_code", [this](Values& args, Keywords&) {
        const PythonCode code = generatePython(*graphOf(args.at(0), "python_code")->graph);
        return makeRecord(m_in, "PythonCode", {{"src", m_in.text(code.text)}});
    });
    addMethod(m_in, m_graph, "print_tabular", [this](Values& args, Keywords&) {
        return m_in.call(*m_in.builtin("print"),
                         {m_in.text(tabularText(*graphOf(args.at(0), "print_tabular")->graph))});
    });
    addMethod(m_in, m_graph, "set_codegen", [this](Values&, Keywords&) -> Value {
        m_in.raise("NotImplementedError", "a code generator of the pass's own");
    });
}

void GraphObjects::addGraphClass() {
    m_graph = makeClass(m_in, "Graph");
    m_graph->members.set("__module__", m_in.text("torch.fx.graph"));
    m_graph->members.set("__lancet_call__", m_in.native("Graph", [this](Interpreter&, Values&, Keywords&) -> Value {
        return graphFrom({});
    }));
    addNodeList();
    addInsertPoint();
    addGraphCreation();
    addGraphTexts();
    addProperty(m_in, m_graph, "nodes", [this](const Value& self) -> Value {
        Instance* list = m_in.heap().make<Instance>();
        list->type = m_nodes;
        list->attributes.set("graph", self);
        return list;
    });
    addProperty(m_in, m_graph, "owning_module", [this](const Value& self) -> Value {
        Instance* owner = graphOf(self, "owning_module")->owner;
        return owner ? Value(owner) : Value::none();
    });
    for (const char* name : {"__copy__", "__deepcopy__"})
        addMethod(m_in, m_graph, name,
                  [this](Values& args, Keywords&) -> Value { return copied(*graphOf(args.at(0), "copy")); });
    addMethod(m_in, m_graph, "process_inputs",
              [this](Values& args, Keywords&) -> Value { // those of a plain code generator
                  return m_in.tuple(Values(args.begin() + 1, args.end()));
              });
    addMethod(m_in, m_graph, "process_outputs",
              [](Values& args, Keywords& kwargs) { return argumentAt(args, kwargs, 1, "out"); });
    addProperty(
        m_in, m_graph, "_codegen",
        [this](const Value& self) -> Value { // of plain graphs None; else it carries the form of inputs and outputs
            if (!graphOf(self, "_codegen")->form) return Value::none();
            return makeRecord(m_in, "CodeGen", {{"graph", self}});
        },
        [this](const Value& self, const Value& value) {
            const auto* record = value.as<Instance>();
            const Value* from = record ? record->attributes.find("graph") : nullptr;
            if (!value.isNone() && !(from && from->as<GraphObject>()))
                m_in.raise("NotImplementedError", "a code generator of the pass's own");
            graphOf(self, "_codegen")->form = from ? from->as<GraphObject>()->form : nullptr;
        });
    for (const bool before : {true, false})
        addMethod(m_in, m_graph, before ? "inserting_before" : "inserting_after",
                  [this, before](Values& args, Keywords& kwargs) {
                      GraphObject& graph = *graphOf(args.at(0), "inserting_before");
                      const Value anchor = argumentAt(args, kwargs, 1, "n");
                      NodeId id = kNoNode;
                      const bool isGiven = anchor.isSet() && !anchor.isNone();
                      if (isGiven) {
                          const NodeObject& node = *nodeOrRootOf(anchor, "inserting_before");
                          if (node.graph != &graph)
                              m_in.raise("AssertionError", "Node to insert before is not in graph.");
                          id = node.id;
                      }
                      // Before nothing is at the start, after nothing at the end.
                      return insertPoint(
                          graph, {before == isGiven ? InsertPoint::Side::Before : InsertPoint::Side::After, id});
                  });
    addMethod(m_in, m_graph, "erase_node", [this](Values& args, Keywords& kwargs) {
        GraphObject& graph = *graphOf(args.at(0), "erase_node");
        const NodeObject& node = *nodeOf(argumentAt(args, kwargs, 1, "to_erase"), "erase_node");
        if (node.graph != &graph) m_in.raise("RuntimeError", "Attempting to remove node from wrong graph");
        erase(graph, node.id);
        return Value::none();
    });
    addMethod(m_in, m_graph, "lint", [this](Values& args, Keywords&) {
        lint(*graphOf(args.at(0), "lint"));
        return Value::none();
    });
    addMethod(m_in, m_graph, "eliminate_dead_code", [this](Values& args, Keywords& kwargs) {
        GraphObject& graph = *graphOf(args.at(0), "eliminate_dead_code");
        const Value isImpure = argumentAt(args, kwargs, 1, "is_impure_node");
        lint(graph);
        return Value(isImpure.isSet() && !isImpure.isNone() ? eraseDead(graph, isImpure) : eliminateDeadCode(graph));
    });
    addMethod(m_in, m_graph, "output_node", [this](Values& args, Keywords&) {
        GraphObject& graph = *graphOf(args.at(0), "output_node");
        return node(graph, graph.graph->outputNode());
    });
    addMethod(m_in, m_graph, "find_nodes", [this](Values& args, Keywords& kwargs) -> Value {
        GraphObject& graph = *graphOf(args.at(0), "find_nodes");
        const auto op = opFromName(m_in.str(argumentAt(args, kwargs, 1, "op")));
        const Value target = argumentAt(args, kwargs, 2, "target");
        if (op == Op::CallFunction && (!target.isSet() || target.isNone()))
            m_in.raise("AssertionError", "target must not be None for call_function op");
        Values found;
        for (const Node& each : graph.graph->nodes()) {
            if (each.op() != op) continue;
            const Value object = node(graph, each.id());
            if (!target.isSet() || target.isNone() || m_in.equal(m_in.attribute(object, "target"), target))
                found.push_back(object);
        }
        return m_in.listOf(std::move(found));
    });
    addMethod(m_in, m_graph, "graph_copy", [this](Values& args, Keywords& kwargs) -> Value {
        GraphObject& into = *graphOf(args.at(0), "graph_copy");
        GraphObject& from = *graphOf(argumentAt(args, kwargs, 1, "g"), "graph_copy");
        auto* known = argumentAt(args, kwargs, 2, "val_map").as<Dict>();
        if (!known) m_in.raise("TypeError", "graph_copy: expected a dict as val_map");
        const Value transform = m_in.native("val_map", [known](Interpreter& in, Values& each, Keywords&) -> Value {
            const Value* copy = known->find(each.at(0));
            return copy ? *copy : (in.raise("KeyError", in.repr(each.at(0))), Value());
        });
        const auto copyOf = [&](const Value& each) {
            return each.as<NodeObject>() ? m_in.call(transform, {each}) : each;
        };
        for (const NodeId id : from.graph->order()) {
            const Value original = node(from, id);
            if (known->find(original)) continue;
            if (from.graph->node(id).op() == Op::Output)
                return mapAggregate(m_in, m_arguments.fromArgument(nodesOf(from), from.graph->node(id).args().at(0)),
                                    copyOf);
            known->set(original, copied(into, *original.as<NodeObject>(), transform));
        }
        return Value::none();
    });
}

} // namespace fx::python
