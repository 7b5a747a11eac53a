// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/textpasses/argument_values.h"

#include "core/textpasses/class_making.h"
#include "core/textpasses/graph_objects.h"
#include "core/trace/callables.h"

namespace fx::python {

namespace {
constexpr std::size_t kArgumentBytes = sizeof(Argument) + sizeof(Sequence) + 2 * sizeof(void*); ///< with its box
} // namespace

Argument ArgumentValues::toArgument(const Graph* graph, const Value& value, int depth) {
    trace::charge(1);
    trace::chargeBytes(kArgumentBytes); // a value that is met again is another argument
    if (const auto* node = value.as<NodeObject>()) {
        if (graph && node->graph->graph != graph)
            m_in.raise("RuntimeError", "Argument " + m_in.repr(m_in.text(m_in.str(value))) +
                                           " does not belong to this Graph, but was used as an argument!");
        return {node->id};
    }
    if (const auto* traced = value.as<Traced>())
        if (const auto* proxy = std::get_if<trace::Proxy>(&traced->value.is)) return {proxy->node};
    if (depth > kMaxArgumentDepth) throw trace::CannotFollow(Message("trace.argument_too_large"));
    const auto all = [&](const Values& items) {
        std::vector<Argument> out;
        for (const Value& each : items) out.push_back(toArgument(graph, each, depth + 1));
        return out;
    };
    if (const auto* tuple = value.as<Tuple>()) return Argument::tuple(all(tuple->items));
    if (const auto* list = value.as<List>()) return Argument::list(all(list->items));
    if (const auto* dict = value.as<Dict>()) {
        std::vector<std::pair<Argument, Argument>> items;
        dict->forEach([&](const Value& key, const Value& each) {
            items.emplace_back(toArgument(graph, key, depth + 1), toArgument(graph, each, depth + 1));
        });
        return Argument::dict(std::move(items));
    }
    if (const auto* slice = value.as<SliceObject>())
        return Argument::slice(toArgument(graph, slice->start, depth + 1), toArgument(graph, slice->stop, depth + 1),
                               toArgument(graph, slice->step, depth + 1));
    return m_in.tracer().toArgument(m_in.toTrace(value));
}

Value ArgumentValues::fromArgument(const NodeValues& nodes, const Argument& argument) {
    if (argument.isNode()) return nodes(argument.node());
    if (const auto* sequence = argument.as<Sequence>(); sequence && sequence->kind != Sequence::Kind::NamedTuple) {
        Values items;
        for (const Argument& each : sequence->items) items.push_back(fromArgument(nodes, each));
        return sequence->kind == Sequence::Kind::List ? Value(m_in.listOf(std::move(items)))
                                                      : Value(m_in.tuple(std::move(items)));
    }
    if (const auto* dict = argument.as<fx::Dict>()) {
        Dict* out = m_in.heap().make<Dict>();
        for (const auto& [key, each] : dict->items) out->set(fromArgument(nodes, key), fromArgument(nodes, each));
        return out;
    }
    if (const auto* slice = argument.as<fx::Slice>()) {
        SliceObject* out = m_in.heap().make<SliceObject>();
        out->start = fromArgument(nodes, slice->start);
        out->stop = fromArgument(nodes, slice->stop);
        out->step = fromArgument(nodes, slice->step);
        return out;
    }
    if (const auto* callable = argument.as<CallableValue>()) return functionOf(callable->callable);
    if (const auto* constant = argument.as<TorchConstant>()) return m_in.resolve(constant->name);
    return m_in.fromTrace({argument});
}

std::vector<Argument> ArgumentValues::toArguments(const Graph* graph, const Value& sequence) {
    std::vector<Argument> out;
    if (sequence.isSet() && !sequence.isNone())
        for (const Value& each : m_in.list(sequence)) out.push_back(toArgument(graph, each));
    return out;
}

Kwargs ArgumentValues::toKwargs(const Graph* graph, const Value& dict) {
    Kwargs out;
    if (const auto* items = dict.as<Dict>())
        items->forEach(
            [&](const Value& key, const Value& each) { out.emplace_back(m_in.str(key), toArgument(graph, each)); });
    return out;
}

Value ArgumentValues::fromArguments(const NodeValues& nodes, const std::vector<Argument>& args) {
    Values items;
    for (const Argument& each : args) items.push_back(fromArgument(nodes, each));
    return m_in.tuple(std::move(items));
}

Value ArgumentValues::fromKwargs(const NodeValues& nodes, const Kwargs& kwargs) {
    Dict* out = m_in.heap().make<Dict>();
    for (const auto& [key, each] : kwargs) out->set(m_in.text(key), fromArgument(nodes, each));
    return out;
}

CallablePtr ArgumentValues::callableOf(const Value& function) {
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
Value ArgumentValues::functionOf(const CallablePtr& callable) {
    if (callable->opaque)
        return m_in.traced(trace::box(trace::FunctionValue{callable->qualifiedName, callable, {}, false}));
    Value& known = m_functions[callable];
    return known.isSet() ? known : known = m_in.resolve(callable->prettyName());
}

Value ArgumentValues::fromType(const TypePtr& type) {
    if (!type) return Value::none();
    if (type->kind == TypeExpr::Kind::Class && type->module == "builtins")
        if (Class* own = m_in.builtinClass(type->name)) return own;
    if (type->kind == TypeExpr::Kind::Class && type->module == "torch" && type->name == "Tensor")
        return m_in.builtinClass("Tensor");
    TypeObject*& known = m_annotations[type.get()];
    if (known) return known;
    if (!m_annotation) {
        m_annotation = makeClass(m_in, "type");
        addMethod(m_in, m_annotation, "__repr__", [this](Values& args, Keywords&) -> Value {
            return m_in.text(args.at(0).as<TypeObject>()->annotation->repr());
        });
    }
    known = m_in.heap().make<TypeObject>();
    known->type = m_annotation;
    known->annotation = type; // lives as long as the object, and so does its place in the table
    return known;
}

TypePtr ArgumentValues::typeOf(const Value& value) {
    if (!value.isSet()) return nullptr;
    if (const auto* known = value.as<TypeObject>()) return known->annotation;
    return m_in.bridge().annotationOf(value);
}

Value mapAggregate(Interpreter& in, const Value& value, const std::function<Value(const Value&)>& leaf) {
    const trace::Deeper deeper;
    trace::charge(1);
    const auto all = [&](const Values& items) {
        Values out;
        for (std::size_t i = 0; i < items.size(); ++i) out.push_back(mapAggregate(in, Value(items[i]), leaf));
        return out;
    };
    if (const auto* tuple = value.as<Tuple>()) return in.tuple(all(tuple->items));
    if (const auto* list = value.as<List>()) return in.listOf(all(list->items));
    if (const auto* dict = value.as<Dict>()) {
        Dict* out = in.heap().make<Dict>();
        dict->forEach([&](const Value& key, const Value& each) { out->set(key, mapAggregate(in, each, leaf)); });
        return out;
    }
    if (const auto* slice = value.as<SliceObject>()) {
        SliceObject* out = in.heap().make<SliceObject>();
        out->start = mapAggregate(in, slice->start, leaf);
        out->stop = mapAggregate(in, slice->stop, leaf);
        out->step = mapAggregate(in, slice->step, leaf);
        return out;
    }
    return leaf(value);
}

} // namespace fx::python
