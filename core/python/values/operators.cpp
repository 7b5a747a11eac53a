// SPDX-License-Identifier: GPL-3.0-or-later
// Operators, truth, items and iteration.
#include "core/python/execution/generator_run.h"
#include "core/python/interpreter.h"
#include "core/python/values/slices.h"
#include "core/trace/numbers/python_numbers.h"

#include <algorithm>
#include <cmath>

namespace fx::python {
using trace::CannotFollow;
using trace::PythonError;

namespace {

/// Plain `a OP b` of small integers and floats; nothing when it needs Python's own rules.
std::optional<Value> quick(std::string_view op, const Value& a, const Value& b) {
    if (!a.isNumber() || !b.isNumber()) return std::nullopt;
    if (a.isInt() && b.isInt()) {
        std::int64_t result = 0;
        if (op == "add" && !__builtin_add_overflow(a.asInt(), b.asInt(), &result)) return Value(result);
        if (op == "sub" && !__builtin_sub_overflow(a.asInt(), b.asInt(), &result)) return Value(result);
        if (op == "mul" && !__builtin_mul_overflow(a.asInt(), b.asInt(), &result)) return Value(result);
        return std::nullopt;
    }
    if (op == "add") return Value(a.asReal() + b.asReal());
    if (op == "sub") return Value(a.asReal() - b.asReal());
    if (op == "mul") return Value(a.asReal() * b.asReal());
    return std::nullopt;
}

/// Whether iterating over an enum gives the member under this name: not by its other names; of flags, single bits.
bool isListed(const Instance& member, const std::string& name) {
    const Value* own = member.attributes.find("name");
    if (!own || !own->as<Str>() || own->as<Str>()->text != name) return false;
    const Value* value = member.type->find("_is_flag_") ? member.attributes.find("_value_") : nullptr;
    return !value || !value->isInt() || (value->asInt() > 0 && (value->asInt() & (value->asInt() - 1)) == 0);
}

const Values* itemsOf(const Value& value) {
    if (const auto* tuple = value.as<Tuple>()) return &tuple->items;
    if (const auto* list = value.as<List>()) return &list->items;
    return nullptr;
}
std::string methodOf(std::string_view op) {
    return "__" + std::string(op.ends_with('_') ? op.substr(0, op.size() - 1) : op) + "__";
}
std::string mirroredOf(std::string_view op) { return "__r" + methodOf(op).substr(2); }
/// Views of keys and items take part in the operators of sets, with any iterable on the other side.
bool isSetLike(const Value& value) {
    const auto* view = value.as<DictView>();
    return view && view->kind != DictView::Kind::ValuesOnly;
}
bool isSetOperator(std::string_view op) { return op == "or_" || op == "and_" || op == "sub" || op == "xor"; }
/// What a method returns that leaves an operator to the other operand.
bool isNotImplemented(const Value& value) {
    const auto* opaque = value.as<Opaque>();
    return opaque && opaque->path == "NotImplemented";
}

} // namespace

Value Interpreter::binary(std::string_view op, const Value& first, const Value& second) {
    if (auto result = quick(op, first, second)) return *result;
    if (const Value own = specialMethod(first, methodOf(op)); own.isSet())
        if (const Value made = call(own, {second}); !isNotImplemented(made)) return made;
    if (const Value own = specialMethod(second, mirroredOf(op)); own.isSet())
        if (const Value made = call(own, {first}); !isNotImplemented(made)) return made;
    const Value &left = plain(first), &right = plain(second);
    const auto *a = itemsOf(left), *b = itemsOf(right);
    if (a && b && op == "add" && (left.as<Tuple>() != nullptr) == (right.as<Tuple>() != nullptr)) {
        Values all = *a;
        all.insert(all.end(), b->begin(), b->end());
        return left.as<Tuple>() ? Value(tuple(std::move(all))) : Value(listOf(std::move(all)));
    }
    if (op == "mul" && ((a && right.isInt()) || (b && left.isInt()))) {
        const Values& items = a ? *a : *b;
        const std::int64_t count = std::max<std::int64_t>(0, (a ? right : left).asInt());
        if (static_cast<double>(count) * static_cast<double>(items.size()) > 1e6)
            throw CannotFollow(Message("trace.long_sequence"));
        Values all;
        for (std::int64_t i = 0; i < count; ++i) all.insert(all.end(), items.begin(), items.end());
        return (a ? left : right).as<Tuple>() ? Value(tuple(std::move(all))) : Value(listOf(std::move(all)));
    }
    if (auto* x = left.as<Dict>(), *y = right.as<Dict>(); x && y && op == "or_") {
        Dict* all = m_heap.make<Dict>();
        for (auto* each : {x, y}) each->forEach([&](const Value& key, const Value& value) { all->set(key, value); });
        return all;
    }
    if (auto* x = left.as<Set>(), *y = right.as<Set>(); x && y) {
        Set* result = m_heap.make<Set>();
        x->items.forEach([&](const Value& key, const Value&) {
            const bool both = y->items.find(key) != nullptr;
            if (op == "or_" || (op == "and_" ? both : !both)) result->items.set(key, Value::none());
        });
        if (op == "or_" || op == "xor")
            y->items.forEach([&](const Value& key, const Value&) {
                if (op == "or_" || !x->items.find(key)) result->items.set(key, Value::none());
            });
        return result;
    }
    if ((isSetLike(left) || isSetLike(right)) && isSetOperator(op) && !isProxy(left) && !isProxy(right))
        return binary(op, setOf(left), setOf(right));
    if (const auto* template_ = left.as<Str>(); template_ && op == "mod")
        return call(attribute(left, "__mod__"), {right});
    if (op == "or_" && (left.as<Class>() || right.as<Class>() || left.as<Opaque>() || right.as<Opaque>()))
        return tuple({left, right}); // a union of types
    if (left.as<Opaque>() || right.as<Opaque>()) {
        const auto* opaque = left.as<Opaque>() ? left.as<Opaque>() : right.as<Opaque>();
        throw CannotFollow(Message("trace.unknown_import", {{"name", opaque->path}}));
    }
    const auto refused = [&](const Value& value) {
        return value.kind == Value::Kind::Object && !value.as<Str>() && !value.as<Tuple>() && !value.as<List>() &&
               !value.as<Traced>();
    };
    if (!isProxy(left) && !isProxy(right) && (refused(left) || refused(right) || left.isNone() || right.isNone())) {
        static constexpr std::pair<std::string_view, std::string_view> kSigns[] = {
            {"add", "+"}, {"sub", "-"},           {"mul", "*"},    {"truediv", "/"}, {"floordiv", "//"},
            {"mod", "%"}, {"pow", "** or pow()"}, {"matmul", "@"}, {"and_", "&"},    {"or_", "|"},
            {"xor", "^"}, {"lshift", "<<"},       {"rshift", ">>"}};
        std::string_view sign = op;
        for (const auto& [name, shown] : kSigns)
            if (name == op) sign = shown;
        raise("TypeError", "unsupported operand type(s) for " + std::string(sign) + ": '" +
                               str(attribute(typeOf(left), "__name__")) + "' and '" +
                               str(attribute(typeOf(right), "__name__")) + "'");
    }
    const bool records = isProxy(first) || isProxy(second);
    const trace::Value tracedLeft = toOperand(first, records), tracedRight = toOperand(second, records);
    const trace::Value made = m_tracer->binary(op, tracedLeft, tracedRight);
    m_numbers.learn(op, {tracedLeft, tracedRight}, made);
    return fromTrace(made);
}

Value Interpreter::unary(std::string_view op, const Value& operand) {
    if (op == "neg" && operand.kind == Value::Kind::Int && operand.integer != INT64_MIN) return {-operand.integer};
    if (op == "neg" && operand.kind == Value::Kind::Float) return {-operand.real};
    if (const Value own = specialMethod(operand, methodOf(op)); own.isSet()) return call(own, {});
    return fromTrace(m_tracer->unary(op, toOperand(operand, false)));
}

bool Interpreter::equal(const Value& left, const Value& right) {
    for (const auto& [self, other] : {std::pair(left, right), std::pair(right, left)})
        if (const Value own = specialMethod(self, "__eq__"); own.isSet())
            if (const Value made = call(own, {other}); !isNotImplemented(made)) return truth(made);
    return equalValues(left, right);
}

bool Interpreter::contains(const Value& container, const Value& item) {
    const Value& in = plain(container);
    if (const Value own = specialMethod(container, "__contains__"); own.isSet()) return truth(call(own, {item}));
    if (auto* dict = in.as<Dict>()) return dict->find(plain(item)) != nullptr;
    if (Dict* members = membersOf(in)) return members->find(plain(item)) != nullptr;
    if (const auto* text = in.as<Str>()) {
        const auto* part = plain(item).as<Str>();
        if (!part) raise("TypeError", "'in <string>' requires string as left operand");
        return text->text.find(part->text) != std::string::npos;
    }
    if (in.as<Space>()) return truth(call(*m_builtins.find("hasattr"), {in, item}));
    if (isProxy(in)) return truth(fromTrace(m_tracer->binary("contains", toTrace(in), toTrace(item))));
    if (const auto* instance = in.as<Instance>(); instance && instance->module)
        return item.as<Str>() && instance->module->child(item.as<Str>()->text);
    Iterator* each = iterate(container);
    for (Value value = each->next(); value.isSet(); value = each->next()) {
        if (value.sameAs(item)) return true;
        if (isProxy(value) || isProxy(item) ? truth(compare("==", value, item)) : equal(value, item)) return true;
    }
    return false;
}

Value Interpreter::compare(std::string_view sign, const Value& left, const Value& right) {
    if (sign == "is") return {left.sameAs(right)};
    if (sign == "is not") return {!left.sameAs(right)};
    if (sign == "in") return {contains(right, left)};
    if (sign == "not in") return {!contains(right, left)};
    static constexpr std::pair<std::string_view, std::string_view> kNames[] = {
        {"==", "eq"}, {"!=", "ne"}, {"<", "lt"}, {"<=", "le"}, {">", "gt"}, {">=", "ge"}};
    std::string_view op;
    for (const auto& [each, name] : kNames)
        if (each == sign) op = name;
    const bool traced = isProxy(left) || isProxy(right) || tensorIn(left) || tensorIn(right);
    const bool records = isProxy(left) || isProxy(right);
    if (traced) return fromTrace(m_tracer->binary(op, toOperand(left, records), toOperand(right, records)));
    if (sign == "==" || sign == "!=") return {equal(left, right) == (sign == "==")};
    if (const Value own = specialMethod(left, methodOf(op)); own.isSet()) return call(own, {right});
    const Value &a = plain(left), &b = plain(right);
    int order = 0;
    if (a.isNumber() && b.isNumber()) {
        if (std::isnan(a.asReal()) || std::isnan(b.asReal())) return {false};
        order = a.isInt() && b.isInt() ? (a.asInt() > b.asInt()) - (a.asInt() < b.asInt())
                                       : (a.asReal() > b.asReal()) - (a.asReal() < b.asReal());
    } else if (const auto* x = a.as<Str>(), *y = b.as<Str>(); x && y) {
        order = x->text.compare(y->text);
    } else if (const auto* xs = itemsOf(a), *ys = itemsOf(b); xs && ys) {
        std::size_t i = 0;
        while (i < xs->size() && i < ys->size() && equal((*xs)[i], (*ys)[i])) ++i;
        if (i < xs->size() && i < ys->size()) return compare(sign, (*xs)[i], (*ys)[i]);
        order = (xs->size() > ys->size()) - (xs->size() < ys->size());
    } else if (Dict* s = membersOf(a), *t = membersOf(b); s && t) {
        const bool isLess = op == "le" || op == "lt";
        Dict &small = isLess ? *s : *t, &large = isLess ? *t : *s;
        bool inside = op == "le" || op == "ge" || small.size() < large.size();
        small.forEach([&](const Value& key, const Value&) { inside = inside && large.find(key); });
        return {inside};
    } else if (a.as<Opaque>() || b.as<Opaque>()) {
        throw CannotFollow(Message("trace.unknown_import", {{"name", (a.as<Opaque>() ? a : b).as<Opaque>()->path}}));
    } else if (a.as<Traced>() && b.as<Traced>()) {
        return fromTrace(m_tracer->binary(op, toTrace(a), toTrace(b)));
    } else {
        raise("TypeError", "'" + std::string(sign) + "' not supported between instances of '" +
                               str(attribute(typeOf(a), "__name__")) + "' and '" +
                               str(attribute(typeOf(b), "__name__")) + "'");
    }
    return {op == "lt" ? order < 0 : op == "le" ? order <= 0 : op == "gt" ? order > 0 : order >= 0};
}

bool Interpreter::truth(const Value& value) {
    switch (value.kind) {
    case Value::Kind::Unset:
    case Value::Kind::None: return false;
    case Value::Kind::Bool: return value.boolean;
    case Value::Kind::Int: return value.integer != 0;
    case Value::Kind::Float: return value.real != 0;
    case Value::Kind::Object: break;
    }
    if (const auto* text = value.as<Str>()) return !text->text.empty();
    if (const auto* items = itemsOf(value)) return !items->empty();
    if (const auto* dict = value.as<Dict>()) return dict->size() != 0;
    if (const auto* set = value.as<Set>()) return set->items.size() != 0;
    if (const auto* view = value.as<DictView>()) return view->dict->size() != 0;
    if (const auto* range = value.as<RangeObject>()) return range->size() != 0;
    if (machine && tensorIn(value))
        if (const Value number = numberOf(value); number.isSet()) return number.asReal() != 0;
    if (hooks && hooks->toBool && isProxy(value)) return hooks->toBool(value);
    if (const auto* traced = value.as<Traced>())
        return traced->value.as<trace::FunctionValue>() ? true : m_tracer->truth(traced->value);
    if (const auto* opaque = value.as<Opaque>())
        throw CannotFollow(Message("trace.unknown_import", {{"name", opaque->path}}));
    if (const auto* instance = value.as<Instance>()) {
        if (const Value own = specialMethod(value, "__bool__"); own.isSet()) return truth(call(own, {}));
        if (instance->payload.isSet()) return truth(instance->payload);
        if (const Value own = specialMethod(value, "__len__"); own.isSet()) return truth(call(own, {}));
        if (instance->module && instance->type->derivesFrom(torchClass("torch.nn.ModuleList")))
            return !instance->module->children.empty();
    }
    return true;
}

Value Interpreter::length(const Value& value) {
    const Value& in = plain(value);
    if (const auto* text = in.as<Str>())
        return Value::integerOf(static_cast<std::size_t>(
            std::count_if(text->text.begin(), text->text.end(), [](char c) { return (c & 0xC0) != 0x80; })));
    if (const auto* items = itemsOf(in)) return Value::integerOf(items->size());
    if (const auto* dict = in.as<Dict>()) return Value::integerOf(dict->size());
    if (const auto* set = in.as<Set>()) return Value::integerOf(set->items.size());
    if (const auto* view = in.as<DictView>()) return Value::integerOf(view->dict->size());
    if (const auto* range = in.as<RangeObject>()) return {range->size()};
    if (isProxy(in)) throw PythonError(Message("python.len"));
    if (const Value own = specialMethod(value, "__len__"); own.isSet()) return call(own, {});
    if (const auto* instance = in.as<Instance>(); instance && instance->module)
        return Value::integerOf(instance->module->children.size() +
                                (instance->type->name == "ParameterList" ? instance->module->parameters.size() : 0));
    if (const auto* type = in.as<Class>(); type && type->isEnum) return Value::integerOf(list(value).size());
    if (const auto* tensor = tensorIn(in); tensor && tensor->shapeKnown && !tensor->tensor->sizes.empty())
        return {tensor->tensor->sizes[0]};
    if (const auto* traced = in.as<Traced>())
        return fromTrace(m_tracer->call(trace::resolveName("builtins.len"), {traced->value}, {}));
    raise("TypeError", "object of type '" + str(attribute(typeOf(value), "__name__")) + "' has no len()");
}

// ── items ────────────────────────────────────────────────────────────────────────────────────────────────────────

namespace {
bool isAscii(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char each) { return static_cast<unsigned char>(each) < 0x80; });
}
} // namespace

Value Interpreter::item(const Value& object, const Value& key) {
    if (const Value own = specialMethod(object, "__getitem__"); own.isSet()) return call(own, {key});
    const Value& in = plain(object);
    if (!isProxy(in) && !in.as<Dict>() && plainValue(key).isInt() && !key.isInt()) return item(in, plainValue(key));
    const auto* slice = key.as<SliceObject>();
    if (const auto* items = itemsOf(in)) {
        if (slice) return in.as<Tuple>() ? Value(tuple(sliced(*items, *slice))) : Value(listOf(sliced(*items, *slice)));
        if (!key.isInt()) {
            if (isProxy(key))
                throw PythonError("TypeError: " + std::string(in.as<Tuple>() ? "tuple" : "list") +
                                  " indices must be integers or slices, not Proxy");
            raise("TypeError", std::string(in.as<Tuple>() ? "tuple" : "list") +
                                   " indices must be integers or slices, not " +
                                   str(attribute(typeOf(key), "__name__")));
        }
        const auto at = indexIn(key, items->size());
        if (!at) raise("IndexError", std::string(in.as<Tuple>() ? "tuple" : "list") + " index out of range");
        return (*items)[*at];
    }
    if (auto* dict = in.as<Dict>()) {
        if (Value* found = dict->find(plain(key))) return *found;
        if (const Value missing = specialMethod(object, "__missing__"); missing.isSet()) return call(missing, {key});
        if (!dict->factory.isSet() || dict->factory.isNone())
            throw Raised{instantiate(builtinClass("KeyError"), {key}, {})};
        const Value made = call(dict->factory, {});
        dict->set(key, made);
        return made;
    }
    if (const auto* text = in.as<Str>()) {
        if (isAscii(text->text)) {
            if (slice) return this->text(sliced(text->text, *slice));
            const auto at = key.isInt() ? indexIn(key, text->text.size()) : std::nullopt;
            if (!at) raise("IndexError", "string index out of range");
            return this->text(std::string(1, text->text[*at]));
        }
        const Value characters = listOf(list(in)); // Python counts these, not bytes
        const Value part = item(characters, key);
        if (!slice) return part;
        std::string joined;
        for (const Value& each : part.as<List>()->items) joined += each.as<Str>()->text;
        return this->text(joined);
    }
    if (const auto* range = in.as<RangeObject>()) {
        if (slice) return item(listOf(list(in)), key);
        const auto at = indexIn(key, static_cast<std::size_t>(range->size()));
        if (!at) raise("IndexError", "range object index out of range");
        return {range->start + static_cast<std::int64_t>(*at) * range->step};
    }
    if (auto* type = in.as<Class>()) {
        if (const auto* name = type->isEnum ? key.as<Str>() : nullptr) {
            Value* member = type->members.find(name->text);
            const auto* instance = member ? member->as<Instance>() : nullptr;
            if (instance && instance->type == type) return *member;
            throw Raised{instantiate(builtinClass("KeyError"), {key}, {})};
        }
        return in; // Generic[T]
    }
    if (auto* instance = in.as<Instance>(); instance && instance->module)
        return call(attribute(in, "__getitem__"), {key});
    if (in.as<Opaque>()) return in;
    if (const auto* traced = in.as<Traced>()) {
        if (traced->value.as<trace::FunctionValue>()) return in; // typing.List[int]
        if (tensorIn(in) && key.isInt())
            if (const Value part = partOf(tensorIn(in)->tensor, key.asInt()); part.isSet()) return part;
        const trace::Value part = m_tracer->subscript(traced->value, toTrace(key));
        if (machine && tensorIn(in) && key.isInt()) m_numbers.learnPart(*tensorIn(in)->tensor, key.asInt(), part);
        return fromTrace(part);
    }
    raise("TypeError", "'" + str(attribute(typeOf(object), "__name__")) + "' object is not subscriptable");
}

void Interpreter::setItem(const Value& object, const Value& key, const Value& value) {
    if (const Value own = specialMethod(object, "__setitem__"); own.isSet()) {
        call(own, {key, value});
        return;
    }
    const Value& in = plain(object);
    if (auto* dict = in.as<Dict>()) return dict->set(plain(key).as<Str>() ? plain(key) : key, value);
    if (auto* list = in.as<List>()) {
        if (const auto* slice = key.as<SliceObject>()) {
            const Span span = spanOf(*slice, list->items.size());
            const Values given = this->list(value);
            const auto first = list->items.begin() + span.start;
            list->items.erase(first, first + static_cast<std::ptrdiff_t>(span.count));
            list->items.insert(list->items.begin() + span.start, given.begin(), given.end());
            return;
        }
        const Value& index = plainValue(key);
        const auto at = index.isInt() ? indexIn(index, list->items.size()) : std::nullopt;
        if (!at) raise("IndexError", "list assignment index out of range");
        list->items[*at] = value;
        return;
    }
    if (isProxy(in)) throw PythonError(Message("python.item_assignment"));
    if (auto* instance = in.as<Instance>(); instance && instance->module) {
        call(attribute(in, "__setitem__"), {key, value});
        return;
    }
    if (tensorIn(in) && isProxy(value)) { // tensor[i] = proxy
        const trace::Values operands{toTrace(in), toTrace(key), toTrace(value)};
        m_tracer->recordMethod("__setitem__", operands, {});
        return;
    }
    if (in.as<Opaque>()) return;
    if (machine && tensorIn(in)) {
        m_numbers.bytesAreCurrent = machine == nullptr;
        m_numbers.forget();
        const trace::Value function = trace::resolveName("operator.setitem");
        m_tracer->computeFunction(*function.as<trace::FunctionValue>(), {toTrace(in), toTrace(key), toTrace(value)},
                                  {});
        return;
    }
    throw CannotFollow(Message("trace.item_assignment"));
}

void Interpreter::deleteItem(const Value& object, const Value& key) {
    const Value& in = plain(object);
    if (isProxy(in)) raise("TypeError", "'Proxy' object doesn't support item deletion");
    if (auto* dict = in.as<Dict>()) {
        if (!dict->erase(key)) throw Raised{instantiate(builtinClass("KeyError"), {key}, {})};
    } else if (auto* list = in.as<List>()) {
        if (const auto* slice = key.as<SliceObject>()) {
            const Span span = spanOf(*slice, list->items.size());
            list->items.erase(list->items.begin() + span.start,
                              list->items.begin() + span.start + static_cast<std::ptrdiff_t>(span.count));
        } else if (const auto at = indexIn(key, list->items.size())) {
            list->items.erase(list->items.begin() + static_cast<std::ptrdiff_t>(*at));
        } else {
            raise("IndexError", "list assignment index out of range");
        }
    } else if (auto* instance = in.as<Instance>(); instance && instance->module) {
        auto& children = instance->module->children;
        if (const auto at = key.isInt() ? indexIn(key, children.size()) : std::nullopt) {
            children.erase(children.begin() + static_cast<std::ptrdiff_t>(*at));
            for (std::size_t i = 0; i < children.size(); ++i) children[i].name = std::to_string(i);
        } else if (key.as<Str>()) {
            std::erase_if(children, [&](const auto& child) { return child.name == key.as<Str>()->text; });
        }
    } else {
        throw CannotFollow(Message("trace.item_assignment"));
    }
}

// ── iteration ────────────────────────────────────────────────────────────────────────────────────────────────────

Iterator* Interpreter::iterator(std::function<Value()> next) {
    Iterator* made = m_heap.make<Iterator>();
    made->next = std::move(next);
    return made;
}

Value Interpreter::next(Iterator& iterator) {
    const Value value = iterator.next();
    if (value.isSet()) return value;
    Values args;
    if (iterator.run && !iterator.run->returned().isNone()) args.push_back(iterator.run->returned());
    throw Raised{instantiate(builtinClass("StopIteration"), std::move(args), {})};
}

void Interpreter::checkGenerators() {
    for (const auto& each : m_generators) {
        const auto run = each.lock();
        if (!run || !run->hasCleanup()) continue;
        standAt(run->place().file, run->place().offset);
        throw CannotFollow(Message("trace.generator_left"));
    }
}

Iterator* Interpreter::iterate(const Value& iterable) {
    if (auto* iterator = iterable.as<Iterator>()) return iterator;
    if (const Value own = specialMethod(iterable, "__iter__"); own.isSet()) {
        const Value made = call(own, {});
        if (made.as<Iterator>()) return made.as<Iterator>();
        const Value next = specialMethod(made, "__next__");
        if (!next.isSet()) return iterate(made);
        return iterator([this, next]() -> Value {
            try {
                return call(next, {});
            } catch (const Raised& raised) {
                if (!isInstance(raised.exception, builtinClass("StopIteration"))) throw;
                failedIn.clear();
                return {};
            }
        });
    }
    const Value& in = plain(iterable);
    if (const auto* instance = in.as<Instance>(); instance && !instance->module)
        if (const Value get = specialMethod(in, "__getitem__"); get.isSet())
            return iterator([this, get, at = std::int64_t{0}]() mutable -> Value {
                try {
                    return call(get, {Value(at++)});
                } catch (const Raised& raised) {
                    if (!isInstance(raised.exception, builtinClass("IndexError"))) throw;
                    failedIn.clear();
                    return {};
                }
            });
    if (itemsOf(in)) // a list may grow meanwhile
        return iterator([in, at = std::size_t{0}]() mutable {
            const Values& items = *itemsOf(in);
            return at < items.size() ? items[at++] : Value();
        });
    if (const auto* range = in.as<RangeObject>())
        return iterator([start = range->start, step = range->step, left = range->size()]() mutable {
            if (left-- <= 0) return Value();
            const Value value(start);
            start += step;
            return value;
        });
    Values all;
    if (auto* dict = in.as<Dict>()) {
        dict->forEach([&](const Value& key, const Value&) { all.push_back(key); });
    } else if (auto* set = in.as<Set>()) {
        set->items.forEach([&](const Value& key, const Value&) { all.push_back(key); });
    } else if (const auto* view = in.as<DictView>()) {
        all = viewed(*view);
    } else if (const auto* text = in.as<Str>()) {
        for (std::size_t at = 0; at < text->text.size();) {
            std::size_t end = at + 1;
            while (end < text->text.size() && (text->text[end] & 0xC0) == 0x80) ++end;
            all.push_back(this->text(text->text.substr(at, end - at)));
            at = end;
        }
    } else if (auto* type = in.as<Class>(); type && type->isEnum) {
        for (const auto& [name, member] : type->members.items())
            if (const auto* instance = member.as<Instance>(); instance && instance->type == type)
                if (isListed(*instance, name)) all.push_back(member);
    } else if (auto* instance = in.as<Instance>(); instance && instance->module) {
        return iterate(call(attribute(in, "__iter__"), {}));
    } else if (isProxy(in)) {
        if (hooks && hooks->iterate) return iterate(hooks->iterate(in));
        throw PythonError(Message("python.iterated"));
    } else if (const auto* tensor = tensorIn(in); tensor && tensor->shapeKnown && !tensor->tensor->sizes.empty()) {
        for (std::int64_t i = 0; i < tensor->tensor->sizes[0]; ++i) all.push_back(item(in, {i}));
    } else if (const auto* opaque = in.as<Opaque>()) {
        throw CannotFollow(Message("trace.unknown_import", {{"name", opaque->path}}));
    } else if (const auto* traced = in.as<Traced>(); traced && traced->value.as<trace::ValueSequence>()) {
        for (const auto& each : traced->value.as<trace::ValueSequence>()->items) all.push_back(fromTrace(each));
    } else {
        raise("TypeError", "'" + str(attribute(typeOf(iterable), "__name__")) + "' object is not iterable");
    }
    return iterate(tuple(std::move(all)));
}

Values Interpreter::list(const Value& iterable) {
    if (const auto* items = itemsOf(plain(iterable)); items && !specialMethod(iterable, "__iter__").isSet())
        return *items;
    Values out;
    Iterator* each = iterate(iterable);
    for (Value value = each->next(); value.isSet(); value = each->next()) {
        out.push_back(value);
        if (out.size() > kMaxSteps) throw CannotFollow(Message("trace.long_generator", {{"limit", kMaxSteps}}));
    }
    return out;
}

Tuple* Interpreter::tuple(Values items) {
    Tuple* made = m_heap.make<Tuple>();
    made->items = std::move(items);
    return made;
}

List* Interpreter::listOf(Values items) {
    List* made = m_heap.make<List>();
    made->items = std::move(items);
    return made;
}

} // namespace fx::python
