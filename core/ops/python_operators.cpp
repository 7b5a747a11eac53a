// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/python_operators.h"

#include <algorithm>
#include <iterator>

namespace fx::ops {
namespace {

struct Format {
    std::string_view name;
    std::string_view text;
};
/// Sorted by name.
constexpr Format kMagic[] = {
    {"add", "{} + {}"},     {"and_", "{} & {}"},   {"div", "{} / {}"},     {"eq", "{} == {}"}, {"floordiv", "{} // {}"},
    {"ge", "{} >= {}"},     {"getitem", "{}[{}]"}, {"gt", "{} > {}"},      {"invert", "~{}"},  {"le", "{} <= {}"},
    {"lshift", "{} << {}"}, {"lt", "{} < {}"},     {"matmul", "{} @ {}"},  {"mod", "{} % {}"}, {"mul", "{} * {}"},
    {"ne", "{} != {}"},     {"neg", "-{}"},        {"or_", "{} | {}"},     {"pos", "+{}"},     {"pow", "{} ** {}"},
    {"rshift", "{} >> {}"}, {"sub", "{} - {}"},    {"truediv", "{} / {}"}, {"xor", "{} ^ {}"},
};
/// Sorted by name.
constexpr Format kInplace[] = {
    {"iadd", "{} += {}"},    {"iand", "{} &= {}"},       {"ifloordiv", "{} //= {}"}, {"ilshift", "{} <<= {}"},
    {"imatmul", "{} @= {}"}, {"imod", "{} %= {}"},       {"imul", "{} *= {}"},       {"ior", "{} |= {}"},
    {"ipow", "{} **= {}"},   {"irshift", "{} >>= {}"},   {"isub", "{} -= {}"},       {"itruediv", "{} /= {}"},
    {"ixor", "{} ^= {}"},    {"setitem", "{}[{}] = {}"},
};

template<std::size_t N> std::string_view find(const Format (&table)[N], std::string_view name) {
    const auto found = std::lower_bound(std::begin(table), std::end(table), name,
                                        [](const Format& row, std::string_view key) { return row.name < key; });
    return found != std::end(table) && found->name == name ? found->text : std::string_view{};
}

/// Sorted by name.
constexpr Format kInPlaceMethods[] = {
    {"add", "add_"},           {"and_", "__iand__"},  {"floordiv", "floor_divide_"},
    {"lshift", "__ilshift__"}, {"mod", "remainder_"}, {"mul", "mul_"},
    {"or_", "__ior__"},        {"pow", "pow_"},       {"rshift", "__irshift__"},
    {"sub", "sub_"},           {"truediv", "div_"},   {"xor", "__ixor__"},
};

constexpr std::string_view kOperand = "{}";

/// The text between the operands of a binary operator; empty for others.
std::string_view signIn(std::string_view format) {
    constexpr std::size_t kAround = 3; // `{} ` and ` {}`
    const bool isBinary = format.starts_with("{} ") && format.ends_with(" {}");
    return isBinary ? format.substr(kAround, format.size() - 2 * kAround) : std::string_view{};
}

/// The last row for which `has` holds: truediv for "/", not div.
template<class Has> std::string_view lastName(Has has) {
    const auto found = std::find_if(std::rbegin(kMagic), std::rend(kMagic), has);
    return found != std::rend(kMagic) ? found->name : std::string_view{};
}

} // namespace

std::string_view operatorFormat(std::string_view name) { return find(kMagic, name); }
std::string_view inPlaceOperatorFormat(std::string_view name) { return find(kInplace, name); }

std::string_view operatorSign(std::string_view name) { return signIn(operatorFormat(name)); }
std::string_view binaryOperator(std::string_view sign) {
    return sign.empty() ? sign : lastName([&](const Format& row) { return signIn(row.text) == sign; });
}
std::string_view unaryOperator(std::string_view sign) {
    return lastName([&](const Format& row) {
        return row.text.ends_with(kOperand) && row.text.substr(0, row.text.size() - kOperand.size()) == sign;
    });
}
std::string_view inPlaceMethod(std::string_view name) { return find(kInPlaceMethods, name); }
std::string_view augmentedOperator(std::string_view name) {
    if (!name.starts_with('i') || inPlaceOperatorFormat(name).empty()) return {};
    name.remove_prefix(1);
    const auto found = std::find_if(std::begin(kInPlaceMethods), std::end(kInPlaceMethods), [&](const Format& row) {
        return row.name == name || (row.name.ends_with('_') && row.name.substr(0, row.name.size() - 1) == name);
    });
    return found == std::end(kInPlaceMethods) ? std::string_view{} : found->name;
}
std::string_view methodOperator(std::string_view method) {
    if (!method.starts_with("__") || !method.ends_with("__") || method.size() < 5 || method == "__div__") return {};
    const std::string_view name = method.substr(2, method.size() - 4);
    if (name == "abs") return name; // of the module operator, without a sign
    return lastName([&](const Format& row) {
        return row.name.ends_with('_') ? row.name.substr(0, row.name.size() - 1) == name : row.name == name;
    });
}

} // namespace fx::ops
