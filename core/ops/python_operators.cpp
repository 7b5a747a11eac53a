// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/python_operators.h"

#include <algorithm>
#include <iterator>
#include <string>

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

/// The last row with this format: truediv for "/", not div.
std::string_view nameOf(const std::string& format) {
    const auto found =
        std::find_if(std::rbegin(kMagic), std::rend(kMagic), [&](const Format& row) { return row.text == format; });
    return found != std::rend(kMagic) ? found->name : std::string_view{};
}

} // namespace

std::string_view operatorFormat(std::string_view name) { return find(kMagic, name); }
std::string_view inPlaceOperatorFormat(std::string_view name) { return find(kInplace, name); }

std::string_view binaryOperator(std::string_view sign) { return nameOf("{} " + std::string(sign) + " {}"); }
std::string_view unaryOperator(std::string_view sign) { return nameOf(std::string(sign) + "{}"); }

} // namespace fx::ops
