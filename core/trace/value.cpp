// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/value.h"

#include "core/ir/print.h"

#include <algorithm>

namespace fx::trace {

// Nesting of values is bounded: by the parser for literals, by kMaxArgumentDepth for attributes, and by
// Tracer::toArgument for what the code builds up.

Value fromArgument(const Argument& argument) {
    if (const auto* sequence = argument.as<Sequence>()) {
        if (sequence->kind == Sequence::Kind::NamedTuple && sequence->type) {
            Construction made{sequence->type, {}, {}};
            for (const auto& item : sequence->items) made.args.push_back(fromArgument(item));
            return box(std::move(made));
        }
        ValueSequence out{sequence->kind == Sequence::Kind::List, {}};
        for (const auto& item : sequence->items) out.items.push_back(fromArgument(item));
        return box(std::move(out));
    }
    if (const auto* dict = argument.as<Dict>()) {
        ValueDict out;
        for (const auto& [key, value] : dict->items) out.items.emplace_back(fromArgument(key), fromArgument(value));
        return box(std::move(out));
    }
    if (const auto* slice = argument.as<Slice>())
        return box(ValueSlice{fromArgument(slice->start), fromArgument(slice->stop), fromArgument(slice->step)});
    return {argument};
}

namespace {
struct ProxyFinder {
    int depth = 0;
    bool operator()(const Value& value) {
        if (value.isProxy()) return true;
        if (++depth > kMaxArgumentDepth) throw CannotFollow(Message("trace.value_too_deep"));
        bool found = false;
        if (const auto* sequence = value.as<ValueSequence>())
            found = std::any_of(sequence->items.begin(), sequence->items.end(), std::ref(*this));
        else if (const auto* dict = value.as<ValueDict>())
            found = std::any_of(dict->items.begin(), dict->items.end(),
                                [&](const auto& item) { return (*this)(item.second); });
        else if (const auto* slice = value.as<ValueSlice>())
            found = (*this)(slice->start) || (*this)(slice->stop) || (*this)(slice->step);
        --depth;
        return found;
    }
};

std::string joined(const Values& values) {
    std::string out;
    for (const auto& value : values) out += (out.empty() ? "" : ", ") + textOf(value);
    return out;
}
} // namespace

bool holdsProxy(const Value& value) { return ProxyFinder{}(value); }

bool anyProxy(const Values& args, const KeywordValues& kwargs) {
    return std::any_of(args.begin(), args.end(), holdsProxy) ||
           std::any_of(kwargs.begin(), kwargs.end(), [](const auto& item) { return holdsProxy(item.second); });
}

bool isSameObject(const Value& a, const Value& b) {
    if (a.as<Proxy>() && b.as<Proxy>()) return a.as<Proxy>()->node == b.as<Proxy>()->node;
    if (const auto* f = a.as<FunctionValue>(), *g = b.as<FunctionValue>(); f && g)
        return f->known && g->known ? f->known->path() == g->known->path()
                                    : f->callable->qualifiedName == g->callable->qualifiedName;
    if (const auto* f = a.as<SourceFunction>(), *g = b.as<SourceFunction>(); f && g)
        return f->head == g->head && f->lambda == g->lambda;
    if (const auto* s = a.as<TensorValue>(), *t = b.as<TensorValue>(); s && t) return s->tensor == t->tensor;
    if (const auto* m = a.as<ModuleValue>(), *n = b.as<ModuleValue>(); m && n) return m->module == n->module;
    const auto *x = a.as<Argument>(), *y = b.as<Argument>();
    const bool single = x && (x->isNone() || x->as<bool>() || x->as<EllipsisValue>() || x->as<TorchConstant>());
    return single && y && *x == *y;
}

const Value* SourceClass::find(std::string_view member) const {
    for (const SourceClass* type = this; type; type = type->base.as<SourceClass>())
        for (const auto& [key, value] : type->members)
            if (key == member) return &value;
    return nullptr;
}

namespace {
/// Whether the text of a tensor is the expression that computes it. A storage whose text has neither calls nor dots
/// only notes that its bytes come later; such a tensor is read by its name.
bool isComputedByText(const TensorValue& tensor) {
    const Storage* storage = tensor.tensor->storage.get();
    if (!storage || !storage->isExpression()) return false;
    return !tensor.read || storage->expressionSource().find_first_of("(.") != std::string::npos;
}
} // namespace

std::string textOf(const Value& value) {
    static const Graph kNoGraph;
    if (const auto* argument = value.as<Argument>()) return reprOf(kNoGraph, *argument);
    if (const auto* tensor = value.as<TensorValue>())
        return isComputedByText(*tensor) ? tensor->tensor->storage->expressionSource()
               : tensor->read            ? *tensor->read
                                         : "<tensor>";
    if (const auto* sequence = value.as<ValueSequence>()) {
        const std::string inner = joined(sequence->items);
        if (sequence->list) return "[" + inner + "]";
        return "(" + inner + (sequence->items.size() == 1 ? ",)" : ")");
    }
    if (const auto* dict = value.as<ValueDict>()) {
        std::string out = "{";
        for (const auto& [key, item] : dict->items)
            out += (out.size() > 1 ? ", " : "") + textOf(key) + ": " + textOf(item);
        return out + "}";
    }
    if (const auto* slice = value.as<ValueSlice>())
        return "slice(" + textOf(slice->start) + ", " + textOf(slice->stop) + ", " + textOf(slice->step) + ")";
    if (const auto* function = value.as<FunctionValue>()) return function->callable->qualifiedName;
    if (const auto* space = value.as<NamespaceValue>()) return space->path;
    if (const auto* method = value.as<BoundMethod>()) return textOf(method->self) + "." + method->name;
    if (const auto* made = value.as<Construction>()) return made->type->qualifiedName + "(" + joined(made->args) + ")";
    if (const auto* function = value.as<SourceFunction>()) return "<function " + function->name + ">";
    if (const auto* type = value.as<SourceClass>()) return "<class '" + type->name + "'>";
    if (value.as<LazyValues>()) return "<generator>";
    return "<value>";
}

} // namespace fx::trace
