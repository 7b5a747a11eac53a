// SPDX-License-Identifier: GPL-3.0-or-later
// Python's format language, and `%` of strings.
#include "core/base/digits.h"
#include "core/base/python_text.h"
#include "core/base/utf8.h"
#include "core/python/python_interpreter.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>

namespace fx::python {
namespace {
constexpr std::size_t kMostWidth = 10000, kMostPrecision = 500;

/// [[fill]align][sign][z][#][0][width][grouping][.precision][type]
struct FormatSpec {
    std::string fill = " ";
    char align = 0, sign = '-', grouping = 0, type = 0;
    bool isAlternate = false, noNegativeZero = false, isZeroFilled = false;
    std::size_t width = 0;
    std::optional<std::size_t> precision;
    std::string of = {}; ///< the type of what is formatted
};

class SpecReader {
public:
    SpecReader(Interpreter& in, std::string_view text, std::string typeName)
        : m_in(in), m_text(text), m_typeName(std::move(typeName)) {}

    FormatSpec read() {
        FormatSpec spec;
        spec.of = m_typeName;
        readAlign(spec);
        if (isNext("+- ")) spec.sign = m_text[m_at++];
        spec.noNegativeZero = take('z');
        spec.isAlternate = take('#');
        if (take('0')) {
            spec.isZeroFilled = !spec.align;
            if (!m_hasFill) spec.fill = "0";
        }
        spec.width = number(kMostWidth);
        if (isNext(",_")) spec.grouping = m_text[m_at++];
        if (spec.grouping && isNext(",_"))
            m_in.raise("ValueError", spec.grouping == m_text[m_at] ? std::string("Cannot specify '") + spec.grouping +
                                                                         "' with '" + spec.grouping + "'."
                                                                   : "Cannot specify both ',' and '_'.");
        if (take('.')) {
            if (!isDigit()) m_in.raise("ValueError", "Format specifier missing precision");
            spec.precision = number(kMostPrecision);
        }
        if (m_at + 1 < m_text.size())
            m_in.raise("ValueError", "Invalid format specifier '" + std::string(m_text) + "' for object of type '" +
                                         m_typeName + "'");
        if (m_at < m_text.size()) spec.type = m_text[m_at];
        return spec;
    }

private:
    void readAlign(FormatSpec& spec) {
        std::size_t fill = 1; // bytes of the first character
        while (fill < m_text.size() && (static_cast<unsigned char>(m_text[fill]) & 0xC0) == 0x80) ++fill;
        const auto isAlign = [&](std::size_t at) {
            return at < m_text.size() && std::string_view("<>^=").find(m_text[at]) != std::string_view::npos;
        };
        if (isAlign(fill)) {
            spec.fill = m_text.substr(0, fill);
            m_hasFill = true;
            m_at = fill;
        } else if (!isAlign(0)) {
            return;
        }
        spec.align = m_text[m_at++];
    }
    bool isNext(std::string_view any) const {
        return m_at < m_text.size() && any.find(m_text[m_at]) != std::string_view::npos;
    }
    bool isDigit() const { return m_at < m_text.size() && std::isdigit(static_cast<unsigned char>(m_text[m_at])); }
    bool take(char wanted) {
        if (m_at >= m_text.size() || m_text[m_at] != wanted) return false;
        ++m_at;
        return true;
    }
    std::size_t number(std::size_t most) {
        std::size_t out = 0;
        for (; isDigit(); ++m_at) out = std::min(most + 1, out * 10 + static_cast<std::size_t>(m_text[m_at] - '0'));
        if (out > most) m_in.raise("ValueError", "Too many decimal digits in format string");
        return out;
    }

    Interpreter& m_in;
    std::string_view m_text;
    std::string m_typeName;
    std::size_t m_at = 0;
    bool m_hasFill = false;
};

std::string repeated(const std::string& text, std::size_t count) {
    std::string out;
    for (std::size_t i = 0; i < count; ++i) out += text;
    return out;
}

/// `head` is a sign and a prefix, behind which `=` fills.
std::string padded(const std::string& head, const std::string& body, const FormatSpec& spec, char usualAlign) {
    const std::size_t shown = characterCount(head + body);
    if (shown >= spec.width) return head + body;
    const std::size_t missing = spec.width - shown;
    switch (spec.align ? spec.align : usualAlign) {
    case '<': return head + body + repeated(spec.fill, missing);
    case '^': return repeated(spec.fill, missing / 2) + head + body + repeated(spec.fill, missing - missing / 2);
    case '=': return head + repeated(spec.fill, missing) + body;
    default: return repeated(spec.fill, missing) + head + body;
    }
}

/// Digits with a separator after each `size`, and zeros in front up to `width` characters.
std::string grouped(const std::string& digits, char separator, std::size_t size, std::size_t width) {
    std::string out;
    for (std::size_t i = 0; i < digits.size() || out.size() < width; ++i) {
        if (i && i % size == 0) out += separator;
        out += i < digits.size() ? digits[digits.size() - 1 - i] : '0';
    }
    std::reverse(out.begin(), out.end());
    return out;
}

/// A number's parts: `-`, `0x`, `255`, `.5e+3`.
struct NumberText {
    bool isNegative = false;
    std::string prefix = {}, digits = {}, rest = {};
};

std::string laidOut(const NumberText& number, const FormatSpec& spec) {
    std::string head = number.isNegative ? "-" : spec.sign == '-' ? "" : std::string(1, spec.sign);
    head += number.prefix;
    std::string digits = number.digits;
    if (spec.grouping) {
        const std::size_t taken = head.size() + number.rest.size();
        const bool fillsZeros = spec.fill == "0" && (spec.align == '=' || spec.isZeroFilled);
        const bool isBinary = spec.type && std::string_view("boxX").find(spec.type) != std::string_view::npos;
        digits =
            grouped(digits, spec.grouping, isBinary ? 4 : 3, fillsZeros && spec.width > taken ? spec.width - taken : 0);
    }
    return padded(head, digits + number.rest, spec, spec.isZeroFilled ? '=' : '>');
}

std::string printed(const char* pattern, std::size_t precision, double value) {
    char buffer[1024];
    std::snprintf(buffer, sizeof buffer, pattern, static_cast<int>(precision), value);
    return buffer;
}

std::string pythonFloat(double value) {
    std::string out;
    appendPythonFloat(out, value);
    return out;
}

/// As `g`, but with a digit after the point: what a precision without a type asks for.
std::string shortDigits(double value, std::size_t precision) {
    std::string out = printed("%.*e", precision - 1, value);
    const std::size_t mark = out.find('e');
    const int exponent = std::atoi(out.c_str() + mark + 1);
    if (exponent < -4 || exponent + 1 >= static_cast<int>(precision)) {
        std::size_t end = mark;
        if (out.find('.') != std::string::npos) {
            while (out[end - 1] == '0') --end;
            if (out[end - 1] == '.') --end;
        }
        return out.erase(end, mark - end);
    }
    out = printed("%.*g", precision, value);
    return out.find('.') == std::string::npos ? out + ".0" : out;
}

/// A float without its sign, as its type wants it.
std::string floatDigits(double value, const FormatSpec& spec) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return "inf";
    const std::size_t precision = spec.precision.value_or(6);
    switch (spec.type) {
    case 'e':
    case 'E': return printed(spec.isAlternate ? "%#.*e" : "%.*e", precision, value);
    case 'f':
    case 'F': return printed(spec.isAlternate ? "%#.*f" : "%.*f", precision, value);
    case '%': return printed(spec.isAlternate ? "%#.*f" : "%.*f", precision, value * 100);
    case 0: return spec.precision ? shortDigits(value, std::max<std::size_t>(precision, 1)) : pythonFloat(value);
    default: return printed(spec.isAlternate ? "%#.*g" : "%.*g", precision, value);
    }
}

[[noreturn]] void raiseUnknownCode(Interpreter& in, char code, std::string_view type) {
    in.raise("ValueError",
             std::string("Unknown format code '") + code + "' for object of type '" + std::string(type) + "'");
}

std::string formatFloat(Interpreter& in, double value, const FormatSpec& spec) {
    if (spec.type && std::string_view("eEfFgGn%").find(spec.type) == std::string_view::npos)
        raiseUnknownCode(in, spec.type, spec.of);
    std::string text = floatDigits(std::fabs(value), spec);
    if (spec.type == 'E' || spec.type == 'F' || spec.type == 'G')
        for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    NumberText number;
    number.isNegative = std::signbit(value) && !std::isnan(value);
    if (spec.noNegativeZero && text.find_first_of("123456789") == std::string::npos) number.isNegative = false;
    const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
    number.digits = text.substr(0, end);
    number.rest = text.substr(end) + (spec.type == '%' ? "%" : "");
    FormatSpec own = spec;
    if (number.digits.empty()) own.grouping = 0; // inf and nan
    return laidOut(number, own);
}

std::string characterOf(std::int64_t code) {
    std::string out;
    appendUtf8(out, static_cast<char32_t>(code));
    return out;
}

/// `decimal`: the number as str() shows it, of any size; `value` is set if it fits into 64 bits.
std::string formatInteger(Interpreter& in, const std::string& decimal, const std::optional<std::int64_t>& value,
                          const FormatSpec& spec) {
    const char type = spec.type ? spec.type : 'd';
    if (std::string_view("eEfFgG%").find(type) != std::string_view::npos)
        return formatFloat(in, value ? static_cast<double>(*value) : std::strtod(decimal.c_str(), nullptr), spec);
    if (std::string_view("bcdnoxX").find(type) == std::string_view::npos) raiseUnknownCode(in, type, spec.of);
    if (spec.precision) in.raise("ValueError", "Precision not allowed in integer format specifier");
    if (spec.grouping && (type == 'n' || type == 'c' || (spec.grouping == ',' && type != 'd')))
        in.raise("ValueError", std::string("Cannot specify '") + spec.grouping + "' with '" + type + "'.");
    NumberText number;
    number.isNegative = decimal.starts_with('-');
    if (type == 'c') {
        if (spec.sign != '-') in.raise("ValueError", "Sign not allowed with integer format specifier 'c'");
        if (!value || *value < 0 || *value > 0x10FFFF) in.raise("OverflowError", "%c arg not in range(0x110000)");
        return padded("", characterOf(*value), spec, '<');
    }
    if (type == 'd' || type == 'n') {
        number.digits = decimal.substr(number.isNegative ? 1 : 0);
        return laidOut(number, spec);
    }
    if (!value) throw trace::CannotFollow(Message("trace.long_number"));
    const auto bits = static_cast<std::uint64_t>(*value);
    number.digits = digitsOf(number.isNegative ? 0 - bits : bits, type == 'b' ? 1 : type == 'o' ? 3 : 4);
    if (type == 'X')
        for (char& c : number.digits) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    if (spec.isAlternate) number.prefix = {'0', type};
    return laidOut(number, spec);
}

std::string firstCharacters(const std::string& text, std::size_t count) {
    std::size_t end = 0;
    for (std::size_t met = 0; end < text.size(); ++end)
        if ((static_cast<unsigned char>(text[end]) & 0xC0) != 0x80 && met++ == count) break;
    return text.substr(0, end);
}

std::string formatText(Interpreter& in, const std::string& text, const FormatSpec& spec) {
    if (spec.type && spec.type != 's') raiseUnknownCode(in, spec.type, spec.of);
    if (spec.sign != '-') in.raise("ValueError", "Sign not allowed in string format specifier");
    if (spec.isAlternate) in.raise("ValueError", "Alternate form (#) not allowed in string format specifier");
    if (spec.align == '=') in.raise("ValueError", "'=' alignment not allowed in string format specifier");
    if (spec.grouping) in.raise("ValueError", std::string("Cannot specify '") + spec.grouping + "' with 's'.");
    return padded("", spec.precision ? firstCharacters(text, *spec.precision) : text, spec, '<');
}

bool isBigInteger(const Value& value) {
    const auto* traced = value.as<Traced>();
    const auto* argument = traced ? traced->value.as<Argument>() : nullptr;
    return argument && argument->as<BigInt>();
}
} // namespace

/// `format(value, spec)`
std::string Representation::format(const Value& given, std::string_view spec) {
    Value value = given;
    bool isShown = false; // its text is formatted
    if (auto* instance = given.as<Instance>()) {
        if (const Value own = specialMethod(given, "__format__"); own.isSet())
            return str(call(own, {text(std::string(spec))}));
        const bool isNumber = plain(given).isNumber() && !specialMethod(given, "__str__").isSet();
        isShown = instance->type->isEnum && !instance->type->derivesFrom(builtinClass("int"));
        if (isShown) value = text(str(given));
        else if (spec.empty() && !isNumber) return str(given);
        else value = plain(given);
    }
    if (spec.empty()) return str(value);
    if (tensorIn(value))
        if (const Value number = m_in.tensors().numberOf(value); number.isSet()) value = number;
    const std::string typeName = this->typeName(isShown ? value : given);
    if (value.isNumber() || value.as<Str>() || isBigInteger(value)) {
        const FormatSpec wanted = SpecReader(m_in, spec, typeName).read();
        if (value.as<Str>()) return formatText(m_in, value.get<Str>().text, wanted);
        if (value.kind == Value::Kind::Float) return formatFloat(m_in, value.real, wanted);
        if (!value.isInt()) return formatInteger(m_in, str(value), std::nullopt, wanted);
        return formatInteger(m_in, std::to_string(value.asInt()), value.asInt(), wanted);
    }
    if (const auto* opaque = value.as<Opaque>()) throw trace::CannotFollow(unknownImport(*opaque));
    if (value.as<Traced>() && !isProxy(value))
        throw trace::CannotFollow(Message("trace.not_computed", {{"function", typeName + ".__format__"}}));
    raise("TypeError", "unsupported format string passed to " + typeName + ".__format__");
}

namespace {
/// Follows one text with `%`.
class PercentFormat {
public:
    PercentFormat(Interpreter& in, const std::string& text, const Value& given)
        : m_in(in), m_text(text), m_source(given), m_given(plain(given)) {
        const auto* object = given.as<Instance>();
        m_isMapping = isProxy(given) || m_given.as<fx::python::Dict>() || m_given.as<List>() ||
                      m_given.as<RangeObject>() ||
                      (object && !m_given.as<Str>() && !m_given.as<Tuple>() && object->type->find("__getitem__"));
        if (const auto* tuple = m_given.as<Tuple>()) m_values = tuple->items;
        else m_values = {given};
    }

    std::string run() {
        std::string out;
        while (m_at < m_text.size()) {
            if (m_text[m_at] != '%') {
                out += m_text[m_at++];
                continue;
            }
            ++m_at;
            out += field();
        }
        if (m_next < m_values.size() && !m_isMapping)
            m_in.raise("TypeError", "not all arguments converted during string formatting");
        return out;
    }

private:
    std::string field() {
        std::optional<Value> named;
        if (m_at < m_text.size() && m_text[m_at] == '(') {
            const std::size_t close = m_text.find(')', m_at);
            if (close == std::string::npos) m_in.raise("ValueError", "incomplete format key");
            if (!m_isMapping) m_in.raise("TypeError", "format requires a mapping");
            named = m_in.item(m_source, m_in.text(m_text.substr(m_at + 1, close - m_at - 1)));
            m_at = close + 1;
        }
        FormatSpec spec;
        for (; m_at < m_text.size(); ++m_at) {
            const char flag = m_text[m_at];
            if (flag == '-') spec.align = '<';
            else if (flag == '+') spec.sign = '+';
            else if (flag == ' ') spec.sign = spec.sign == '+' ? '+' : ' ';
            else if (flag == '#') spec.isAlternate = true;
            else if (flag == '0') spec.isZeroFilled = true;
            else break;
        }
        if (const auto width = count()) {
            if (*width < 0) spec.align = '<';
            spec.width = static_cast<std::size_t>(std::min<std::int64_t>(std::abs(*width), kMostWidth));
        }
        if (m_at < m_text.size() && m_text[m_at] == '.') {
            ++m_at;
            spec.precision = static_cast<std::size_t>(std::clamp<std::int64_t>(count().value_or(0), 0, kMostPrecision));
        }
        while (m_at < m_text.size() && std::string_view("hlL").find(m_text[m_at]) != std::string_view::npos) ++m_at;
        if (m_at >= m_text.size()) m_in.raise("ValueError", "incomplete format");
        const char kind = m_text[m_at++];
        if (kind == '%') return "%";
        return shown(kind, named ? *named : next(), spec);
    }
    std::optional<std::int64_t> count() {
        if (m_at < m_text.size() && m_text[m_at] == '*') {
            ++m_at;
            return next().asInt();
        }
        std::optional<std::int64_t> out;
        for (; m_at < m_text.size() && std::isdigit(static_cast<unsigned char>(m_text[m_at])); ++m_at)
            out = std::min<std::int64_t>(kMostWidth, out.value_or(0) * 10 + (m_text[m_at] - '0'));
        return out;
    }
    Value next() {
        if (m_next >= m_values.size()) m_in.raise("TypeError", "not enough arguments for format string");
        return m_values[m_next++];
    }
    std::string shown(char kind, const Value& given, FormatSpec spec) {
        if (kind == 's' || kind == 'r' || kind == 'a') {
            spec.align = spec.align ? spec.align : '>';
            spec.sign = '-';
            spec.isAlternate = false;
            return formatText(m_in,
                              kind == 's'   ? m_in.str(given)
                              : kind == 'a' ? m_in.str(m_in.call(*m_in.builtin("ascii"), {given}))
                                            : m_in.repr(given),
                              spec);
        }
        Value value = plain(given);
        if (tensorIn(value)) value = m_in.call(*m_in.builtin("float"), {value});
        if (spec.isZeroFilled && !spec.align) spec.fill = "0";
        if (spec.align) spec.isZeroFilled = false;
        if (kind == 'c') {
            if (value.as<Str>() && m_in.length(value).asInt() == 1) return padded("", value.get<Str>().text, spec, '>');
            if (!value.isInt()) m_in.raise("TypeError", "%c requires int or char");
            spec.type = 'c';
            spec.align = spec.align ? spec.align : '>';
            return formatInteger(m_in, std::to_string(value.asInt()), value.asInt(), spec);
        }
        const bool wantsInteger = std::string_view("diuoxX").find(kind) != std::string_view::npos;
        if (!wantsInteger && std::string_view("eEfFgG").find(kind) == std::string_view::npos)
            m_in.raise("ValueError", std::string("unsupported format character '") + kind + "' (0x" +
                                         digitsOf(static_cast<unsigned char>(kind), 4) + ") at index " +
                                         std::to_string(m_at - 1));
        spec.type = kind == 'i' || kind == 'u' ? 'd' : kind;
        if (!value.isNumber() && !isBigInteger(value))
            m_in.raise("TypeError", wantsInteger ? std::string("%") + kind +
                                                       " format: a real number is required, not " + m_in.typeName(value)
                                                 : "must be real number, not " + m_in.typeName(value));
        if (!wantsInteger && value.isNumber()) return formatFloat(m_in, value.asReal(), spec);
        if (value.kind == Value::Kind::Float) {
            if (kind != 'd' && kind != 'i' && kind != 'u')
                m_in.raise("TypeError", std::string("%") + kind + " format: an integer is required, not float");
            value = m_in.call(*m_in.builtin("int"), {value});
        }
        return integer(value, spec);
    }
    /// A precision is the least count of digits.
    std::string integer(const Value& value, FormatSpec spec) {
        const auto digits = std::exchange(spec.precision, std::nullopt);
        const auto known = value.isInt() ? std::optional(value.asInt()) : std::nullopt;
        std::string decimal = value.isInt() ? std::to_string(value.asInt()) : m_in.str(value);
        if (digits && spec.type == 'd') {
            const std::size_t sign = decimal.starts_with('-') ? 1 : 0;
            if (decimal.size() - sign < *digits) decimal.insert(sign, *digits - (decimal.size() - sign), '0');
        }
        return formatInteger(m_in, decimal, known, spec);
    }

    Interpreter& m_in;
    const std::string& m_text;
    const Value m_source;
    const Value m_given; ///< without the class of the program
    bool m_isMapping = false;
    Values m_values;
    std::size_t m_at = 0, m_next = 0;
};
} // namespace

/// `text % given`
std::string Representation::percentFormat(const std::string& text, const Value& given) {
    return PercentFormat(m_in, text, given).run();
}

} // namespace fx::python
