// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/numbers/python_numbers.h"

#include "core/trace/allowance.h"
#include "core/trace/numbers/big_integer.h"
#include "core/trace/numbers/number_functions.h"

#include <algorithm>
#include <cmath>
#include <complex>

namespace fx::trace {
namespace {
std::optional<BigInteger> wide(const Value& value) {
    if (const auto number = plainInteger(value)) return BigInteger(*number);
    const auto* argument = value.as<Argument>();
    const auto* big = argument ? argument->as<BigInt>() : nullptr;
    return big ? BigInteger::parse(big->digits) : std::nullopt;
}
Value valueOf(const BigInteger& number) {
    const auto small = number.toInt64();
    return {small ? Argument(*small) : Argument(BigInt{number.toString()})};
}
const std::string* text(const Value& value) {
    const auto* argument = value.as<Argument>();
    return argument ? argument->as<std::string>() : nullptr;
}

[[noreturn]] void unsupported(std::string_view op, const Value& left, const Value& right) {
    throw CannotFollow(
        Message("trace.unknown_result", {{"operator", op}, {"operands", textOf(left) + ", " + textOf(right)}}));
}

std::optional<Value> integerBinary(std::string_view op, const Value& left, const Value& right) {
    const auto i = plainInteger(left), j = plainInteger(right);
    if (j == 0 && wide(left)) {
        if (op == "floordiv") throw PythonError("ZeroDivisionError: integer division or modulo by zero");
        if (op == "mod") throw PythonError("ZeroDivisionError: integer modulo by zero");
        if (op == "truediv") throw PythonError("ZeroDivisionError: division by zero");
    }
    constexpr std::int64_t kExact = std::int64_t{1} << 53; // a double holds what is smaller
    if (op == "truediv" && i && j && std::max(*i, *j) <= kExact && std::min(*i, *j) >= -kExact)
        return Value{Argument(static_cast<double>(*i) / static_cast<double>(*j))};
    if (i && j)
        if (const auto out = smallBinary(op, *i, *j)) return Value{Argument(*out)};
    const auto a = wide(left), b = wide(right);
    if (op == "truediv") return a && b ? std::optional(Value{Argument(BigInteger::quotient(*a, *b))}) : std::nullopt;
    const auto out = a && b ? BigInteger::binary(op, *a, *b) : std::nullopt;
    const auto isFlag = [](const Value& value) { return value.as<Argument>() && value.as<Argument>()->as<bool>(); };
    const bool bits = op == "and_" || op == "or_" || op == "xor";
    if (out && bits && isFlag(left) && isFlag(right)) return Value{Argument(*out == BigInteger(1))};
    return out ? std::optional(valueOf(*out)) : std::nullopt;
}

std::optional<Value> realBinary(std::string_view op, double a, double b) {
    if (op == "add") return Value{Argument(a + b)};
    if (op == "sub") return Value{Argument(a - b)};
    if (op == "mul") return Value{Argument(a * b)};
    if (op == "pow" && a == 0 && b < 0)
        throw PythonError("ZeroDivisionError: 0.0 cannot be raised to a negative power");
    if (op == "pow" && (a >= 0 || b == std::floor(b))) {
        const double out = std::pow(a, b);
        if (std::isinf(out) && std::isfinite(a) && std::isfinite(b))
            throw PythonError("OverflowError: (34, 'Numerical result out of range')");
        return Value{Argument(out)};
    }
    if (op != "truediv" && op != "floordiv" && op != "mod") return std::nullopt;
    if (b == 0)
        throw PythonError(op == "mod"        ? "ZeroDivisionError: float modulo"
                          : op == "floordiv" ? "ZeroDivisionError: float floor division by zero"
                                             : "ZeroDivisionError: float division by zero");
    if (op == "truediv") return Value{Argument(a / b)};
    const auto [quotient, rest] = floorDivision(a, b);
    return Value{Argument(op == "mod" ? rest : quotient)};
}

std::optional<std::complex<double>> complexNumber(const Value& value) {
    if (const auto number = plainReal(value)) return std::complex<double>(*number, 0);
    const auto* argument = value.as<Argument>();
    const auto* number = argument ? argument->as<Complex>() : nullptr;
    return number ? std::optional(std::complex<double>(number->re, number->im)) : std::nullopt;
}

/// Literals like `(1-2j)` are a sum to the parser.
std::optional<Value> complexBinary(std::string_view op, std::complex<double> a, std::complex<double> b) {
    const auto value = [](std::complex<double> out) { return Value{Argument(Complex{out.real(), out.imag()})}; };
    if (op == "add") return value(a + b);
    if (op == "sub") return value(a - b);
    if (op == "mul") return value(a * b);
    if (op == "truediv" && b != 0.0) return value(a / b);
    return std::nullopt;
}

std::optional<bool> ordered(std::string_view op, double a, double b) {
    if (op == "lt") return a < b;
    if (op == "le") return a <= b;
    if (op == "gt") return a > b;
    if (op == "ge") return a >= b;
    return std::nullopt;
}

/// How often a sequence of `size` items is repeated.
std::size_t repeats(const Value& count, std::size_t size) {
    const auto times = static_cast<std::size_t>(std::max<std::int64_t>(plainInteger(count).value_or(0), 0));
    if (times > 0 && size > 1'000'000 / times) throw CannotFollow(Message("trace.long_sequence"));
    chargeBytes(times * size);
    return size == 0 ? 0 : times;
}

/// The name of the type of what is no integer; nullopt if it is not known.
std::optional<std::string_view> foreignType(const Value& value) {
    if (value.isProxy()) return value.asLazy() ? "Attribute" : "Proxy";
    if (value.isNone()) return "NoneType";
    if (const auto* sequence = value.as<ValueSequence>(); sequence && sequence->fields.empty())
        return sequence->list ? "list" : sequence->isSize ? "torch.Size" : "tuple";
    if (value.as<ValueDict>()) return "dict";
    const auto* argument = value.as<Argument>();
    if (argument && argument->as<double>()) return "float";
    if (argument && argument->as<Complex>()) return "complex";
    return argument && argument->as<std::string>() ? std::optional<std::string_view>("str") : std::nullopt;
}

std::optional<Value> sequenceBinary(std::string_view op, const Value& left, const Value& right) {
    const auto *a = left.as<ValueSequence>(), *b = right.as<ValueSequence>();
    if (op == "add" && a && b && a->list == b->list) {
        chargeBytes((a->items.size() + b->items.size()) * sizeof(Value));
        ValueSequence out = *a;
        out.items.insert(out.items.end(), b->items.begin(), b->items.end());
        return a->isSize || b->isSize ? sizeOf(std::move(out.items)) : box(std::move(out));
    }
    const Value& count = a ? right : left;
    if (op == "mul" && (a || b) && plainInteger(count)) {
        const auto& source = a ? *a : *b;
        ValueSequence out{.list = source.list, .items = {}, .isSize = source.isSize};
        for (auto rest = repeats(count, source.items.size()); rest > 0; --rest)
            out.items.insert(out.items.end(), source.items.begin(), source.items.end());
        return box(std::move(out));
    }
    return std::nullopt;
}

std::optional<Value> textBinary(std::string_view op, const Value& left, const Value& right) {
    const auto *a = text(left), *b = text(right);
    if (a && b) {
        if (op == "add") {
            chargeBytes(a->size() + b->size());
            return Value{Argument(*a + *b)};
        }
        if (op == "contains") return Value{Argument(a->find(*b) != std::string::npos)};
        const auto out = ordered(op, a->compare(*b), 0); // UTF-8 sorts as its code points do
        return out ? std::optional(Value{Argument(*out)}) : std::nullopt;
    }
    const Value& count = a ? right : left;
    if (op != "mul" || (!a && !b) || !plainInteger(count)) return std::nullopt;
    std::string out;
    for (auto rest = repeats(count, (a ? a : b)->size()); rest > 0; --rest) out += a ? *a : *b;
    return Value{Argument(out)};
}
} // namespace

std::optional<std::int64_t> smallBinary(std::string_view op, std::int64_t a, std::int64_t b) {
    std::int64_t out = 0;
    if (op == "add") return __builtin_add_overflow(a, b, &out) ? std::nullopt : std::optional(out);
    if (op == "sub") return __builtin_sub_overflow(a, b, &out) ? std::nullopt : std::optional(out);
    if (op == "mul") return __builtin_mul_overflow(a, b, &out) ? std::nullopt : std::optional(out);
    if ((op == "floordiv" || op == "mod") && b != 0 && b != -1) {
        const std::int64_t quotient = a / b - (a % b != 0 && (a % b < 0) != (b < 0) ? 1 : 0);
        return op == "floordiv" ? quotient : a - quotient * b;
    }
    return std::nullopt;
}

std::optional<std::int64_t> plainInteger(const Value& value) {
    const auto* argument = value.as<Argument>();
    if (!argument) return std::nullopt;
    if (const auto* number = argument->as<std::int64_t>()) return *number;
    if (const auto* flag = argument->as<bool>()) return *flag ? 1 : 0;
    return std::nullopt;
}

std::optional<double> plainReal(const Value& value) {
    const auto* argument = value.as<Argument>();
    if (const auto* number = argument ? argument->as<double>() : nullptr) return *number;
    if (const auto number = plainInteger(value)) return static_cast<double>(*number);
    const auto number = wide(value);
    return number ? std::optional(number->toDouble()) : std::nullopt;
}

bool plainEqual(const Value& left, const Value& right) {
    charge(1);
    checkStack();
    const auto a = plainReal(left), b = plainReal(right);
    if (a && b) return *a == *b;
    const auto *x = left.as<ValueSequence>(), *y = right.as<ValueSequence>();
    if (x && y)
        return x->list == y->list && x->items.size() == y->items.size() &&
               std::equal(x->items.begin(), x->items.end(), y->items.begin(), plainEqual);
    const auto *m = left.as<Argument>(), *n = right.as<Argument>();
    return m && n && *m == *n;
}

bool plainTruth(const Value& value) {
    if (const auto number = plainReal(value)) return *number != 0;
    if (const auto* sequence = value.as<ValueSequence>()) return !sequence->items.empty();
    if (const auto* dict = value.as<ValueDict>()) return !dict->items.empty();
    if (const auto* string = text(value)) return !string->empty();
    if (value.as<TensorValue>()) throw CannotFollow(Message("trace.unknown_truth", {{"value", textOf(value)}}));
    return !value.isNone();
}

std::pair<double, double> floorDivision(double a, double b) {
    double rest = std::fmod(a, b), quotient = (a - rest) / b;
    if (rest == 0) {
        rest = std::copysign(0.0, b);
    } else if ((rest < 0) != (b < 0)) {
        rest += b;
        quotient -= 1;
    }
    if (quotient == 0) return {std::copysign(0.0, a / b), rest};
    const double whole = std::floor(quotient);
    return {quotient - whole > 0.5 ? whole + 1 : whole, rest};
}

Value plainBinary(std::string_view op, const Value& left, const Value& right) {
    if (op == "eq" || op == "ne") return {Argument(plainEqual(left, right) == (op == "eq"))};
    if (auto out = integerBinary(op, left, right)) return *out;
    const auto a = plainReal(left), b = plainReal(right);
    if (a && b) {
        if (const auto out = ordered(op, *a, *b)) return {Argument(*out)};
        const bool whole = wide(left) && wide(right) && op != "truediv" && (op != "pow" || *b >= 0); // too large, then
        if (auto out = whole ? std::nullopt : realBinary(op, *a, *b)) return *out;
    }
    const auto c = complexNumber(left), d = complexNumber(right);
    if (c && d)
        if (auto out = complexBinary(op, *c, *d)) return *out;
    if (auto out = sequenceBinary(op, left, right)) return *out;
    if (auto out = textBinary(op, left, right)) return *out;
    if (op == "contains") {
        const auto* sequence = left.as<ValueSequence>();
        if (sequence)
            return {Argument(std::any_of(sequence->items.begin(), sequence->items.end(),
                                         [&](const Value& item) { return plainEqual(item, right); }))};
        if (const auto* dict = left.as<ValueDict>())
            return {Argument(std::any_of(dict->items.begin(), dict->items.end(),
                                         [&](const auto& item) { return plainEqual(item.first, right); }))};
    }
    unsupported(op, left, right);
}

Value plainUnary(std::string_view op, const Value& operand) {
    const auto* argument = operand.as<Argument>();
    if (argument && argument->as<double>()) {
        const double number = *argument->as<double>();
        if (op == "neg") return {Argument(-number)};
        if (op == "pos") return operand;
        if (op == "abs") return {Argument(std::fabs(number))};
    }
    if (const auto number = wide(operand)) {
        if (op == "pos" || op == "index" || (op == "abs" && !number->isNegative())) return valueOf(*number);
        if (op == "neg" || op == "abs") return valueOf(-*number);
        if (op == "invert") return valueOf(-*number + BigInteger(-1));
    }
    if (const auto* big = argument ? argument->as<BigInt>() : nullptr;
        big && op == "neg") // longer than is computed with
        return {Argument(BigInt{big->digits.starts_with('-') ? big->digits.substr(1) : "-" + big->digits})};
    if (const auto* complex = argument ? argument->as<Complex>() : nullptr) {
        if (op == "neg") return {Argument(Complex{-complex->re, -complex->im})};
        if (op == "pos") return operand;
        if (op == "abs") return {Argument(std::hypot(complex->re, complex->im))};
    }
    throw CannotFollow(Message("trace.unknown_result", {{"operator", op}, {"operands", textOf(operand)}}));
}

Value sizeOf(Values items) {
    for (std::size_t i = 0; i < items.size(); ++i) {
        const auto number = plainInteger(items[i]);
        const auto type = number ? std::nullopt : foreignType(items[i]);
        if (type)
            throw PythonError("TypeError: torch.Size() takes an iterable of 'int' (item " + std::to_string(i) +
                              " is '" + std::string(*type) + "')");
        if (!number)
            throw CannotFollow(
                Message("trace.unknown_sequence", {{"value", textOf(items[i])}, {"function", "torch.Size"}}));
        items[i] = {Argument(*number)}; // True is kept as 1
    }
    return box(ValueSequence{.items = std::move(items), .isSize = true});
}

Value plainSubscript(const Value& object, const Value& key) {
    if (const auto* dict = object.as<ValueDict>()) {
        for (const auto& [name, value] : dict->items)
            if (plainEqual(name, key)) return value;
        throw PythonError("KeyError: " + textOf(key));
    }
    if (text(object)) {
        const Value part = plainSubscript(tupleOf(*itemsOf(object)), key);
        const auto* several = part.as<ValueSequence>();
        std::string out;
        for (const Value& item : several ? several->items : Values{part}) out += *text(item);
        return {Argument(out)};
    }
    const auto* sequence = object.as<ValueSequence>();
    if (!sequence) throw CannotFollow(Message("trace.not_subscriptable", {{"value", textOf(object)}}));
    const auto size = static_cast<std::int64_t>(sequence->items.size());
    if (auto at = plainInteger(key)) {
        if (*at < 0) *at += size;
        if (*at < 0 || *at >= size)
            throw PythonError(sequence->list ? "IndexError: list index out of range"
                                             : "IndexError: tuple index out of range");
        return sequence->items[static_cast<std::size_t>(*at)];
    }
    const auto* slice = key.as<ValueSlice>();
    if (!slice) throw PythonError("TypeError: indices must be integers or slices");
    const std::int64_t step = slice->step.isNone() ? 1 : plainInteger(slice->step).value_or(1);
    if (step == 0) throw PythonError("ValueError: slice step cannot be zero");
    const auto bound = [&](const Value& value, std::int64_t otherwise) {
        auto at = plainInteger(value).value_or(otherwise);
        if (!value.isNone() && at < 0) at += size;
        return std::clamp<std::int64_t>(at, step > 0 ? 0 : -1, step > 0 ? size : size - 1);
    };
    ValueSequence out{.list = sequence->list, .items = {}, .isSize = sequence->isSize};
    const auto stop = bound(slice->stop, step > 0 ? size : -1);
    for (auto at = bound(slice->start, step > 0 ? 0 : size - 1); step > 0 ? at < stop : at > stop; at += step)
        out.items.push_back(sequence->items[static_cast<std::size_t>(at)]);
    return box(std::move(out));
}

} // namespace fx::trace
