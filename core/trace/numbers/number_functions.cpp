// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/numbers/number_functions.h"

#include "core/base/digits.h"
#include "core/base/utf8.h"
#include "core/pysrc/literals.h"
#include "core/trace/numbers/gamma_functions.h"
#include "core/trace/numbers/python_numbers.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>

namespace fx::trace {
namespace {
using Result = std::optional<Value>;
using Function = Result (*)(const Values&);

constexpr const char* kDomain = "ValueError: math domain error";

Value number(double value) { return {Argument(value)}; }
Value number(std::int64_t value) { return {Argument(value)}; }
bool less(const Value& a, const Value& b) { return plainTruth(plainBinary("lt", a, b)); }

template<double (*F)(double)> Result ofReal(const Values& args) {
    const auto x = args.size() == 1 ? plainReal(args[0]) : std::nullopt;
    if (!x) return std::nullopt;
    const double out = F(*x);
    if ((std::isnan(out) && !std::isnan(*x)) || (std::isinf(out) && *x == 0)) throw PythonError(kDomain);
    if (std::isinf(out) && std::isfinite(*x)) throw PythonError("OverflowError: math range error");
    return number(out);
}

template<double (*F)(double, double)> Result ofTwoReals(const Values& args) {
    const auto x = args.size() == 2 ? plainReal(args[0]) : std::nullopt,
               y = args.size() == 2 ? plainReal(args[1]) : std::nullopt;
    if (!x || !y) return std::nullopt;
    const double out = F(*x, *y);
    if (std::isnan(out) && !std::isnan(*x) && !std::isnan(*y)) throw PythonError(kDomain);
    if (std::isinf(out) && std::isfinite(*x) && std::isfinite(*y)) throw PythonError("OverflowError: math range error");
    return number(out);
}

template<class Predicate> Result asked(const Values& args, Predicate predicate) {
    const auto x = args.size() == 1 ? plainReal(args[0]) : std::nullopt;
    return x ? Result(Value{Argument(predicate(*x))}) : std::nullopt;
}

template<double (*F)(double)> Result toInteger(const Values& args) {
    if (args.size() != 1) return std::nullopt;
    if (plainInteger(args[0])) return plainUnary("pos", args[0]);
    const auto x = plainReal(args[0]);
    if (x && !std::isfinite(*x))
        throw PythonError(std::isnan(*x) ? "ValueError: cannot convert float NaN to integer"
                                         : "OverflowError: cannot convert float infinity to integer");
    return x && std::fabs(*x) < 9e18 ? Result(number(static_cast<std::int64_t>(F(*x)))) : std::nullopt;
}

Result logarithm(const Values& args) {
    const auto x = args.empty() ? std::nullopt : plainReal(args[0]);
    if (!x || args.size() > 2) return std::nullopt;
    if (*x <= 0) throw PythonError(kDomain);
    const auto base = args.size() == 2 ? plainReal(args[1]) : std::optional<double>();
    if (args.size() == 2 && (!base || *base <= 0 || *base == 1)) return std::nullopt;
    return number(base ? std::log(*x) / std::log(*base) : std::log(*x));
}

Result factorial(const Values& args) {
    const auto n = args.size() == 1 ? plainInteger(args[0]) : std::nullopt;
    if (!n || *n > 1000) return std::nullopt;
    if (*n < 0) throw PythonError("ValueError: factorial() not defined for negative values");
    Value out = number(std::int64_t{1});
    for (std::int64_t i = 2; i <= *n; ++i) out = plainBinary("mul", out, number(i));
    return out;
}

template<std::int64_t (*F)(std::int64_t, std::int64_t)> Result ofIntegers(const Values& args) {
    std::optional<std::int64_t> out;
    for (const auto& arg : args) {
        const auto next = plainInteger(arg);
        if (!next || *next == std::numeric_limits<std::int64_t>::min()) return std::nullopt;
        out = out ? F(*out, *next) : std::abs(*next);
    }
    return out ? Result(number(*out)) : std::nullopt;
}

/// sum and prod: `first`, then each item.
Result folded(std::string_view op, const Values& args, Value first) {
    const auto items = args.empty() ? std::nullopt : itemsOf(args[0]);
    if (!items || args.size() > 2) return std::nullopt;
    if (args.size() == 2) first = args[1];
    for (const auto& item : *items) first = plainBinary(op, first, item);
    return first;
}

/// max and min: the first of the best.
Result best(const Values& args, bool largest) {
    const auto items = args.size() == 1 ? itemsOf(args[0]) : std::optional(args);
    if (!items) return std::nullopt;
    if (items->empty()) throw PythonError("ValueError: arg is an empty sequence");
    const Value* out = &items->front();
    for (const auto& item : *items)
        if (largest ? less(*out, item) : less(item, *out)) out = &item;
    return *out;
}

Result rounded(const Values& args) {
    if (args.size() == 1) return toInteger<std::nearbyint>(args); // half to even, as the default rounding mode does
    const auto digits = args.size() == 2 ? plainInteger(args[1]) : std::nullopt;
    const auto x = digits ? plainReal(args[0]) : std::nullopt;
    if (!x || plainInteger(args[0]) || *digits < 0 || *digits > 300) return std::nullopt;
    char text[512];
    std::snprintf(text, sizeof text, "%.*f", static_cast<int>(*digits), *x);
    return number(std::strtod(text, nullptr));
}

Result integerOf(const Values& args) {
    const auto* argument = args.size() == 1 ? args[0].as<Argument>() : nullptr;
    if (!argument) return std::nullopt;
    if (const auto* real = argument->as<double>())
        return std::fabs(*real) < 9e18 ? Result(number(static_cast<std::int64_t>(*real))) : std::nullopt;
    if (plainReal(args[0])) return plainUnary("pos", args[0]);
    const auto* text = argument->as<std::string>();
    const auto parsed = text ? py::parseNumber(*text) : std::nullopt;
    return parsed && parsed->as<std::int64_t>() ? Result(Value{*parsed}) : std::nullopt;
}

Result realOf(const Values& args) {
    if (args.size() != 1) return std::nullopt;
    if (const auto real = plainReal(args[0])) return number(*real);
    const auto* argument = args[0].as<Argument>();
    const auto* text = argument ? argument->as<std::string>() : nullptr;
    if (text && (*text == "inf" || *text == "-inf" || *text == "nan"))
        return number(std::strtod(text->c_str(), nullptr));
    return std::nullopt;
}

Result quotientAndRest(const Values& args) {
    if (args.size() != 2) return std::nullopt;
    return tupleOf({plainBinary("floordiv", args[0], args[1]), plainBinary("mod", args[0], args[1])});
}

Result sorted(const Values& args) {
    auto items = args.size() == 1 ? itemsOf(args[0]) : std::nullopt;
    if (!items) return std::nullopt;
    std::stable_sort(items->begin(), items->end(), less);
    return listOf(std::move(*items));
}

/// any and all.
Result truthOf(const Values& args, bool wanted) {
    const auto items = args.size() == 1 ? itemsOf(args[0]) : std::nullopt;
    if (!items) return std::nullopt;
    return Value{Argument(std::any_of(items->begin(), items->end(),
                                      [&](const Value& item) { return plainTruth(item) == wanted; }) == wanted)};
}

Result makeComplex(const Values& args) {
    const auto re = args.empty() ? std::optional(0.0) : plainReal(args[0]),
               im = args.size() < 2 ? std::optional(0.0) : plainReal(args[1]);
    return re && im && args.size() <= 2 ? Result(Value{Argument(Complex{*re, *im})}) : std::nullopt;
}

Result character(const Values& args) {
    const auto code = args.size() == 1 ? plainInteger(args[0]) : std::nullopt;
    if (!code) return std::nullopt;
    if (*code < 0 || *code > 0x10FFFF) throw PythonError("ValueError: chr() arg not in range(0x110000)");
    std::string text;
    appendUtf8(text, static_cast<char32_t>(*code));
    return Value{Argument(std::move(text))};
}

Result codeOf(const Values& args) {
    const auto* argument = args.size() == 1 ? args[0].as<Argument>() : nullptr;
    const auto* text = argument ? argument->as<std::string>() : nullptr;
    if (!text) return std::nullopt;
    char32_t point = 0;
    if (text->empty() || decodeUtf8(*text, point) != text->size())
        throw PythonError("TypeError: ord() expected a character");
    return number(static_cast<std::int64_t>(point));
}

/// bin, oct and hex: `bits` a digit.
template<unsigned Bits> Result digits(const Values& args) {
    const auto value = args.size() == 1 ? plainInteger(args[0]) : std::nullopt;
    if (!value) return std::nullopt;
    const auto bytes = static_cast<std::uint64_t>(*value);
    const std::string prefix = Bits == 1 ? "0b" : Bits == 3 ? "0o" : "0x";
    return Value{Argument((*value < 0 ? "-" : "") + prefix + digitsOf(*value < 0 ? 0 - bytes : bytes, Bits))};
}

/// math.isclose with its usual tolerance.
Result isClose(const Values& args) {
    const auto a = args.size() == 2 ? plainReal(args[0]) : std::nullopt,
               b = args.size() == 2 ? plainReal(args[1]) : std::nullopt;
    if (!a || !b) return std::nullopt;
    const bool isFinite = std::isfinite(*a) && std::isfinite(*b);
    return Value{
        Argument(*a == *b || (isFinite && std::fabs(*a - *b) <= 1e-9 * std::max(std::fabs(*a), std::fabs(*b))))};
}

Result integerRoot(const Values& args) {
    const auto x = args.size() == 1 ? plainInteger(args[0]) : std::nullopt;
    if (!x) return std::nullopt;
    if (*x < 0) throw PythonError("ValueError: isqrt() argument must be nonnegative");
    auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(*x)));
    while (root > 0 && root > *x / root) --root;
    while (root + 1 <= *x / (root + 1)) ++root;
    return number(root);
}

/// The numbers of an iterable; nullopt if something else is among them.
std::optional<std::vector<double>> realsOf(const Value& value) {
    const auto items = itemsOf(value);
    std::vector<double> out;
    for (const Value& item : items ? *items : Values()) {
        const auto x = plainReal(item);
        if (!x) return std::nullopt;
        out.push_back(*x);
    }
    return items ? std::optional(std::move(out)) : std::nullopt;
}

/// math.fsum: partial sums without overlap, added from the largest, as in CPython.
Result exactSum(const Values& args) {
    const auto numbers = args.size() == 1 ? realsOf(args[0]) : std::nullopt;
    if (!numbers) return std::nullopt;
    std::vector<double> parts;
    for (double x : *numbers) {
        std::size_t kept = 0;
        for (double y : parts) {
            if (std::fabs(x) < std::fabs(y)) std::swap(x, y);
            const double high = x + y, low = y - (high - x);
            if (low != 0) parts[kept++] = low;
            x = high;
        }
        parts.resize(kept);
        parts.push_back(x);
    }
    double high = 0, low = 0;
    while (!parts.empty() && low == 0) {
        const double x = high, y = parts.back();
        parts.pop_back();
        high = x + y;
        low = y - (high - x);
    }
    const bool isHalf = !parts.empty() && ((low < 0 && parts.back() < 0) || (low > 0 && parts.back() > 0));
    const double doubled = high + 2 * low;
    return number(isHalf && 2 * low == doubled - high ? doubled : high);
}

/// math.dist
Result distance(const Values& args) {
    const auto a = args.size() == 2 ? realsOf(args[0]) : std::nullopt, b = a ? realsOf(args[1]) : std::nullopt;
    if (!b) return std::nullopt;
    if (a->size() != b->size()) throw PythonError("ValueError: both points must have the same number of dimensions");
    double out = 0;
    for (std::size_t i = 0; i < a->size(); ++i) out = std::hypot(out, (*a)[i] - (*b)[i]);
    return number(out);
}

/// math.modf and math.frexp
Result fractionAndWhole(const Values& args) {
    const auto x = args.size() == 1 ? plainReal(args[0]) : std::nullopt;
    if (!x) return std::nullopt;
    double whole = 0;
    const double fraction = std::modf(*x, &whole);
    return tupleOf({number(fraction), number(whole)});
}
Result mantissaAndExponent(const Values& args) {
    const auto x = args.size() == 1 ? plainReal(args[0]) : std::nullopt;
    if (!x) return std::nullopt;
    int exponent = 0;
    const double mantissa = std::frexp(*x, &exponent);
    return tupleOf({number(mantissa), number(std::int64_t{exponent})});
}
Result scaled(const Values& args) { // math.ldexp
    const auto x = args.size() == 2 ? plainReal(args[0]) : std::nullopt;
    const auto exponent = x ? plainInteger(args[1]) : std::nullopt;
    if (!exponent || std::abs(*exponent) > 5000) return std::nullopt;
    const double out = std::ldexp(*x, static_cast<int>(*exponent));
    if (std::isinf(out) && std::isfinite(*x)) throw PythonError("OverflowError: math range error");
    return number(out);
}

/// math.perm and, divided by the orders of what is chosen, math.comb.
template<bool IsOrdered> Result choices(const Values& args) {
    const auto n = args.empty() || args.size() > 2 ? std::nullopt : plainInteger(args[0]);
    const auto k = args.size() == 2 ? plainInteger(args[1]) : IsOrdered ? n : std::nullopt;
    if (!n || !k || *k > 1000) return std::nullopt;
    if (*n < 0 || *k < 0) throw PythonError("ValueError: n and k must be non-negative integers");
    Value out = number(std::int64_t{*k <= *n});
    for (std::int64_t i = 0; i < *k && i < *n; ++i) {
        out = plainBinary("mul", out, number(*n - i));
        if (!IsOrdered) out = plainBinary("floordiv", out, number(i + 1));
    }
    return out;
}

double degrees(double x) { return x * (180.0 / std::numbers::pi); }
double radians(double x) { return x * (std::numbers::pi / 180.0); }

const std::map<std::string_view, Function>& table() {
    static const std::map<std::string_view, Function> kTable = {
        {"builtins.all", [](const Values& args) { return truthOf(args, false); }},
        {"builtins.any", [](const Values& args) { return truthOf(args, true); }},
        {"builtins.bin", digits<1>},
        {"builtins.chr", character},
        {"builtins.complex", makeComplex},
        {"builtins.divmod", quotientAndRest},
        {"builtins.float", realOf},
        {"builtins.hex", digits<4>},
        {"builtins.int", integerOf},
        {"builtins.max", [](const Values& args) { return best(args, true); }},
        {"builtins.min", [](const Values& args) { return best(args, false); }},
        {"builtins.oct", digits<3>},
        {"builtins.ord", codeOf},
        {"builtins.round", rounded},
        {"builtins.sorted", sorted},
        {"builtins.sum", [](const Values& args) { return folded("add", args, number(std::int64_t{0})); }},
        {"math.acos", ofReal<std::acos>},
        {"math.acosh", ofReal<std::acosh>},
        {"math.asin", ofReal<std::asin>},
        {"math.asinh", ofReal<std::asinh>},
        {"math.atan", ofReal<std::atan>},
        {"math.atan2", ofTwoReals<std::atan2>},
        {"math.atanh", ofReal<std::atanh>},
        {"math.cbrt", ofReal<std::cbrt>},
        {"math.ceil", toInteger<std::ceil>},
        {"math.comb", choices<false>},
        {"math.copysign", ofTwoReals<std::copysign>},
        {"math.cos", ofReal<std::cos>},
        {"math.cosh", ofReal<std::cosh>},
        {"math.degrees", ofReal<degrees>},
        {"math.dist", distance},
        {"math.erf", ofReal<std::erf>},
        {"math.erfc", ofReal<std::erfc>},
        {"math.exp", ofReal<std::exp>},
        {"math.exp2", ofReal<std::exp2>},
        {"math.expm1", ofReal<std::expm1>},
        {"math.fabs", ofReal<std::fabs>},
        {"math.factorial", factorial},
        {"math.floor", toInteger<std::floor>},
        {"math.fmod", ofTwoReals<std::fmod>},
        {"math.frexp", mantissaAndExponent},
        {"math.fsum", exactSum},
        {"math.gamma", ofReal<gammaOf>},
        {"math.gcd", ofIntegers<std::gcd>},
        {"math.hypot", ofTwoReals<std::hypot>},
        {"math.isclose", isClose},
        {"math.isfinite", [](const Values& args) { return asked(args, [](double x) { return std::isfinite(x); }); }},
        {"math.isinf", [](const Values& args) { return asked(args, [](double x) { return std::isinf(x); }); }},
        {"math.isnan", [](const Values& args) { return asked(args, [](double x) { return std::isnan(x); }); }},
        {"math.isqrt", integerRoot},
        {"math.lcm", ofIntegers<std::lcm>},
        {"math.ldexp", scaled},
        {"math.lgamma", ofReal<logGammaOf>},
        {"math.log", logarithm},
        {"math.log10", ofReal<std::log10>},
        {"math.log1p", ofReal<std::log1p>},
        {"math.log2", ofReal<std::log2>},
        {"math.modf", fractionAndWhole},
        {"math.perm", choices<true>},
        {"math.pow", ofTwoReals<std::pow>},
        {"math.prod", [](const Values& args) { return folded("mul", args, number(std::int64_t{1})); }},
        {"math.radians", ofReal<radians>},
        {"math.remainder", ofTwoReals<std::remainder>},
        {"math.sin", ofReal<std::sin>},
        {"math.sinh", ofReal<std::sinh>},
        {"math.sqrt", ofReal<std::sqrt>},
        {"math.tan", ofReal<std::tan>},
        {"math.tanh", ofReal<std::tanh>},
        {"math.trunc", toInteger<std::trunc>},
    };
    return kTable;
}
} // namespace

std::optional<Values> itemsOf(const Value& value) {
    constexpr std::int64_t kMaxItems = 100'000;
    if (const auto* sequence = value.as<ValueSequence>()) return sequence->items;
    Values out;
    if (const auto* dict = value.as<ValueDict>()) {
        for (const auto& item : dict->items) out.push_back(item.first);
        return out;
    }
    const auto* argument = value.as<Argument>();
    if (const auto* range = argument ? argument->as<Range>() : nullptr; range && range->step != 0) {
        std::int64_t at = range->start;
        for (; range->step > 0 ? at < range->stop : at > range->stop;) {
            out.push_back(number(at));
            if (std::ssize(out) > kMaxItems || __builtin_add_overflow(at, range->step, &at)) return std::nullopt;
        }
        return out;
    }
    if (const auto* text = argument ? argument->as<std::string>() : nullptr) {
        for (std::size_t at = 0; at < text->size();) {
            char32_t point = 0;
            const std::size_t length = std::max<std::size_t>(1, decodeUtf8(std::string_view(*text).substr(at), point));
            out.push_back({Argument(text->substr(at, length))});
            at += length;
        }
        return out;
    }
    return std::nullopt;
}

std::optional<Value> callNumberFunction(std::string_view path, const Values& args) {
    const auto found = table().find(path);
    return found == table().end() ? std::nullopt : found->second(args);
}

} // namespace fx::trace
