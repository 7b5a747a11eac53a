// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/python/torch/pytrees.h"

#include "core/trace/callables.h"

namespace fx::python {
namespace {

constexpr int kDeepest = 200;

Argument makeSpec(Argument type, Argument context, std::vector<Argument> children) {
    static const CallablePtr kType = [] {
        auto named = std::make_shared<Callable>(*resolveCallable("torch.utils._pytree.TreeSpec"));
        named->kind = Callable::Kind::Class;
        named->module = "torch.utils._pytree";
        named->name = "TreeSpec";
        return named;
    }();
    std::vector<Argument> parts{std::move(type), std::move(context), Argument::list(std::move(children))};
    return Argument(Sequence{Sequence::Kind::NamedTuple, std::move(parts), kType});
}

Argument typeNamed(const char* dotted) { return CallableValue{resolveCallable(dotted)}; }

class Mapping {
public:
    Mapping(Interpreter& in, const std::function<Value(const Value&)>& leaf) : m_in(in), m_leaf(leaf) {}

    Value map(const Value& tree, Argument& spec, int depth = 0) {
        if (depth > kDeepest) m_in.raise("RecursionError", "maximum recursion depth exceeded");
        trace::charge(8);
        trace::chargeBytes(8 * sizeof(Argument));
        if (const auto* dict = tree.as<Dict>()) return mapDict(*dict, spec, depth);
        const auto* instance = tree.as<Instance>();
        const Value record = instance && instance->type->isNamedTuple ? instance->payload : Value();
        const auto* tuple = record.isSet() ? record.as<Tuple>() : tree.as<Tuple>();
        const auto* list = tree.as<List>();
        if (!tuple && !list) {
            spec = makeSpec({}, {}, {});
            return m_leaf(tree);
        }
        std::vector<Argument> children;
        Values items;
        for (const Value& each : tuple ? tuple->items : list->items)
            items.push_back(map(each, children.emplace_back(), depth + 1));
        spec = list             ? makeSpec(typeNamed("builtins.list"), {}, std::move(children))
               : record.isSet() ? makeSpec(typeNamed("collections.namedtuple"),
                                           CallableValue{Bridge::callableOf(*instance->type)}, std::move(children))
                                : tupleSpec(std::move(children));
        if (list) return m_in.listOf(std::move(items));
        if (record.isSet()) return m_in.call(instance->type, std::move(items));
        Tuple* made = m_in.tuple(std::move(items));
        made->fields = tuple->fields;
        return made;
    }

private:
    Value mapDict(const Dict& dict, Argument& spec, int depth) {
        std::vector<Argument> children, keys;
        Dict* made = m_in.heap().make<Dict>();
        made->factory = dict.factory;
        made->isOrdered = dict.isOrdered;
        dict.forEach([&](const Value& key, const Value& each) {
            keys.push_back(m_in.tracer().toArgument(m_in.toTrace(key)));
            made->set(key, map(each, children.emplace_back(), depth + 1));
        });
        const char* type = dict.isOrdered ? "collections.OrderedDict" : "builtins.dict";
        spec = makeSpec(typeNamed(type), Argument::list(std::move(keys)), std::move(children));
        return made;
    }

    Interpreter& m_in;
    const std::function<Value(const Value&)>& m_leaf;
};

} // namespace

Value mapTree(Interpreter& in, const Value& tree, const std::function<Value(const Value&)>& leaf, Argument& spec) {
    return Mapping(in, leaf).map(tree, spec);
}

Argument tupleSpec(std::vector<Argument> children) {
    return makeSpec(typeNamed("builtins.tuple"), {}, std::move(children));
}

bool isLeafSpec(const Argument& spec) { return spec.as<Sequence>()->items[0].isNone(); }

} // namespace fx::python
