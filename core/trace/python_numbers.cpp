// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/python_numbers.h"

#include <algorithm>
#include <cmath>
#include <complex>

namespace fx::trace {
namespace {
std::optional<std::int64_t> integer(const Value& value) {
    const auto* argument = value.as<Argument>();
    if (!argument) return std::nullopt;
    if (const auto* number = argument->as<std::int64_t>()) return *number;
    if (const auto* flag = argument->as<bool>()) return *flag ? 1 : 0;
    return std::nullopt;
}
std::optional<double> real(const Value& value) {
    if (const auto number = integer(value)) return static_cast<double>(*number);
    const auto* argument = value.as<Argument>();
    const auto* number = argument ? argument->as<double>() : nullptr;
    return number ? std::optional(*number) : std::nullopt;
}
const std::string* text(const Value& value) {
    const auto* argument = value.as<Argument>();
    return argument ? argument->as<std::string>() : nullptr;
}

[[noreturn]] void unsupported(std::string_view op, const Value& left, const Value& right) {
    throw CannotFollow("operator." + std::string(op) + "(" + textOf(left) + ", " + textOf(right) + ") cannot be computed here");
}

/// `compute` is one of the compiler's checked operations; it writes to its last argument.
template<class Compute>
Value checked(Compute compute) {
    std::int64_t out = 0;
    if (compute(&out)) throw CannotFollow("an integer exceeds 64 bits");
    return {Argument(out)};
}

std::int64_t floorDivide(std::int64_t a, std::int64_t b) {
    const std::int64_t quotient = a / b;
    return a % b != 0 && (a % b < 0) != (b < 0) ? quotient - 1 : quotient;
}

std::optional<Value> integerPower(std::int64_t base, std::int64_t exponent) {
    if (exponent < 0) return std::nullopt;
    std::int64_t out = 1;
    for (; exponent > 0 && out != 0; --exponent) {
        if (base == 1) break;
        if (__builtin_mul_overflow(out, base, &out)) throw CannotFollow("an integer exceeds 64 bits");
    }
    return Value{Argument(out)};
}

std::optional<Value> integerBinary(std::string_view op, std::int64_t a, std::int64_t b) {
    if (op == "add") return checked([&](auto* out) { return __builtin_add_overflow(a, b, out); });
    if (op == "sub") return checked([&](auto* out) { return __builtin_sub_overflow(a, b, out); });
    if (op == "mul") return checked([&](auto* out) { return __builtin_mul_overflow(a, b, out); });
    if (op == "floordiv" || op == "mod") {
        if (b == 0) throw PythonError("ZeroDivisionError: integer division or modulo by zero");
        if (b == -1 && op == "mod") return Value{Argument(0)};
        if (b == -1) return checked([&](auto* out) { return __builtin_sub_overflow(std::int64_t{0}, a, out); });
        const auto quotient = floorDivide(a, b);
        return Value{Argument(op == "floordiv" ? quotient : a - quotient * b)};
    }
    if (op == "pow") return integerPower(a, b);
    if (op == "and_") return Value{Argument(a & b)};
    if (op == "or_") return Value{Argument(a | b)};
    if (op == "xor") return Value{Argument(a ^ b)};
    if (op == "lshift" && b >= 0 && b < 63 && std::llabs(a) < (std::int64_t{1} << (62 - b))) return Value{Argument(a * (std::int64_t{1} << b))};
    if (op == "rshift" && b >= 0) return Value{Argument(a >> std::min<std::int64_t>(b, 63))};
    return std::nullopt;
}

std::optional<Value> realBinary(std::string_view op, double a, double b) {
    if (op == "add") return Value{Argument(a + b)};
    if (op == "sub") return Value{Argument(a - b)};
    if (op == "mul") return Value{Argument(a * b)};
    if (op == "pow") return Value{Argument(std::pow(a, b))};
    if (op != "truediv" && op != "floordiv" && op != "mod") return std::nullopt;
    if (b == 0) throw PythonError("ZeroDivisionError: float division by zero");
    if (op == "truediv") return Value{Argument(a / b)};
    const double quotient = std::floor(a / b);
    return Value{Argument(op == "floordiv" ? quotient : a - quotient * b)};
}

std::optional<std::complex<double>> complexNumber(const Value& value) {
    if (const auto number = real(value)) return std::complex<double>(*number, 0);
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

std::optional<Value> sequenceBinary(std::string_view op, const Value& left, const Value& right) {
    const auto *a = left.as<ValueSequence>(), *b = right.as<ValueSequence>();
    if (op == "add" && a && b && a->list == b->list) {
        ValueSequence out = *a;
        out.items.insert(out.items.end(), b->items.begin(), b->items.end());
        return box(std::move(out));
    }
    const auto times = a ? integer(right) : integer(left);
    if (op == "mul" && (a || b) && times) {
        const auto& source = a ? *a : *b;
        if (*times > 0 && source.items.size() * static_cast<std::size_t>(*times) > 1'000'000) throw CannotFollow("a sequence grows too long");
        ValueSequence out{source.list, {}};
        for (std::int64_t i = 0; i < *times; ++i) out.items.insert(out.items.end(), source.items.begin(), source.items.end());
        return box(std::move(out));
    }
    if (op == "add" && text(left) && text(right)) return Value{Argument(*text(left) + *text(right))};
    return std::nullopt;
}
} // namespace

bool plainEqual(const Value& left, const Value& right) {
    const auto a = real(left), b = real(right);
    if (a && b) return *a == *b;
    const auto *x = left.as<ValueSequence>(), *y = right.as<ValueSequence>();
    if (x && y) return x->list == y->list && x->items.size() == y->items.size() && std::equal(x->items.begin(), x->items.end(), y->items.begin(), plainEqual);
    const auto *m = left.as<Argument>(), *n = right.as<Argument>();
    return m && n && *m == *n;
}

bool plainTruth(const Value& value) {
    if (const auto number = real(value)) return *number != 0;
    if (const auto* sequence = value.as<ValueSequence>()) return !sequence->items.empty();
    if (const auto* dict = value.as<ValueDict>()) return !dict->items.empty();
    if (const auto* string = text(value)) return !string->empty();
    if (value.as<TensorValue>()) throw CannotFollow("the truth of " + textOf(value) + " is not known without running it");
    return !value.isNone();
}

Value plainBinary(std::string_view op, const Value& left, const Value& right) {
    if (op == "eq" || op == "ne") return {Argument(plainEqual(left, right) == (op == "eq"))};
    const auto i = integer(left), j = integer(right);
    if (i && j)
        if (auto out = integerBinary(op, *i, *j)) return *out;
    const auto a = real(left), b = real(right);
    if (a && b) {
        if (const auto out = ordered(op, *a, *b)) return {Argument(*out)};
        if (auto out = realBinary(op, *a, *b)) return *out;
    }
    const auto c = complexNumber(left), d = complexNumber(right);
    if (c && d)
        if (auto out = complexBinary(op, *c, *d)) return *out;
    if (auto out = sequenceBinary(op, left, right)) return *out;
    if (op == "contains") {
        const auto* sequence = left.as<ValueSequence>();
        if (sequence)
            return {Argument(std::any_of(sequence->items.begin(), sequence->items.end(), [&](const Value& item) { return plainEqual(item, right); }))};
        if (const auto* dict = left.as<ValueDict>())
            return {Argument(std::any_of(dict->items.begin(), dict->items.end(), [&](const auto& item) { return plainEqual(item.first, right); }))};
    }
    unsupported(op, left, right);
}

Value plainUnary(std::string_view op, const Value& operand) {
    if (const auto number = integer(operand)) {
        if (op == "invert") return {Argument(~*number)};
        if (op == "pos" || op == "index") return {Argument(*number)};
        if (op == "neg" || (op == "abs" && *number < 0)) return plainBinary("sub", {Argument(0)}, {Argument(*number)});
        if (op == "abs") return {Argument(*number)};
    }
    if (const auto number = real(operand)) {
        if (op == "neg") return {Argument(-*number)};
        if (op == "pos") return {Argument(*number)};
        if (op == "abs") return {Argument(std::fabs(*number))};
    }
    const auto* argument = operand.as<Argument>();
    if (const auto* big = argument ? argument->as<BigInt>() : nullptr; big && op == "neg")
        return {Argument(BigInt{big->digits.starts_with('-') ? big->digits.substr(1) : "-" + big->digits})};
    if (const auto* complex = argument ? argument->as<Complex>() : nullptr; complex && op == "neg")
        return {Argument(Complex{-complex->re, -complex->im})};
    throw CannotFollow("operator." + std::string(op) + "(" + textOf(operand) + ") cannot be computed here");
}

Value plainSubscript(const Value& object, const Value& key) {
    if (const auto* dict = object.as<ValueDict>()) {
        for (const auto& [name, value] : dict->items)
            if (plainEqual(name, key)) return value;
        throw PythonError("KeyError: " + textOf(key));
    }
    const auto* sequence = object.as<ValueSequence>();
    if (!sequence) throw CannotFollow("cannot take an item of " + textOf(object));
    const auto size = static_cast<std::int64_t>(sequence->items.size());
    if (auto at = integer(key)) {
        if (*at < 0) *at += size;
        if (*at < 0 || *at >= size) throw PythonError(sequence->list ? "IndexError: list index out of range" : "IndexError: tuple index out of range");
        return sequence->items[static_cast<std::size_t>(*at)];
    }
    const auto* slice = key.as<ValueSlice>();
    if (!slice) throw PythonError("TypeError: indices must be integers or slices");
    const std::int64_t step = slice->step.isNone() ? 1 : integer(slice->step).value_or(1);
    if (step == 0) throw PythonError("ValueError: slice step cannot be zero");
    const auto bound = [&](const Value& value, std::int64_t otherwise) {
        auto at = integer(value).value_or(otherwise);
        if (!value.isNone() && at < 0) at += size;
        return std::clamp<std::int64_t>(at, step > 0 ? 0 : -1, step > 0 ? size : size - 1);
    };
    ValueSequence out{sequence->list, {}};
    const auto stop = bound(slice->stop, step > 0 ? size : -1);
    for (auto at = bound(slice->start, step > 0 ? 0 : size - 1); step > 0 ? at < stop : at > stop; at += step)
        out.items.push_back(sequence->items[static_cast<std::size_t>(at)]);
    return box(std::move(out));
}

} // namespace fx::trace
