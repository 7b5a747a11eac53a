// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/compile_text/value_annotation.h"

#include <algorithm>
#include <array>

namespace fx {
namespace {
struct Abbreviation {
    std::string_view shortName, dtype;
};
/// `torch.utils._dtype_abbrs`; "b8" is bool.
constexpr std::array<Abbreviation, 27> kAbbreviations = {{{"f32", "torch.float32"},
                                                          {"f64", "torch.float64"},
                                                          {"f16", "torch.float16"},
                                                          {"bf16", "torch.bfloat16"},
                                                          {"i64", "torch.int64"},
                                                          {"i32", "torch.int32"},
                                                          {"i16", "torch.int16"},
                                                          {"i8", "torch.int8"},
                                                          {"u8", "torch.uint8"},
                                                          {"u16", "torch.uint16"},
                                                          {"u32", "torch.uint32"},
                                                          {"u64", "torch.uint64"},
                                                          {"b8", "torch.bool"},
                                                          {"c32", "torch.complex32"},
                                                          {"c64", "torch.complex64"},
                                                          {"c128", "torch.complex128"},
                                                          {"f8e4m3fn", "torch.float8_e4m3fn"},
                                                          {"f8e5m2", "torch.float8_e5m2"},
                                                          {"f8e4m3fnuz", "torch.float8_e4m3fnuz"},
                                                          {"f8e5m2fnuz", "torch.float8_e5m2fnuz"},
                                                          {"f8e8m0fnu", "torch.float8_e8m0fnu"},
                                                          {"f4e2m1fnx2", "torch.float4_e2m1fn_x2"},
                                                          {"b1x8", "torch.bits1x8"},
                                                          {"b2x4", "torch.bits2x4"},
                                                          {"b4x2", "torch.bits4x2"},
                                                          {"b8x1", "torch.bits8"},
                                                          {"b16x1", "torch.bits16"}}};

/// Takes `[a, b*(c + 1)]` from the start of `text`; nullopt if it does not start with a list.
std::optional<std::vector<std::string>> takeList(std::string_view& text) {
    if (!text.starts_with('[')) return std::nullopt;
    std::vector<std::string> items;
    std::size_t depth = 0, from = 1;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '[' || c == '(') ++depth;
        const bool closes = (c == ']' || c == ')') && --depth == 0;
        if (!closes && !(c == ',' && depth == 1)) continue;
        while (from < at && text[from] == ' ') ++from;
        if (at > from) items.emplace_back(text.substr(from, at - from));
        from = at + 1;
        if (!closes) continue;
        text.remove_prefix(at + 1);
        return items;
    }
    return std::nullopt;
}
} // namespace

std::optional<ValueInfo> readAnnotation(std::string_view text) {
    ValueInfo info;
    if (text.starts_with("Sym(") && text.ends_with(')')) {
        const std::string_view expression = text.substr(4, text.size() - 5);
        info.isTensor = false;
        info.dtype = expression == "True" || expression == "False" ? "bool" : "int";
        info.sizes = {std::string(expression)};
        return info;
    }
    const auto found = [&](std::string_view rest) {
        const std::string_view name = rest.substr(0, rest.find('['));
        return std::find_if(kAbbreviations.begin(), kAbbreviations.end(),
                            [&](const Abbreviation& row) { return row.shortName == name; });
    };
    std::string_view rest = text;
    if (found(rest) == kAbbreviations.end() && rest.find('(') < rest.find('[')) // a tensor subclass
        rest = rest.substr(rest.find('(') + 1, rest.rfind(')') - rest.find('(') - 1);
    const auto dtype = found(rest);
    if (dtype == kAbbreviations.end()) return std::nullopt;
    rest.remove_prefix(dtype->shortName.size());
    auto sizes = takeList(rest);
    if (!sizes) return std::nullopt;
    info.dtype = dtype->dtype;
    info.sizes = std::move(*sizes);
    if (auto strides = takeList(rest)) info.strides = std::move(*strides);
    info.device = rest.substr(0, rest.find_first_of(", )"));
    return info;
}

} // namespace fx
