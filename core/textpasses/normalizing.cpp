// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/call_signature.h"
#include "core/textpasses/class_making.h"
#include "core/textpasses/graph_functions.h"
#include "core/textpasses/graph_objects.h"
#include "core/textpasses/schema_texts.h"

#include <unordered_map>

namespace fx::python {
namespace {

/// torch.fx.operator_schemas: the arguments of a call by the names of its parameters.
class Normalizing {
public:
    explicit Normalizing(GraphObjects& objects);

private:
    using NodeMapping = std::function<Value(const Argument& argument)>;
    Value normalized(const Module& root, const Node& node, bool byName, bool isTyped, const NodeMapping& back);
    Value normalizedCall(Op op, const Module& root, const Value& target, const Value& args, const Value& kwargs,
                         bool byName, bool isTyped);

    GraphObjects& m_objects;
    Interpreter& m_in;
};

/// An ArgsKwargsPair, or None where the target has no signature that can be used. `isTyped`: the program has given
/// types to choose an overload by, which is not done. `back`: nodes as the program knows them.
Value Normalizing::normalized(const Module& root, const Node& node, bool byName, bool isTyped,
                              const NodeMapping& back) {
    PathResolver paths(root);
    const auto signature = callSignature(paths, node);
    if (node.op() == Op::CallModule && !paths.resolve(node.target()).module)
        m_in.raise("RuntimeError",
                   "Tried to normalize node with target " + node.target() + " but root did not have that target!");
    if (!signature && !isTyped)
        if (const auto overloads = ambiguousOverloads(node); !overloads.empty())
            m_in.raise("RuntimeError", ambiguityText(node.target(), overloads));
    if (!signature) return Value::none();
    const auto bound = bindArguments(*signature, node);
    if (!bound) m_in.raise("TypeError", "the arguments do not fit the signature of " + node.target());
    Values args;
    Dict* kwargs = m_in.heap().make<Dict>();
    for (std::size_t at = 0; at < bound->size(); ++at) {
        const Value value = back((*bound)[at].second);
        if (!byName && at < node.args().size()) args.push_back(value);
        else kwargs->set(m_in.text((*bound)[at].first), value);
    }
    return m_in.call(m_in.resolve("torch.fx.operator_schemas.ArgsKwargsPair"), {m_in.tuple(std::move(args)), kwargs});
}

/// A call that stands in no graph. Its nodes and proxies are those that the program passes.
Value Normalizing::normalizedCall(Op op, const Module& root, const Value& target, const Value& args,
                                  const Value& kwargs, bool byName, bool isTyped) {
    GraphObject& call = *m_objects.graphFrom({});
    std::unordered_map<NodeId, Value> originals;
    const auto standing = [&](const Value& given) {
        if (!given.isSet()) return given;
        return mapAggregate(m_in, given, [&](const Value& leaf) {
            if (!leaf.as<NodeObject>() && !isProxy(leaf)) return leaf;
            const NodeId id = call.graph->placeholder("input");
            originals.emplace(id, leaf);
            return m_objects.node(call, id);
        });
    };
    std::vector<Argument> positional = m_objects.arguments().toArguments(call.graph, standing(args));
    Kwargs named = m_objects.arguments().toKwargs(call.graph, standing(kwargs));
    const NodeId id = op == Op::CallFunction
                          ? call.graph->callFunction(m_objects.arguments().callableOf(target), std::move(positional),
                                                     std::move(named))
                          : call.graph->createNode(op, m_in.str(target), std::move(positional), std::move(named));
    return normalized(root, call.graph->node(id), byName, isTyped, [&](const Argument& each) {
        return m_objects.arguments().fromArgument([&](NodeId input) { return originals.at(input); }, each);
    });
}

Normalizing::Normalizing(GraphObjects& objects) : m_objects(objects), m_in(objects.in()) {
    const auto isAsked = [this](const Values& args, const Keywords& kwargs, std::size_t at) {
        const Value byName = argumentAt(args, kwargs, at, "normalize_to_only_use_kwargs");
        return byName.isSet() && m_in.truth(byName);
    };
    const auto isTyped = [](const Values& args, const Keywords& kwargs, std::size_t at) {
        const Value types = argumentAt(args, kwargs, at, "arg_types"),
                    more = argumentAt(args, kwargs, at + 1, "kwarg_types");
        return (types.isSet() && !types.isNone()) || (more.isSet() && !more.isNone());
    };
    const auto moduleIn = [this](const Value& root, const char* function) -> const Module& {
        const auto* instance = root.as<Instance>();
        if (!instance || !instance->module)
            m_in.raise("TypeError", std::string(function) + ": expected a Module as root, got " + m_in.repr(root));
        return *instance->module;
    };
    addMethod(m_in, m_objects.nodeClass(), "normalized_arguments", [=, this](Values& args, Keywords& kwargs) -> Value {
        NodeObject& self = *m_objects.nodeOf(args.at(0), "normalized_arguments");
        const Module& root = moduleIn(argumentAt(args, kwargs, 1, "root"), "normalized_arguments");
        const Node& node = self.graph->graph->node(self.id);
        if (node.op() != Op::CallFunction && node.op() != Op::CallModule) return Value::none();
        return normalized(root, node, isAsked(args, kwargs, 4), isTyped(args, kwargs, 2), [&](const Argument& each) {
            return m_objects.arguments().fromArgument(m_objects.nodesOf(*self.graph), each);
        });
    });
    Class* functions = makeClass(m_in, "operator_schemas");
    addMethod(m_in, functions, "normalize_function", [=, this](Values& args, Keywords& kwargs) -> Value {
        return normalizedCall(Op::CallFunction, *m_objects.model().root, argumentAt(args, kwargs, 0, "target"),
                              argumentAt(args, kwargs, 1, "args"), argumentAt(args, kwargs, 2, "kwargs"),
                              isAsked(args, kwargs, 5), isTyped(args, kwargs, 3));
    });
    addMethod(m_in, functions, "normalize_module", [=, this](Values& args, Keywords& kwargs) -> Value {
        return normalizedCall(Op::CallModule, moduleIn(argumentAt(args, kwargs, 0, "root"), "normalize_module"),
                              argumentAt(args, kwargs, 1, "target"), argumentAt(args, kwargs, 2, "args"),
                              argumentAt(args, kwargs, 3, "kwargs"), isAsked(args, kwargs, 4), false);
    });
    Names& names = m_in.run(*m_in.ownFile("torch.fx")).names;
    for (const char* name : {"normalize_function", "normalize_module"}) names.set(name, *functions->find(name));
}

} // namespace

void addNormalizing(GraphObjects& objects) { objects.keep(std::make_shared<Normalizing>(objects)); }

} // namespace fx::python
