// SPDX-License-Identifier: GPL-3.0-or-later
// Operators, comparisons, truth and lengths.
#include "core/python/interpreter.h"
#include "core/trace/numbers/python_numbers.h"

#include <algorithm>
#include <bit>
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

/// An operator that the tracer records.
Value Interpreter::recordBinary(std::string_view op, const Value& left, const Value& right) {
    return fromTrace(m_tracer->binary(op, toTrace(left), toTrace(right)));
}

Value Interpreter::binary(std::string_view op, const Value& first, const Value& second) {
    if (auto result = quick(op, first, second)) return *result;
    const auto isPlain = [](const Value& each) { return each.kind != Value::Kind::Object || each.as<Traced>(); };
    if ((isProxy(first) || isProxy(second)) && isPlain(first) && isPlain(second))
        return recordBinary(op, first, second);
    if (first.as<Instance>())
        if (const Value own = specialMethod(first, methodOf(op)); own.isSet())
            if (const Value made = call(own, {second}); !isNotImplemented(made)) return made;
    if (second.as<Instance>() && !isProxy(first)) // a proxy records it
        if (const Value own = specialMethod(second, mirroredOf(op)); own.isSet())
            if (const Value made = call(own, {first}); !isNotImplemented(made)) return made;
    const Value &left = plain(first), &right = plain(second);
    const auto *a = itemsOf(left), *b = itemsOf(right);
    if (a && b && op == "add" && (left.as<Tuple>() != nullptr) == (right.as<Tuple>() != nullptr)) {
        Values all = *a;
        all.insert(all.end(), b->begin(), b->end());
        return left.as<Tuple>() ? Value(tuple(std::move(all))) : Value(listOf(std::move(all)));
    }
    if (op == "add" && (a || left.as<Str>()) && !(left.as<Str>() && right.as<Str>()) && !right.as<Traced>() &&
        !right.as<Opaque>()) {
        const std::string kind = str(attribute(typeOf(left), "__name__"));
        raise("TypeError", "can only concatenate " + kind + " (not \"" + str(attribute(typeOf(right), "__name__")) +
                               "\") to " + kind);
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
        throw CannotFollow(unknownImport(opaque->path));
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

namespace {
constexpr std::uint64_t kModulus = (std::uint64_t{1} << 61) - 1; ///< CPython reduces numbers modulo this prime

std::int64_t signedHash(std::uint64_t size, bool isNegative) {
    const auto hash = static_cast<std::int64_t>(size);
    return isNegative ? (hash == 1 ? -2 : -hash) : hash;
}

/// CPython's `_Py_HashDouble`: equal numbers of all types have the same hash.
std::int64_t hashOfReal(double value) {
    if (std::isinf(value)) return value > 0 ? 314159 : -314159;
    if (std::isnan(value)) return 0;
    int exponent = 0;
    double mantissa = std::frexp(std::fabs(value), &exponent);
    std::uint64_t hash = 0;
    for (; mantissa != 0; exponent -= 28) {
        hash = ((hash << 28) & kModulus) | (hash >> 33);
        mantissa *= 268435456.0;
        const auto whole = static_cast<std::uint64_t>(mantissa);
        mantissa -= static_cast<double>(whole);
        hash += whole;
        if (hash >= kModulus) hash -= kModulus;
    }
    exponent = exponent >= 0 ? exponent % 61 : 60 - (-1 - exponent) % 61;
    return signedHash(exponent == 0 ? hash : ((hash << exponent) & kModulus) | (hash >> (61 - exponent)), value < 0);
}

/// CPython's `tuplehash`, a simplified xxHash.
std::int64_t hashOfItems(const std::vector<std::int64_t>& hashes) {
    constexpr std::uint64_t kFirst = 11400714785074694791U, kSecond = 14029467366897019727U,
                            kFifth = 2870177450012600261U;
    std::uint64_t sum = kFifth;
    for (const std::int64_t hash : hashes)
        sum = std::rotl(sum + static_cast<std::uint64_t>(hash) * kSecond, 31) * kFirst;
    sum += hashes.size() ^ (kFifth ^ 3527539U);
    return sum == ~std::uint64_t{0} ? 1546275796 : static_cast<std::int64_t>(sum);
}
} // namespace

std::int64_t Interpreter::hash(const Value& value) {
    if (const Value own = specialMethod(value, "__hash__"); own.isSet()) return hash(call(own, {}));
    const Value& known = plain(value);
    if (known.isInt()) {
        const bool isNegative = known.asInt() < 0;
        const auto size = static_cast<std::uint64_t>(known.asInt());
        return signedHash((isNegative ? 0 - size : size) % kModulus, isNegative);
    }
    if (known.isNumber()) return hashOfReal(known.asReal());
    if (known.as<List>() || known.as<Dict>() || (known.as<Set>() && !known.as<Set>()->isFrozen))
        raise("TypeError", "unhashable type: '" + str(attribute(typeOf(value), "__name__")) + "'");
    if (const auto* tuple = known.as<Tuple>()) {
        std::vector<std::int64_t> hashes;
        for (const Value& item : tuple->items) hashes.push_back(hash(item));
        return hashOfItems(hashes);
    }
    return static_cast<std::int64_t>(hashOf(known) >> 1);
}

/// What `==` and `hash` of an object's own class say where it is the key of a dict.
void Interpreter::giveKeyMethods() {
    const auto own = [](const Value& key, std::string_view name) -> Value* {
        const auto* instance = key.as<Instance>();
        Value* method = instance ? instance->type->find(name) : nullptr;
        return method && method->as<Function>() ? method : nullptr;
    };
    keyMethods().owner = this;
    // The interpreter may end on another thread, which cannot take these back.
    const std::weak_ptr<const bool> alive = m_alive;
    keyMethods().hash = [this, own, alive](const Value& key) -> std::optional<std::size_t> {
        if (alive.expired() || !own(key, "__hash__")) return std::nullopt;
        return static_cast<std::size_t>(hash(key));
    };
    keyMethods().equal = [this, own, alive](const Value& left, const Value& right) -> std::optional<bool> {
        if (alive.expired()) return std::nullopt;
        for (const auto& [self, other] : {std::pair(left, right), std::pair(right, left)})
            if (own(self, "__eq__"))
                if (const Value made = call(specialMethod(self, "__eq__"), {other}); !isNotImplemented(made))
                    return truth(made);
        return std::nullopt;
    };
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

/// What methods of either operand say of a comparison; unset where none does.
Value Interpreter::comparedByMethod(std::string_view op, const Value& left, const Value& right) {
    if (isProxy(left)) return {};
    static constexpr std::pair<std::string_view, std::string_view> kMirrored[] = {
        {"eq", "eq"}, {"ne", "ne"}, {"lt", "gt"}, {"le", "ge"}, {"gt", "lt"}, {"ge", "le"}};
    if (!left.as<Instance>() && !right.as<Instance>()) return {};
    if (const Value own = specialMethod(left, methodOf(op)); own.isSet())
        if (const Value made = call(own, {right}); !isNotImplemented(made)) return made;
    for (const auto& [name, mirrored] : kMirrored)
        if (name == op)
            if (const Value own = specialMethod(right, methodOf(mirrored)); own.isSet())
                if (const Value made = call(own, {left}); !isNotImplemented(made)) return made;
    return {};
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
    if (isProxy(right) && left.as<Instance>())
        if (const Value made = comparedByMethod(op, left, right); made.isSet()) return made;
    const bool traced = isProxy(left) || isProxy(right) || tensorIn(left) || tensorIn(right);
    const bool records = isProxy(left) || isProxy(right);
    if (traced) return fromTrace(m_tracer->binary(op, toOperand(left, records), toOperand(right, records)));
    if (const Value made = comparedByMethod(op, left, right); made.isSet()) return made;
    if (sign == "==" || sign == "!=") return {equal(left, right) == (sign == "==")};
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
        throw CannotFollow(unknownImport((a.as<Opaque>() ? a : b).as<Opaque>()->path));
    } else if ((a.as<Traced>() || a.isNumber()) && (b.as<Traced>() || b.isNumber())) { // integers of any size, too
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
    if (const auto* opaque = value.as<Opaque>()) throw CannotFollow(unknownImport(opaque->path));
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
    if (const auto* opaque = in.as<Opaque>()) throw CannotFollow(unknownImport(opaque->path));
    raise("TypeError", "object of type '" + str(attribute(typeOf(value), "__name__")) + "' has no len()");
}

} // namespace fx::python
