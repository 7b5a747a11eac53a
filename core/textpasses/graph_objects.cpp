// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/textpasses/graph_objects.h"

#include "core/ir/lint.h"
#include "core/passes/dead_code.h"
#include "core/trace/callables.h"

#include <algorithm>
#include <utility>

namespace fx::python {

NodeId GraphObject::next(NodeId id) const {
    if (id == kNoNode) return graph->first();
    const auto found = left.find(id);
    return found == left.end() ? graph->next(id) : found->second.second;
}

NodeId GraphObject::prev(NodeId id) const {
    if (id == kNoNode) return graph->last();
    const auto found = left.find(id);
    return found == left.end() ? graph->prev(id) : found->second.first;
}

Value argumentAt(const Values& args, const Keywords& kwargs, std::size_t at, std::string_view name) {
    if (at < args.size()) return args[at];
    for (const auto& [key, value] : kwargs)
        if (key == name) return value;
    return {};
}

GraphObjects::GraphObjects(Interpreter& in, GraphModule& model) : m_in(in), m_model(model) {
    addNodeClass();
    addGraphClass();
    addModuleClass();
    Names& names = m_in.run(*m_in.ownFile("torch.fx")).names;
    names.set("Node", m_node);
    names.set("Graph", m_graph);
    names.set("GraphModule", m_type);
    addProxies();
    addInterpreters();
    addTracers();
    addRewriting();
    addNormalizing();
    m_module = m_in.wrapModule(m_model.root).as<Instance>();
    m_module->type = classOf(*m_model.root);
    GraphObject* graph = graphFrom({});
    graph->graph = &m_model.graph;
    own(m_module, graph);
}

Class* GraphObjects::makeClass(const char* name, std::vector<Class*> above) {
    Class* type = m_in.heap().make<Class>();
    type->name = name;
    if (above.empty()) above = {m_in.builtinClass("object")};
    std::erase(above, nullptr);
    type->bases = above;
    type->order = {type};
    for (Class* base : above) type->order.insert(type->order.end(), base->order.begin(), base->order.end());
    return type;
}

void GraphObjects::property(Class* type, const char* name, std::function<Value(const Value&)> get,
                            std::function<void(const Value&, const Value&)> set) {
    Property* both = m_in.heap().make<Property>();
    both->getter = m_in.native(
        name, [get = std::move(get)](Interpreter&, Values& args, Keywords&) -> Value { return get(args.at(0)); });
    if (set)
        both->setter = m_in.native(name, [set = std::move(set)](Interpreter&, Values& args, Keywords&) -> Value {
            set(args.at(0), args.at(1));
            return Value::none();
        });
    type->members.set(name, both);
}

void GraphObjects::method(Class* type, const char* name, Method body) {
    const auto checked = [this, name, body = std::move(body)](Interpreter&, Values& args, Keywords& kwargs) -> Value {
        try {
            return body(args, kwargs);
        } catch (const std::out_of_range&) {
            m_in.raise("TypeError", std::string(name) + "() is missing a required positional argument");
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::Refused) throw;
            m_in.raise("RuntimeError", error.what());
        }
    };
    type->members.set(name, m_in.native(name, checked));
}

GraphObject* GraphObjects::graphOf(const Value& value, const char* function) {
    if (auto* graph = value.as<GraphObject>()) return graph;
    m_in.raise("TypeError", std::string(function) + ": expected a Graph, got " + m_in.repr(value));
}

NodeObject* GraphObjects::nodeOf(const Value& value, const char* function) {
    if (auto* node = value.as<NodeObject>()) return node;
    m_in.raise("TypeError", std::string(function) + ": expected a Node, got " + m_in.repr(value));
}

Value GraphObjects::node(GraphObject& graph, NodeId id) {
    const auto make = [&] {
        NodeObject* made = m_in.heap().make<NodeObject>();
        made->type = m_node;
        made->graph = &graph;
        made->id = id;
        return made;
    };
    if (id == kNoNode) return graph.root ? graph.root : graph.root = make();
    if (graph.nodes.size() <= index(id)) graph.nodes.resize(graph.graph->idLimit());
    NodeObject*& known = graph.nodes[index(id)];
    return known ? known : known = make();
}

Argument GraphObjects::toArgument(const Value& value) {
    if (const auto* node = value.as<NodeObject>()) return {node->id};
    if (const auto* traced = value.as<Traced>())
        if (const auto* proxy = std::get_if<trace::Proxy>(&traced->value.is)) return {proxy->node};
    const auto all = [&](const Values& items) {
        std::vector<Argument> out;
        for (const Value& each : items) out.push_back(toArgument(each));
        return out;
    };
    if (const auto* tuple = value.as<Tuple>()) return Argument::tuple(all(tuple->items));
    if (const auto* list = value.as<List>()) return Argument::list(all(list->items));
    if (const auto* dict = value.as<Dict>()) {
        std::vector<std::pair<Argument, Argument>> items;
        dict->forEach(
            [&](const Value& key, const Value& each) { items.emplace_back(toArgument(key), toArgument(each)); });
        return Argument::dict(std::move(items));
    }
    if (const auto* slice = value.as<SliceObject>())
        return Argument::slice(toArgument(slice->start), toArgument(slice->stop), toArgument(slice->step));
    return m_in.tracer().toArgument(m_in.toTrace(value));
}

Value GraphObjects::fromArgument(const NodeValues& values, const Argument& argument) {
    if (argument.isNode()) return values(argument.node());
    if (const auto* sequence = argument.as<Sequence>(); sequence && sequence->kind != Sequence::Kind::NamedTuple) {
        Values items;
        for (const Argument& each : sequence->items) items.push_back(fromArgument(values, each));
        return sequence->kind == Sequence::Kind::List ? Value(m_in.listOf(std::move(items)))
                                                      : Value(m_in.tuple(std::move(items)));
    }
    if (const auto* dict = argument.as<fx::Dict>()) {
        Dict* out = m_in.heap().make<Dict>();
        for (const auto& [key, each] : dict->items) out->set(fromArgument(values, key), fromArgument(values, each));
        return out;
    }
    if (const auto* slice = argument.as<fx::Slice>()) {
        SliceObject* out = m_in.heap().make<SliceObject>();
        out->start = fromArgument(values, slice->start);
        out->stop = fromArgument(values, slice->stop);
        out->step = fromArgument(values, slice->step);
        return out;
    }
    if (const auto* callable = argument.as<CallableValue>()) return functionOf(callable->callable);
    if (const auto* constant = argument.as<TorchConstant>()) return m_in.resolve(constant->name);
    return m_in.fromTrace({argument});
}

std::vector<Argument> GraphObjects::toArguments(const Value& sequence) {
    std::vector<Argument> out;
    if (sequence.isSet() && !sequence.isNone())
        for (const Value& each : m_in.list(sequence)) out.push_back(toArgument(each));
    return out;
}

Kwargs GraphObjects::toKwargs(const Value& dict) {
    Kwargs out;
    if (const auto* items = dict.as<Dict>())
        items->forEach([&](const Value& key, const Value& each) { out.emplace_back(m_in.str(key), toArgument(each)); });
    return out;
}

Value GraphObjects::arguments(GraphObject& graph, const std::vector<Argument>& args) {
    Values items;
    for (const Argument& each : args) items.push_back(fromArgument(graph, each));
    return m_in.tuple(std::move(items));
}

Value GraphObjects::keywords(GraphObject& graph, const Kwargs& kwargs) {
    Dict* out = m_in.heap().make<Dict>();
    for (const auto& [key, each] : kwargs) out->set(m_in.text(key), fromArgument(graph, each));
    return out;
}

CallablePtr GraphObjects::callableOf(const Value& function) {
    if (const auto* native = function.as<Native>()) return resolveCallable(native->name);
    if (const auto* type = function.as<Class>(); type && !type->file)
        return resolveCallable(type->torchPath.empty() ? type->name : type->torchPath);
    if (const auto* own = function.as<Function>()) {
        if (own->file->path.empty()) return resolveCallable(own->file->name + "." + own->name);
        auto callable = std::make_shared<Callable>();
        callable->name = own->name;
        callable->module = own->file->name;
        callable->qualifiedName = callable->module + "." + own->name;
        callable->repr = "<function " + own->name + " at 0x0>";
        callable->opaque = true;
        return callable;
    }
    const trace::Value value = m_in.toTrace(function);
    if (const auto* known = value.as<trace::FunctionValue>()) return known->callable;
    m_in.raise("TypeError", "expected a function as target, got " + m_in.repr(function));
}

/// The object that a program reaches by the callable's name, so that comparing targets compares identities.
Value GraphObjects::functionOf(const CallablePtr& callable) {
    if (callable->opaque)
        return m_in.traced(trace::box(trace::FunctionValue{callable->qualifiedName, callable, {}, false}));
    Value& known = m_functions[callable];
    return known.isSet() ? known : known = m_in.resolve(callable->prettyName());
}

void GraphObjects::erase(GraphObject& graph, NodeId id) {
    const std::pair<NodeId, NodeId> around{graph.prev(id), graph.next(id)};
    if (graph.graph->node(id).erased()) return;
    graph.graph->erase(id);
    graph.left.emplace(id, around);
}

void GraphObjects::asModel(GraphObject& graph, const std::function<void(GraphModule& model)>& change) {
    if (graph.graph == &m_model.graph) return change(m_model);
    GraphModule around;
    around.root = rootOf(graph);
    around.subgraphs = m_model.subgraphs;
    around.graph = *graph.graph;
    Graph* const own = std::exchange(graph.graph, &around.graph); // what `change` calls sees what was changed so far
    try {
        change(around);
    } catch (...) {
        graph.graph = own;
        throw;
    }
    graph.graph = own;
    *own = std::move(around.graph);
}

bool GraphObjects::eliminateDeadCode(GraphObject& graph) {
    const std::vector<NodeId> before = graph.graph->order();
    bool changed = false;
    asModel(graph, [&](GraphModule& model) { changed = fx::eliminateDeadCode(model) > 0; });
    for (std::size_t i = 0; i < before.size(); ++i)
        if (graph.graph->node(before[i]).erased())
            graph.left.emplace(
                before[i], std::pair(i > 0 ? before[i - 1] : kNoNode, i + 1 < before.size() ? before[i + 1] : kNoNode));
    return changed;
}

/// `eliminate_dead_code(is_impure_node)`: the program says which nodes have effects.
bool GraphObjects::eraseDead(GraphObject& graph, const Value& isImpure) {
    bool changed = false;
    for (NodeId at = graph.prev(kNoNode); at != kNoNode; at = graph.prev(at)) {
        if (m_in.truth(m_in.call(isImpure, {node(graph, at)})) || !graph.graph->node(at).users().empty()) continue;
        erase(graph, at);
        changed = true;
    }
    return changed;
}

void GraphObjects::lint(GraphObject& graph) {
    checkCalls(graph);
    const auto problems = fx::lint(*graph.graph);
    if (!problems.empty()) m_in.raise("RuntimeError", problems.front().message.text());
}

bool GraphObjects::isGraphModule(const Value& value) const {
    const auto* instance = value.as<Instance>();
    return instance && m_graphs.contains(instance);
}

GraphModule GraphObjects::modelOf(const Instance& module) {
    GraphObject& graph = *m_graphs.at(&module);
    checkCalls(graph);
    keepMeta(graph);
    GraphModule model;
    model.root = module.module;
    model.className = model.root->className;
    model.subgraphs = m_model.subgraphs;
    model.graph = *graph.graph;
    model.graph.setInsertPoint({});
    model.origin = graph.form;
    return model;
}

void GraphObjects::finish(const Value& result) {
    m_in.syncModules();
    GraphObject& graph = *m_graphs.at(result.as<Instance>());
    checkCalls(graph);
    keepMeta(graph);
    if (result.as<Instance>() != m_module) {
        m_model.root = result.as<Instance>()->module;
        m_model.className = m_model.root->className;
    }
    if (graph.graph != &m_model.graph) m_model.graph = *graph.graph;
    m_model.graph.setInsertPoint({});
}

} // namespace fx::python
