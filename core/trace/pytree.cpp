// SPDX-License-Identifier: GPL-3.0-or-later
// A torch.utils._pytree.TreeSpec is a Construction whose arguments are its pickled state:
// [type, context, children, num_nodes, num_leaves, num_children]; a leaf has type None.
#include "core/trace/function_calls.h"

namespace fx::trace {
namespace {
struct Spec {
    explicit Spec(const Value& value) : made(value.as<Construction>()) {
        const bool isSpec = made && (made->type->name == "TreeSpec" || made->type->name == "LeafSpec");
        if (!isSpec || (made->args.size() < 3 && made->type->name != "LeafSpec"))
            throw CannotFollow(Message("trace.not_a_pytree", {{"value", textOf(value)}}));
    }
    bool isLeaf() const { return made->type->name == "LeafSpec" || made->args[0].isNone(); }
    std::string type() const {
        const auto* argument = made->args[0].as<Argument>();
        const auto* callable = argument ? argument->as<CallableValue>() : nullptr;
        return callable ? callable->callable->name : std::string();
    }
    /// A dataclass of transformers that is a dict of what is set: tracing records it as a dict.
    bool isModelOutput() const {
        const auto* argument = made->args[0].as<Argument>();
        const auto* callable = argument ? argument->as<CallableValue>() : nullptr;
        return callable && callable->callable->module.starts_with("transformers.") &&
               callable->callable->name.find("Output") != std::string::npos;
    }
    const Value& context() const { return made->args[1]; }
    const Values& children() const {
        static const Values kNone;
        const auto* sequence = isLeaf() ? nullptr : made->args[2].as<ValueSequence>();
        return sequence ? sequence->items : kNone;
    }
    const Construction* made;
};

void flatten(Tracer& tracer, const Value& tree, const Spec& spec, Values& leaves) {
    if (spec.isLeaf()) {
        leaves.push_back(tree);
        return;
    }
    const std::string type = spec.type();
    if (type != "dict" && type != "list" && type != "tuple" && type != "namedtuple" && tree.isProxy())
        throw PythonError("RuntimeError: the input has another structure than its specification says (" + type + ")");
    const auto* keys = type == "dict" ? spec.context().as<ValueSequence>() : nullptr;
    Values items; // all children are taken before any of them is walked, as in PyTorch
    for (std::size_t i = 0; i < spec.children().size(); ++i) {
        const Value key =
            keys && i < keys->items.size() ? keys->items[i] : Value{Argument(static_cast<std::int64_t>(i))};
        items.push_back(tracer.subscript(tree, key));
    }
    for (std::size_t i = 0; i < items.size(); ++i) flatten(tracer, items[i], Spec(spec.children()[i]), leaves);
}

Value unflatten(const Values& leaves, std::size_t& next, const Spec& spec) {
    if (spec.isLeaf()) {
        if (next == leaves.size()) throw PythonError("ValueError: too few leaves for the tree specification");
        return leaves[next++];
    }
    Values items;
    for (const auto& child : spec.children()) items.push_back(unflatten(leaves, next, Spec(child)));
    const std::string type = spec.type();
    if (type == "list") return listOf(std::move(items));
    if (type == "tuple") return tupleOf(std::move(items));
    const auto* context = spec.context().as<Argument>();
    const auto* record = context ? context->as<CallableValue>() : nullptr;
    if (type == "namedtuple" && record) return box(Construction{record->callable, std::move(items), {}});
    const auto* keys = spec.context().as<ValueSequence>();
    if ((type == "dict" || type == "OrderedDict" || spec.isModelOutput()) && keys &&
        keys->items.size() == items.size()) {
        ValueDict dict;
        for (std::size_t i = 0; i < items.size(); ++i) dict.items.emplace_back(keys->items[i], items[i]);
        return box(std::move(dict));
    }
    throw CannotFollow(Message("trace.unsupported_pytree", {{"type", type}}));
}
} // namespace

Value treeFlattenSpec(Tracer& tracer, const Value& tree, const Value& spec) {
    Values leaves;
    flatten(tracer, tree, Spec(spec), leaves);
    return listOf(std::move(leaves));
}

Value treeUnflatten(const Value& leaves, const Value& spec) {
    const auto* sequence = leaves.as<ValueSequence>();
    if (!sequence) throw CannotFollow(Message("trace.unflatten_needs_list"));
    std::size_t next = 0;
    return unflatten(sequence->items, next, Spec(spec));
}

} // namespace fx::trace
