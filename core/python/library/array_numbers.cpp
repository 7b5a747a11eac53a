// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/python/library/array_numbers.h"

#include "core/trace/numbers/python_numbers.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace fx::python::array_numbers {
namespace {
float toHalf(double value) {
    if (value == 0 || !std::isfinite(value)) return static_cast<float>(value);
    const int exponent = std::max(std::ilogb(value), -14);
    const double step = std::ldexp(1.0, exponent - 10), rounded = std::nearbyint(value / step) * step;
    return static_cast<float>(std::fabs(rounded) > 65504.0 ? std::copysign(INFINITY, value) : rounded);
}

/// As numpy: what does not fit wraps around, and a division by 0 gives 0.
Value integers(std::string_view op, std::int64_t a, std::int64_t b) {
    const auto wrapped = [](std::uint64_t value) { return Value(static_cast<std::int64_t>(value)); };
    const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
    if (const auto exact = trace::smallBinary(op, a, b)) return {*exact};
    if (op == "add") return wrapped(x + y);
    if (op == "sub") return wrapped(x - y);
    if (op == "mul") return wrapped(x * y);
    if (op == "floordiv") return wrapped(b ? 0 - x : 0); // by -1
    if (op == "mod") return wrapped(0);
    if (op == "maximum") return {std::max(a, b)};
    if (op == "minimum") return {std::min(a, b)};
    if (op == "pow" && b >= 0) {
        std::uint64_t out = 1;
        for (std::uint64_t base = x, left = y; left; left >>= 1, base *= base)
            if (left & 1) out *= base;
        return wrapped(out);
    }
    return {};
}

Value reals(std::string_view op, double a, double b) {
    if (op == "add") return {a + b};
    if (op == "sub") return {a - b};
    if (op == "mul") return {a * b};
    if (op == "truediv") return {a / b};
    if (op == "floordiv") return {b == 0 ? a / b : trace::floorDivision(a, b).first};
    if (op == "mod") return {b == 0 ? std::fmod(a, b) : trace::floorDivision(a, b).second};
    if (op == "pow") return {std::pow(a, b)};
    if (op == "maximum") return {std::isnan(a) || a > b ? a : b};
    if (op == "minimum") return {std::isnan(a) || a < b ? a : b};
    if (op == "atan2") return {std::atan2(a, b)};
    if (op == "hypot") return {std::hypot(a, b)};
    if (op == "eq") return {a == b};
    if (op == "ne") return {a != b};
    if (op == "lt") return {a < b};
    if (op == "le") return {a <= b};
    if (op == "gt") return {a > b};
    if (op == "ge") return {a >= b};
    if (op == "and") return {a != 0 && b != 0};
    if (op == "or") return {a != 0 || b != 0};
    return {};
}

using Unary = double (*)(double);
constexpr std::pair<std::string_view, Unary> kUnary[] = {
    {"sqrt", [](double x) { return std::sqrt(x); }},   {"log", [](double x) { return std::log(x); }},
    {"log2", [](double x) { return std::log2(x); }},   {"exp", [](double x) { return std::exp(x); }},
    {"log10", [](double x) { return std::log10(x); }}, {"sin", [](double x) { return std::sin(x); }},
    {"cos", [](double x) { return std::cos(x); }},     {"tan", [](double x) { return std::tan(x); }},
    {"tanh", [](double x) { return std::tanh(x); }},   {"asin", [](double x) { return std::asin(x); }},
    {"acos", [](double x) { return std::acos(x); }},   {"atan", [](double x) { return std::atan(x); }},
    {"sinh", [](double x) { return std::sinh(x); }},   {"cosh", [](double x) { return std::cosh(x); }},
    {"log1p", [](double x) { return std::log1p(x); }}, {"expm1", [](double x) { return std::expm1(x); }},
    {"floor", [](double x) { return std::floor(x); }}, {"ceil", [](double x) { return std::ceil(x); }},
    {"rint", [](double x) { return std::rint(x); }},   {"trunc", [](double x) { return std::trunc(x); }}};

/// numpy's order of additions of numbers that lie in a row, which its bits depend on.
template<class Real> Real pairwiseSum(const Real* values, std::size_t count) {
    if (count < 8) return std::accumulate(values, values + count, Real(0));
    if (count <= 128) {
        Real parts[8];
        std::copy(values, values + 8, parts);
        std::size_t i = 8;
        for (; i + 8 <= count; i += 8)
            for (std::size_t k = 0; k < 8; ++k) parts[k] += values[i + k];
        const Real sum =
            ((parts[0] + parts[1]) + (parts[2] + parts[3])) + ((parts[4] + parts[5]) + (parts[6] + parts[7]));
        return std::accumulate(values + i, values + count, sum);
    }
    const std::size_t half = count / 2 - count / 2 % 8;
    return pairwiseSum(values, half) + pairwiseSum(values + half, count - half);
}

template<class Real> Value sumOf(const Values& values, bool inRows) {
    std::vector<Real> numbers;
    for (const Value& each : values) numbers.push_back(static_cast<Real>(each.asReal()));
    const Real sum =
        inRows ? pairwiseSum(numbers.data(), numbers.size()) : std::accumulate(numbers.begin(), numbers.end(), Real(0));
    return {static_cast<double>(sum)};
}
} // namespace

void require(Interpreter& in, const Value& value) {
    if (value.isNumber()) return;
    const auto* opaque = value.as<Opaque>();
    throw trace::CannotFollow(
        opaque ? unknownImport(*opaque)
               : Message("trace.not_computed", {{"function", "numpy.array(" + in.repr(value) + ")"}}));
}

Value castTo(Interpreter& in, const Value& value, std::string_view dtype) {
    require(in, value);
    if (dtype == "bool") return {value.asReal() != 0};
    if (dtype == "float64") return {value.asReal()};
    if (dtype == "float32") return {static_cast<double>(static_cast<float>(value.asReal()))};
    if (dtype == "float16") return {static_cast<double>(toHalf(value.asReal()))};
    const std::int64_t whole = value.isInt() ? value.asInt() : static_cast<std::int64_t>(value.real);
    if (dtype == "int8") return {static_cast<std::int64_t>(static_cast<std::int8_t>(whole))};
    if (dtype == "int16") return {static_cast<std::int64_t>(static_cast<std::int16_t>(whole))};
    if (dtype == "int32") return {static_cast<std::int64_t>(static_cast<std::int32_t>(whole))};
    if (dtype == "uint16") return {static_cast<std::int64_t>(static_cast<std::uint16_t>(whole))};
    if (dtype == "uint32") return {static_cast<std::int64_t>(static_cast<std::uint32_t>(whole))};
    if (dtype == "uint8") return {static_cast<std::int64_t>(static_cast<std::uint8_t>(whole))};
    return {whole};
}

Value operated(std::string_view op, const Value& a, const Value& b) {
    if (a.kind == Value::Kind::Bool && b.kind == Value::Kind::Bool && (op == "add" || op == "mul"))
        return reals(op == "add" ? "or" : "and", a.asReal(), b.asReal());
    if (a.isInt() && b.isInt())
        if (const Value whole = integers(op, a.asInt(), b.asInt()); whole.isSet()) return whole;
    return reals(op, a.asReal(), b.asReal());
}

Value unaryOf(std::string_view op, const Value& value) {
    if (op == "abs") return value.isInt() ? Value(std::abs(value.asInt())) : Value(std::fabs(value.real));
    if (op == "square") return operated("mul", value, value);
    if (op == "sign") {
        const auto sign = static_cast<std::int64_t>((value.asReal() > 0) - (value.asReal() < 0));
        return value.isInt() ? Value(sign) : Value(static_cast<double>(sign));
    }
    for (const auto& [name, apply] : kUnary)
        if (name == op) return {apply(value.asReal())};
    return {};
}

Value reduced(std::string_view op, const Values& values, std::string_view dtype, bool inRows) {
    const bool isSingle = dtype == "float32" || dtype == "float16"; // numpy adds halves as singles
    const bool isReal =
        std::any_of(values.begin(), values.end(), [](const Value& each) { return each.kind == Value::Kind::Float; });
    if (op == "add" && isReal) return isSingle ? sumOf<float>(values, inRows) : sumOf<double>(values, inRows);
    if (values.empty()) return op == "mul" || op == "and" ? Value(std::int64_t{1}) : Value(std::int64_t{0});
    Value out =
        op == "add" || op == "mul" ? Value(values[0].isInt() ? Value(values[0].asInt()) : values[0]) : values[0];
    for (std::size_t i = 1; i < values.size(); ++i) {
        const Value next = values[i].isInt() ? Value(values[i].asInt()) : values[i];
        out = operated(op, out, next);
        if (isSingle && isReal) out = Value(static_cast<double>(static_cast<float>(out.asReal())));
    }
    return out;
}

std::string numberText(Interpreter& in, const Value& value, std::string_view dtype) {
    if (value.kind != Value::Kind::Float || dtype == "float64" || !std::isfinite(value.real)) return in.str(value);
    char text[64] = {};
    double shown = value.real;
    for (int digits = 1; digits < 12; ++digits) {
        std::snprintf(text, sizeof text, "%.*e", digits - 1, value.real);
        shown = std::strtod(text, nullptr);
        const double back = dtype == "float16" ? toHalf(shown) : static_cast<float>(shown);
        if (back == value.real) break;
    }
    return in.str(Value(shown));
}

} // namespace fx::python::array_numbers
