// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/value_symbols.h"

#include "core/base/plain_number.h"
#include "core/base/size_expression.h"

namespace fx {
namespace {

/// The value of an expression; True and False are 1 and 0.
std::optional<std::int64_t> valueOf(const SizeExpression& expression, const SymbolNumbers& numbers) {
    return expression.value([&](std::string_view symbol) -> std::optional<std::int64_t> {
        if (symbol == "True" || symbol == "False") return symbol == "True";
        const auto found = numbers.find(symbol);
        return found == numbers.end() ? std::nullopt : std::optional(found->second);
    });
}

/// The numbers of all samples at one place.
SizeFit::Values column(const std::vector<const ValueInfo*>& each, std::vector<std::string> ValueInfo::*texts,
                       std::size_t place) {
    SizeFit::Values out;
    for (const ValueInfo* info : each) out.push_back(plainNumber((info->*texts)[place]).value_or(-1));
    return out;
}

std::vector<SizeFit::Values> columns(const std::vector<const ValueInfo*>& each,
                                     std::vector<std::string> ValueInfo::*texts) {
    std::vector<SizeFit::Values> out;
    for (std::size_t i = 0; i < (each.front()->*texts).size(); ++i) out.push_back(column(each, texts, i));
    return out;
}

} // namespace

std::optional<ValueInfo> withNumbers(const ValueInfo& info, const SymbolNumbers& numbers) {
    ValueInfo out = info;
    if (!info.isTensor && info.dtype == "float")
        return plainNumber<double>(info.sizes.front()) ? std::optional(out) : std::nullopt;
    for (auto* texts : {&out.sizes, &out.strides})
        for (std::string& text : *texts) {
            const auto expression = SizeExpression::parse(text);
            const auto number = expression ? valueOf(*expression, numbers) : std::nullopt;
            if (!number) return std::nullopt;
            text = !info.isTensor && info.dtype == "bool" ? (*number ? "True" : "False") : std::to_string(*number);
        }
    return out;
}

SizeFit::Values numbersOf(const std::string& text, const std::vector<SymbolNumbers>& samples) {
    const auto expression = SizeExpression::parse(text);
    if (!expression) return {};
    SizeFit::Values out;
    for (const SymbolNumbers& sample : samples) {
        const auto number = valueOf(*expression, sample);
        if (!number) return {};
        out.push_back(*number);
    }
    return out;
}

bool fitInfo(ValueInfo& info, const std::vector<const ValueInfo*>& each, SizeFit& fit, const ValueInfo& before,
             const std::vector<SymbolNumbers>& samples) {
    if (!info.isTensor && info.dtype != "int") {
        if (before.dtype != info.dtype || before.sizes.size() != 1) return false;
        info.sizes = before.sizes; // a truth of symbols: asserted, or unknown
        for (std::size_t i = 0; i < each.size(); ++i)
            if (const auto value = withNumbers(before, samples[i]); !value || value->sizes != each[i]->sizes)
                return false;
        return true;
    }
    const auto kept = [&](std::vector<std::string> ValueInfo::*texts, std::size_t place,
                          const SizeFit::Values& values) {
        const bool fits = (before.*texts).size() == (info.*texts).size();
        return fits && numbersOf((before.*texts)[place], samples) == values ? (before.*texts)[place] : std::string();
    };
    const auto sizes = columns(each, &ValueInfo::sizes), strides = columns(each, &ValueInfo::strides);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const std::string likely = kept(&ValueInfo::sizes, i, sizes[i]);
        const auto text = likely.empty() ? fit.fit(sizes[i]) : std::optional(likely);
        if (!text) return false;
        info.sizes[i] = *text;
    }
    for (std::size_t i = 0; i < strides.size(); ++i) {
        const std::string likely = kept(&ValueInfo::strides, i, strides[i]);
        const auto text = likely.empty() ? fit.fitStride(i, sizes, info.sizes, strides) : std::optional(likely);
        if (!text) return false;
        info.strides[i] = *text;
    }
    return true;
}

} // namespace fx
