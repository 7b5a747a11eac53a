// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/value.h"

#include "core/ir/print.h"
#include "core/trace/allowance.h"

#include <algorithm>

namespace fx::trace {

namespace detail {
namespace {
bool isNested(const Value& value) {
    return value.as<ValueSequence>() || value.as<ValueDict>() || value.as<BoundMethod>() || value.as<Construction>();
}
constinit thread_local Values* pending = nullptr; ///< of the outermost value that goes
} // namespace

void letGo(Values& values) {
    if (std::none_of(values.begin(), values.end(), isNested)) return;
    Values own;
    const bool isOutermost = !pending;
    if (isOutermost) pending = &own;
    for (Value& each : values)
        if (isNested(each)) pending->push_back(std::move(each));
    if (!isOutermost) return;
    while (!own.empty()) {
        const Value next = std::move(own.back());
        own.pop_back();
    }
    pending = nullptr;
}
void letGoParts(ValueSequence& value) { letGo(value.items); }
void letGoParts(Construction& value) { letGo(value.args); }
void letGoParts(BoundMethod& value) {
    Values parts{std::move(value.self)};
    letGo(parts);
}
void letGoParts(ValueDict& value) {
    Values parts;
    for (auto& [key, each] : value.items) {
        if (isNested(key)) parts.push_back(std::move(key));
        if (isNested(each)) parts.push_back(std::move(each));
    }
    letGo(parts);
}
} // namespace detail

LazyAttribute::~LazyAttribute() {
    while (const auto* lazy = root.asLazy()) { // a chain of them ends one by one
        const std::shared_ptr<LazyAttribute> next = *lazy;
        root = {};
        if (!next || next.use_count() != 1) return;
        root = std::move(next->root);
    }
}

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
        charge(1);
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

TensorValue dataOf(const TensorValue& value) {
    TensorValue out = value;
    out.data = std::make_shared<TensorRef>();
    (void)objectOf(out);
    return out;
}

TensorPtr objectOf(const TensorValue& value) {
    if (!value.data) return value.tensor;
    auto& object = const_cast<TensorRef&>(*value.data); // made by dataOf
    const bool requiresGrad = object.requiresGrad;
    object = *value.tensor;
    object.isParameter = false, object.requiresGrad = requiresGrad;
    object.origin = {};
    return value.data;
}

bool isSameObject(const Value& a, const Value& b) {
    if (a.as<Proxy>() && b.as<Proxy>()) return a.as<Proxy>()->node == b.as<Proxy>()->node;
    if (const auto* f = a.as<FunctionValue>(), *g = b.as<FunctionValue>(); f && g)
        return f->known && g->known ? f->known->path() == g->known->path()
                                    : f->callable->qualifiedName == g->callable->qualifiedName;
    if (const auto* s = a.as<TensorValue>(), *t = b.as<TensorValue>(); s && t)
        return s->tensor == t->tensor && s->data == t->data;
    if (const auto* m = a.as<ModuleValue>(), *n = b.as<ModuleValue>(); m && n) return m->module == n->module;
    const auto *x = a.as<Argument>(), *y = b.as<Argument>();
    const bool single = x && (x->isNone() || x->as<bool>() || x->as<EllipsisValue>() || x->as<TorchConstant>());
    return single && y && *x == *y;
}

namespace {
/// Whether the text of a tensor is the expression that computes it. A storage whose text has neither calls nor dots
/// only notes that its bytes come later; such a tensor is read by its name.
bool isComputedByText(const TensorValue& tensor) {
    const Storage* storage = tensor.tensor->storage.get();
    return storage && storage->isExpression() && storage->expressionSource().find_first_of("(.") != std::string::npos;
}
} // namespace

std::string textOf(const Value& value) {
    charge(1);
    checkStack();
    static const Graph kNoGraph;
    if (const auto* argument = value.as<Argument>()) {
        std::string text = reprOf(kNoGraph, *argument);
        chargeBytes(text.size());
        return text;
    }
    if (const auto* tensor = value.as<TensorValue>()) {
        if (!isComputedByText(*tensor)) return tensor->read ? *tensor->read : "<tensor>";
        chargeBytes(tensor->tensor->storage->expressionSource().size());
        return tensor->tensor->storage->expressionSource();
    }
    if (const auto* sequence = value.as<ValueSequence>()) {
        const std::string inner = joined(sequence->items);
        chargeBytes(inner.size());
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
    if (value.as<LazyValues>()) return "<generator>";
    return "<value>";
}

} // namespace fx::trace
