// SPDX-License-Identifier: GPL-3.0-or-later
// Operators, comparisons, truth and lengths.
#include "core/ops/python_operators.h"
#include "core/python/builtins/integers.h"
#include "core/python/python_interpreter.h"
#include "core/python/tracing/call_rules.h"
#include "core/trace/numbers/python_numbers.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>

namespace fx::python {
using trace::CannotFollow;
using trace::PythonError;

namespace {

/// Plain `a OP b` of small integers and floats; nothing when it needs Python's own rules.
std::optional<Value> quick(std::string_view op, const Value& a, const Value& b) {
    if (!a.isNumber() || !b.isNumber()) return std::nullopt;
    if (a.isInt() && b.isInt()) {
        const auto result = trace::smallBinary(op, a.asInt(), b.asInt());
        return result ? std::optional(Value(*result)) : std::nullopt;
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
/// `dict.keys() & other` and such: the members in CPython's order.
Value combinedViews(Interpreter& in, std::string_view op, const Value& left, const Value& right) {
    Set* result = in.heap().make<Set>();
    const auto addAll = [&](const Value& from) {
        const auto* view = from.as<DictView>();
        in.builtinMethods().addTo(*result, view && view->kind == DictView::Kind::Keys ? Value(view->dict) : from);
    };
    if (op == "and_") {
        Value view = isSetLike(left) ? left : right, other = isSetLike(left) ? right : left;
        const std::size_t size = view.get<DictView>().dict->size();
        const auto* set = other.as<Set>();
        if ((set && !set->isFrozen && size <= set->items.size()) ||
            (isSetLike(other) && other.get<DictView>().dict->size() > size))
            std::swap(view, other);
        in.forEachItem(other, [&](const Value& each) {
            if (in.contains(view, each)) result->add(each);
        });
        return result;
    }
    addAll(left);
    if (op == "or_") in.builtinMethods().addTo(*result, right);
    else combineInPlace(op, *result, *in.builtinMethods().setOf(right));
    return result;
}
/// Whether a value may have special methods of the program: an object, or a class with a metaclass.
bool mayHaveMethods(const Value& value) {
    const auto* type = value.as<Class>();
    return value.as<Instance>() || (type && type->metaclass);
}
/// Returns true if the class of an object sets `method` to None.
bool isBlocked(const Value& self, std::string_view method) {
    const auto* object = self.as<Instance>();
    const Value* member = object ? object->type->find(method) : nullptr;
    return member && member->isNone();
}
/// Whether a sequence is multiplied by an object with `__index__`.
bool isRepeated(const Value& sequence, const Value& count) {
    const auto* object = count.as<Instance>();
    return (itemsOf(sequence) || sequence.as<Str>()) && object && object->type->find("__index__");
}
/// Returns an int beyond 64 bits, or null.
const BigInt* wideInteger(const Value& value) {
    const auto* traced = value.as<Traced>();
    const auto* argument = traced ? traced->value.as<Argument>() : nullptr;
    return argument ? argument->as<BigInt>() : nullptr;
}
/// Compares exactly, as Python does: no double equals 10**20 + 1.
bool equalNumbers(const BigInt& wide, const Value& number) {
    if (number.kind != Value::Kind::Float || !std::isfinite(number.real)) return false;
    std::array<char, 320> digits{}; // the largest double has 309
    const auto end = std::to_chars(digits.begin(), digits.end(), number.real, std::chars_format::fixed, 0);
    return wide.digits == std::string_view(digits.data(), static_cast<std::size_t>(end.ptr - digits.data()));
}
/// `left == right` after the `__eq__` methods of the program returned NotImplemented.
bool equalOtherwise(const Value& left, const Value& right) {
    const auto hasMethod = [](const Value& value) {
        const auto* object = value.as<Instance>();
        const Value* method = object ? object->type->find("__eq__") : nullptr;
        return method && method->as<Function>();
    };
    const Value a = plain(left), b = plain(right);
    if ((hasMethod(left) || hasMethod(right)) && (a.as<Instance>() || b.as<Instance>())) return left.sameAs(right);
    if (const BigInt* wide = wideInteger(a); wide && b.isNumber()) return equalNumbers(*wide, b);
    if (const BigInt* wide = wideInteger(b); wide && a.isNumber()) return equalNumbers(*wide, a);
    return equalValues(a, b);
}
/// Whether Python asks the right operand first: its class derives from the other's and has another method.
bool isRightFirst(const Value& left, const Value& right, std::string_view method) {
    const auto *a = left.as<Instance>(), *b = right.as<Instance>();
    if (!a || !b || a->type == b->type || !b->type->derivesFrom(a->type)) return false;
    const Value *inherited = a->type->find(method), *own = b->type->find(method);
    return own && (!inherited || !own->sameAs(*inherited));
}

} // namespace

/// An operator that the tracer records.
Value Operators::recordBinary(std::string_view op, const Value& left, const Value& right) {
    return fromTrace(tracer().binary(op, toTrace(left), toTrace(right)));
}

Value Operators::combinedByMethod(std::string_view op, const Value& first, const Value& second) {
    const auto *one = first.as<Instance>(), *other = second.as<Instance>();
    if (!mayHaveMethods(first) && !mayHaveMethods(second)) return {};
    const auto byMethod = [&](const Value& self, const std::string& method, const Value& with) -> Value {
        if (isBlocked(self, method)) raise("TypeError", "'NoneType' object is not callable");
        const Value own = specialMethod(self, method);
        const Value made = own.isSet() ? call(own, {with}) : Value();
        return isNotImplemented(made) ? Value() : made;
    };
    const std::string method = methodOf(op), mirrored = mirroredOf(op);
    const bool isMirrored = isRightFirst(first, second, mirrored);
    if (isMirrored)
        if (const Value made = byMethod(second, mirrored, first); made.isSet()) return made;
    if (const Value made = byMethod(first, method, second); made.isSet()) return made;
    if (isMirrored || isProxy(first) || (one && other && one->type == other->type)) return {}; // a proxy records it
    return byMethod(second, mirrored, first);
}

Value Operators::binary(std::string_view op, const Value& given, const Value& with, bool isInPlace) {
    if (auto result = quick(op, given, with)) return *result;
    const Value first = given, second = with; // a method of one may replace what holds them
    trace::checkStack();
    const auto isPlain = [](const Value& each) { return each.kind != Value::Kind::Object || each.as<Traced>(); };
    if ((isProxy(first) || isProxy(second)) && isPlain(first) && isPlain(second))
        return recordBinary(op, first, second);
    if (const Value made = combinedByMethod(op, first, second); made.isSet()) return made;
    const Value left = plain(first), right = plain(second);
    const auto *a = itemsOf(left), *b = itemsOf(right);
    if (a && b && op == "add" && (left.as<Tuple>() != nullptr) == (right.as<Tuple>() != nullptr)) {
        trace::chargeBytes((a->size() + b->size()) * sizeof(Value));
        Values all;
        all.reserve(a->size() + b->size());
        all.insert(all.end(), a->begin(), a->end());
        all.insert(all.end(), b->begin(), b->end());
        if (left.as<List>()) return listOf(std::move(all));
        Tuple* made = tuple(std::move(all));
        return isSize(left) || isSize(right) ? call(builtinClass("__Size__"), {made}) : made;
    }
    if (op == "add" && isSize(left) && !right.as<Traced>() && !right.as<Opaque>())
        raise("TypeError", "can only concatenate tuple (not " + typeName(right) + ") to torch.Size");
    if (op == "add" && (a || left.as<Str>()) && !(left.as<Str>() && right.as<Str>()) && !right.as<Traced>() &&
        !right.as<Opaque>()) {
        const std::string kind = typeName(left);
        raise("TypeError", "can only concatenate " + kind + " (not \"" + typeName(right) + "\") to " + kind);
    }
    if (op == "mul" && (isRepeated(left, right) || isRepeated(right, left))) {
        const bool isFirst = isRepeated(left, right);
        return binary(op, isFirst ? left : indexOf(m_in, left), isFirst ? indexOf(m_in, right) : right);
    }
    if (op == "mul" && ((a && right.isInt()) || (b && left.isInt()))) {
        const Values& items = a ? *a : *b;
        const std::int64_t count = std::max<std::int64_t>(0, (a ? right : left).asInt());
        const Value &sequence = a ? left : right, &whole = a ? first : second;
        if (count == 1 && whole.as<Tuple>() && !isSize(whole)) return whole;
        if (static_cast<double>(count) * static_cast<double>(items.size()) > 1e6)
            throw CannotFollow(Message("trace.long_sequence"));
        trace::chargeBytes(static_cast<std::uint64_t>(items.empty() ? 0 : count) * items.size() * sizeof(Value));
        Values all;
        for (std::int64_t i = 0; i < (items.empty() ? 0 : count); ++i)
            all.insert(all.end(), items.begin(), items.end());
        if (sequence.as<List>()) return listOf(std::move(all));
        Tuple* made = tuple(std::move(all));
        made->isSize = isSize(sequence);
        return made;
    }
    if (auto* x = left.as<Dict>(), *y = right.as<Dict>(); x && y && op == "or_") {
        Dict* all = heap().make<Dict>();
        for (auto* each : {x, y}) each->forEach([&](const Value& key, const Value& value) { all->set(key, value); });
        const Dict* kind = first.as<Dict>() && (x->isOrdered || x->factory.isSet()) ? x : second.as<Dict>() ? y : all;
        all->isOrdered = kind->isOrdered; // of the first operand that is no plain dict
        all->factory = kind->factory;
        return all;
    }
    if (auto* x = left.as<Set>(), *y = right.as<Set>(); x && y && isSetOperator(op)) {
        Set* result = heap().make<Set>();
        combineSets(op, *x, *y, *result);
        result->isFrozen = x->isFrozen;
        return result;
    }
    if ((isSetLike(left) || isSetLike(right)) && isSetOperator(op) && !isProxy(left) && !isProxy(right))
        return combinedViews(m_in, op, left, right);
    if (const auto* template_ = left.as<Str>(); template_ && op == "mod")
        return call(attribute(left, "__mod__"), {second}); // which may have a method for missing keys
    if (op == "or_")
        if (const Value types = m_in.typeArguments().unionOf(left, right); types.isSet()) return types;
    if (left.as<Opaque>() || right.as<Opaque>()) {
        const auto* opaque = left.as<Opaque>() ? left.as<Opaque>() : right.as<Opaque>();
        throw CannotFollow(unknownImport(*opaque));
    }
    const auto isSequence = [](const Value& value) { return value.as<Str>() || itemsOf(value); };
    const auto refused = [&](const Value& value, const Value& partner) {
        const bool isKnown = (left.as<Str>() && right.as<Str>() && op == "add") || (partner.isInt() && op == "mul");
        if (isSequence(value)) return !isKnown && (isSequence(partner) || partner.isNumber());
        return value.isNone() || (value.kind == Value::Kind::Object && !value.as<Traced>());
    };
    const bool isOfBits = isSetOperator(op) ? op != "sub" : op == "lshift" || op == "rshift";
    const bool isOfOtherNumbers =
        left.isNumber() && right.isNumber() && (op == "matmul" || (isOfBits && !(left.isInt() && right.isInt())));
    if (!isProxy(left) && !isProxy(right) && (isOfOtherNumbers || refused(left, right) || refused(right, left))) {
        const std::string method = methodOf(op);
        const auto requireKnown = [&](const Value& operand, const std::string& name) {
            const auto* instance = operand.as<Instance>();
            if (instance && !instance->type->find(name)) m_in.attributes().requireMissing(typeOf(operand), name);
        };
        requireKnown(first, method), requireKnown(second, "__r" + method.substr(2));
        if (op == "mul" && (isSequence(left) || isSequence(right)))
            raise("TypeError",
                  "can't multiply sequence by non-int of type '" + typeName(isSequence(left) ? right : left) + "'");
        const std::string_view sign =
            op == "pow" && !isInPlace ? std::string_view("** or pow()") : ops::operatorSign(op);
        raise("TypeError", "unsupported operand type(s) for " + std::string(sign.empty() ? op : sign) +
                               (isInPlace ? "=: '" : ": '") + typeName(first) + "' and '" + typeName(second) + "'");
    }
    if (op.ends_with("shift") && left.isInt() && right.isInt() && right.asInt() < 0)
        raise("ValueError", "negative shift count");
    const bool records = isProxy(first) || isProxy(second);
    const trace::Value tracedLeft = toOperand(first, records), tracedRight = toOperand(second, records);
    const trace::Value made = tracer().binary(op, tracedLeft, tracedRight);
    m_in.tensors().numbers().learn(op, {tracedLeft, tracedRight}, made);
    return fromTrace(made);
}

Value Operators::unary(std::string_view op, const Value& operand) {
    if (op == "neg" && operand.kind == Value::Kind::Int && operand.integer != INT64_MIN) return {-operand.integer};
    if (op == "neg" && operand.kind == Value::Kind::Float) return {-operand.real};
    if (const Value own = specialMethod(operand, methodOf(op)); own.isSet()) return call(own, {});
    const Value held = plain(operand);
    if (!held.isNumber() && !held.as<Traced>() && !held.as<Opaque>())
        raise("TypeError", "bad operand type for unary " +
                               std::string(op == "neg"   ? "-"
                                           : op == "pos" ? "+"
                                                         : "~") +
                               ": '" + typeName(operand) + "'");
    return fromTrace(tracer().unary(op, toOperand(operand, false)));
}

bool Operators::equal(const Value& given, const Value& with) {
    const Value left = given, right = with; // what is compared may be replaced meanwhile
    if (isProxy(left) || isProxy(right) || tensorIn(left) || tensorIn(right)) return truth(compare("==", left, right));
    const bool isMirrored = isRightFirst(left, right, "__eq__");
    const Value &first = isMirrored ? right : left, &second = isMirrored ? left : right;
    if (mayHaveMethods(left) || mayHaveMethods(right))
        for (const auto& [self, other] : {std::pair(first, second), std::pair(second, first)})
            if (const Value own = specialMethod(self, "__eq__"); own.isSet())
                if (const Value made = call(own, {other}); !isNotImplemented(made)) return truth(made);
    return equalOtherwise(left, right);
}

bool Operators::contains(const Value& container, const Value& item) {
    const Value in = plain(container);
    if (isBlocked(container, "__contains__"))
        raise("TypeError", "'" + typeName(container) + "' object is not a container");
    if (const Value own = specialMethod(container, "__contains__"); own.isSet()) return truth(call(own, {item}));
    if (auto* dict = in.as<Dict>()) return dict->find(item) != nullptr;
    if (Dict* members = membersOf(in)) {
        return members->find(in.as<Set>() ? m_in.builtinMethods().asMember(item) : item) != nullptr;
    }
    if (const auto* view = in.as<DictView>(); view && view->kind == DictView::Kind::Items) {
        const auto* pair = plain(item).as<Tuple>();
        const Value* found = pair && pair->items.size() == 2 ? view->dict->find(pair->items[0]) : nullptr;
        return found && isItem(Value(*found), Value(pair->items[1]));
    }
    if (const auto* text = in.as<Str>()) {
        const auto* part = plain(item).as<Str>();
        requireKnown(item);
        if (!part) raise("TypeError", "'in <string>' requires string as left operand, not " + typeName(item));
        trace::charge(text->text.size() / 64);
        return text->text.find(part->text) != std::string::npos;
    }
    if (const auto* range = in.as<RangeObject>(); range && plainValue(item).isInt())
        return range->find(plainValue(item).asInt()) >= 0;
    if (const auto* type = in.as<Class>();
        type && type->isEnum && !(item.as<Instance>() && item.as<Instance>()->type->isEnum))
        raise("TypeError", "unsupported operand type(s) for 'in': '" + typeName(item) + "' and 'EnumType'");
    if (in.as<Space>()) return truth(call(*m_in.builtins().names().find("hasattr"), {in, item}));
    if (isProxy(in)) return truth(fromTrace(tracer().binary("contains", toTrace(in), toTrace(item))));
    if (const auto* instance = in.as<Instance>(); instance && instance->module)
        return item.as<Str>() && instance->module->child(item.get<Str>().text);
    Iterator* each = m_in.iteration().iterateOr( // `list.__contains__` asks no `__iter__` of the program
        itemsOf(in) ? in : container, "argument of type '" + typeName(container) + "' is not iterable");
    for (Value value = each->next(); value.isSet(); value = each->next())
        if (isItem(value, item)) return true;
    return false;
}

bool Operators::isItem(const Value& value, const Value& wanted) {
    if (value.kind == Value::Kind::Float && wanted.kind == Value::Kind::Float) return isSameItem(value, wanted);
    if (value.sameAs(wanted)) return true;
    return equal(value, wanted);
}

namespace {
/// Whether a value may be a constant in the source, which Python keeps once.
bool isConstant(const Value& value) {
    if (const auto* tuple = value.as<Tuple>()) {
        const trace::Deeper deeper;
        trace::charge(tuple->items.size());
        return std::all_of(tuple->items.begin(), tuple->items.end(), isConstant);
    }
    return value.kind != Value::Kind::Object || value.as<Str>();
}
} // namespace

bool Operators::isIdentical(const Value& left, const Value& right) {
    if (TypeArguments::isAlias(left) ? !right.as<Opaque>() : TypeArguments::isAlias(right) && !left.as<Opaque>())
        return false;
    if (left.kind != right.kind) {
        requireKnown(left), requireKnown(right);
        return false;
    }
    const auto unknown = [&](const char* type) {
        return CannotFollow(Message("trace.unknown_identity", {{"type", type}}));
    };
    if (left.kind == Value::Kind::Float && (left.real == right.real || std::isnan(left.real + right.real)))
        throw unknown("float");
    const bool isSmall = left.kind == Value::Kind::Int && left.integer >= -5 && left.integer <= 256;
    if (left.kind == Value::Kind::Int && left.integer == right.integer && !isSmall) throw unknown("int");
    if (left.sameAs(right)) return true;
    requireKnown(left), requireKnown(right);
    if (const auto* one = left.as<Str>(), *other = right.as<Str>(); one && other && one->text == other->text) {
        if (one->text.size() <= 1) return true;
        throw unknown("str");
    }
    const auto *one = left.as<Tuple>(), *other = right.as<Tuple>();
    if (one && other && one->items.size() == other->items.size() && !one->isSize && !other->isSize) {
        if (one->items.empty()) return true;
        if (isConstant(left) && isConstant(right)) throw unknown("tuple");
    }
    return false;
}

/// What methods of either operand say of a comparison; unset where none does.
Value Operators::comparedByMethod(std::string_view op, const Value& left, const Value& right) {
    if (isProxy(left)) return {};
    static constexpr std::pair<std::string_view, std::string_view> kMirrored[] = {
        {"eq", "eq"}, {"ne", "ne"}, {"lt", "gt"}, {"le", "ge"}, {"gt", "lt"}, {"ge", "le"}};
    if (!mayHaveMethods(left) && !mayHaveMethods(right)) return {};
    std::string_view mirrored;
    for (const auto& [name, other] : kMirrored)
        if (name == op) mirrored = other;
    const auto byMethod = [&](const Value& self, std::string_view name, const Value& other) -> Value {
        if (isBlocked(self, methodOf(name))) raise("TypeError", "'NoneType' object is not callable");
        Value own = specialMethod(self, methodOf(name));
        const bool isInverted = name == "ne" && !own.isSet(); // object.__ne__ asks __eq__
        if (isInverted) own = specialMethod(self, "__eq__");
        const Value made = own.isSet() ? call(own, {other}) : Value();
        if (!made.isSet() || isNotImplemented(made)) return {};
        return isInverted ? Value(!truth(made)) : made;
    };
    const bool isMirrored = isRightFirst(left, right, methodOf(mirrored));
    if (isMirrored)
        if (const Value made = byMethod(right, mirrored, left); made.isSet()) return made;
    if (const Value made = byMethod(left, op, right); made.isSet()) return made;
    return isMirrored ? Value() : byMethod(right, mirrored, left);
}

namespace {
/// The operator by which Python asks the right operand.
std::string_view mirroredSign(std::string_view sign) {
    static constexpr std::pair<std::string_view, std::string_view> kMirrored[] = {
        {"<", ">"}, {"<=", ">="}, {">", "<"}, {">=", "<="}};
    for (const auto& [each, other] : kMirrored)
        if (each == sign) return other;
    return sign;
}
} // namespace

Value Operators::compare(std::string_view sign, const Value& given, const Value& with) {
    const Value left = given, right = with; // what is compared may be replaced meanwhile
    std::optional<trace::Deeper> deeper;
    if (!left.isNumber() || !right.isNumber()) deeper.emplace(" in comparison");
    trace::charge(1);
    if (m_in.callRules && (sign == "is" || sign == "is not"))
        if (const auto same = m_in.callRules->identical(left, right)) return {*same == (sign == "is")};
    if (sign == "is") return {isIdentical(left, right)};
    if (sign == "is not") return {!isIdentical(left, right)};
    if (sign == "in") return {contains(right, left)};
    if (sign == "not in") return {!contains(right, left)};
    requireKnown(left), requireKnown(right);
    static constexpr std::pair<std::string_view, std::string_view> kNames[] = {
        {"==", "eq"}, {"!=", "ne"}, {"<", "lt"}, {"<=", "le"}, {">", "gt"}, {">=", "ge"}};
    std::string_view op;
    for (const auto& [each, name] : kNames)
        if (each == sign) op = name;
    if (isProxy(right) && left.as<Instance>())
        if (const Value made = comparedByMethod(op, left, right); made.isSet()) return made;
    const bool traced = isProxy(left) || isProxy(right) || tensorIn(left) || tensorIn(right);
    const bool records = isProxy(left) || isProxy(right);
    const auto isAttribute = [](const Value& each) { return isProxy(each) && each.get<Traced>().value.asLazy(); };
    if (isProxy(left) && !isAttribute(left) && isAttribute(right)) // Python asks the derived class first
        return compare(mirroredSign(sign), right, left);
    if (traced) return fromTrace(tracer().binary(op, toOperand(left, records), toOperand(right, records)));
    if (const Value made = comparedByMethod(op, left, right); made.isSet()) return made;
    if (sign == "==" || sign == "!=") return {equalOtherwise(left, right) == (sign == "==")};
    const Value a = plain(left), b = plain(right);
    int order = 0;
    if (a.isNumber() && b.isNumber()) {
        if (std::isnan(a.asReal()) || std::isnan(b.asReal())) return {false};
        order = orderOfNumbers(a, b);
    } else if (const auto* x = a.as<Str>(), *y = b.as<Str>(); x && y) {
        trace::charge(std::min(x->text.size(), y->text.size()) / 256);
        order = x->text.compare(y->text);
    } else if (const auto* xs = itemsOf(a), *ys = itemsOf(b);
               xs && ys && (a.as<Tuple>() != nullptr) == (b.as<Tuple>() != nullptr)) {
        std::size_t i = 0;
        while (i < xs->size() && i < ys->size() && isItem((*xs)[i], (*ys)[i])) ++i;
        if (i < xs->size() && i < ys->size()) return compare(sign, (*xs)[i], (*ys)[i]);
        order = (xs->size() > ys->size()) - (xs->size() < ys->size());
    } else if (Dict* s = membersOf(a), *t = membersOf(b); s && t) {
        const bool isLess = op == "le" || op == "lt";
        Dict &small = isLess ? *s : *t, &large = isLess ? *t : *s;
        bool inside = op == "le" || op == "ge" || small.size() < large.size();
        small.forEach([&](const Value& key, const Value&) { inside = inside && large.find(key); });
        return {inside};
    } else if (const auto isLikeSet = [](const Value& each) { return each.as<Set>() || isSetLike(each); };
               isLikeSet(a) && isLikeSet(b)) { // views of items
        const bool isLess = op == "le" || op == "lt";
        const Value &small = isLess ? a : b, &large = isLess ? b : a;
        const std::int64_t size = length(small).asInt(), other = length(large).asInt();
        if (op == "le" || op == "ge" ? size > other : size >= other) return {false};
        const Values items = list(small);
        return {std::all_of(items.begin(), items.end(), [&](const Value& each) { return contains(large, each); })};
    } else if ((a.as<Traced>() || a.isNumber()) && (b.as<Traced>() || b.isNumber())) { // integers of any size, too
        return fromTrace(tracer().binary(op, toTrace(a), toTrace(b)));
    } else {
        raise("TypeError", "'" + std::string(sign) + "' not supported between instances of '" + typeName(left) +
                               "' and '" + typeName(right) + "'");
    }
    return {op == "lt" ? order < 0 : op == "le" ? order <= 0 : op == "gt" ? order > 0 : order >= 0};
}

bool Operators::truth(const Value& asked) {
    switch (asked.kind) {
    case Value::Kind::Unset:
    case Value::Kind::None: return false;
    case Value::Kind::Bool: return asked.boolean;
    case Value::Kind::Int: return asked.integer != 0;
    case Value::Kind::Float: return asked.real != 0;
    case Value::Kind::Object: break;
    }
    const Value value = asked; // `__bool__` may replace it
    if (const auto* tensor = tensorIn(value); tensor && tensor->shapeKnown)
        if (const std::int64_t count = tensor->tensor->elementCount(); count != 1)
            raise("RuntimeError", count == 0 ? "Boolean value of Tensor with no values is ambiguous"
                                             : "Boolean value of Tensor with more than one value is ambiguous");
    if (const auto* text = value.as<Str>()) return !text->text.empty();
    if (const auto* items = itemsOf(value)) return !items->empty();
    if (const auto* dict = value.as<Dict>()) return dict->size() != 0;
    if (const auto* set = value.as<Set>()) return set->items.size() != 0;
    if (const auto* view = value.as<DictView>()) return view->dict->size() != 0;
    if (const auto* range = value.as<RangeObject>()) return range->size() != 0;
    if (m_in.machine && tensorIn(value))
        if (const Value number = m_in.tensors().numberOf(value); number.isSet()) return number.asReal() != 0;
    if (const auto* traced = value.as<Traced>();
        const auto* argument = traced ? traced->value.as<Argument>() : nullptr) {
        if (const auto* number = argument->as<Complex>()) return number->re != 0 || number->im != 0;
        if (const auto* bytes = argument->as<Bytes>()) return !bytes->data.empty();
    }
    if (m_in.hooks && m_in.hooks->toBool && isProxy(value)) return m_in.hooks->toBool(value);
    if (const auto* traced = value.as<Traced>())
        return traced->value.as<trace::FunctionValue>() ? true : tracer().truth(traced->value);
    if (const auto* opaque = value.as<Opaque>()) {
        if (opaque->type) return true;
        throw CannotFollow(unknownImport(*opaque));
    }
    if (const auto* instance = value.as<Instance>()) {
        const trace::Deeper deeper;
        if (const Value own = specialMethod(value, "__bool__"); own.isSet()) {
            const Value made = call(own, {});
            if (made.kind != Value::Kind::Bool && !made.as<Traced>())
                raise("TypeError", "__bool__ should return bool, returned " + typeName(made));
            return truth(made);
        }
        const Value* blocked = instance->type->find("__bool__");
        if (blocked && blocked->isNone()) raise("TypeError", "'NoneType' object is not callable");
        const bool hasLength = instance->payload.kind != Value::Kind::Unset && !instance->payload.isNumber();
        if (instance->payload.isSet() && !hasLength) return truth(instance->payload); // `int.__bool__`
        if (const Value own = specialMethod(value, "__len__"); own.isSet()) return truth(length(value));
        if (instance->payload.isSet()) return truth(instance->payload);
        if (instance->module && instance->type->derivesFrom(m_in.bridge().torchClass("torch.nn.ModuleList")))
            return !instance->module->children.empty();
    }
    return true;
}

Value Operators::length(const Value& value) {
    if (const Value own = specialMethod(value, "__len__"); own.isSet()) {
        const Value made = indexOf(m_in, call(own, {}));
        if (wideInteger(made)) raise("OverflowError", "cannot fit 'int' into an index-sized integer");
        if (made.isInt() && made.asInt() < 0) raise("ValueError", "__len__() should return >= 0");
        return made;
    }
    const Value in = plain(value);
    if (const auto* text = in.as<Str>()) {
        trace::charge(text->text.size() / 64);
        return Value::integerOf(static_cast<std::size_t>(
            std::count_if(text->text.begin(), text->text.end(), [](char c) { return (c & 0xC0) != 0x80; })));
    }
    if (const auto* items = itemsOf(in)) return Value::integerOf(items->size());
    if (const auto* dict = in.as<Dict>()) return Value::integerOf(dict->size());
    if (const auto* set = in.as<Set>()) return Value::integerOf(set->items.size());
    if (const auto* view = in.as<DictView>()) return Value::integerOf(view->dict->size());
    if (const auto* range = in.as<RangeObject>()) return {range->size()};
    if (isProxy(in)) throw PythonError(Message("python.len"));
    if (const auto* instance = in.as<Instance>(); instance && instance->module)
        return Value::integerOf(instance->module->children.size() +
                                (instance->type->name == "ParameterList" ? instance->module->parameters.size() : 0));
    if (const auto* type = in.as<Class>(); type && type->isEnum) return Value::integerOf(list(value).size());
    if (const auto* tensor = tensorIn(in); tensor && tensor->shapeKnown) {
        if (tensor->tensor->sizes.empty()) raise("TypeError", "len() of a 0-d tensor");
        return {tensor->tensor->sizes[0]};
    }
    if (const auto* traced = in.as<Traced>())
        return fromTrace(tracer().call(trace::resolveName("builtins.len"), {traced->value}, {}));
    if (const auto* opaque = in.as<Opaque>()) throw CannotFollow(unknownImport(*opaque));
    raise("TypeError", "object of type '" + typeName(value) + "' has no len()");
}

} // namespace fx::python
