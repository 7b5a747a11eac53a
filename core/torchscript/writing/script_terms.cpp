// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/torchscript/writing/script_terms.h"

#include "core/base/listed.h"
#include "core/base/python_text.h"
#include "core/diag/error.h"
#include "core/ops/catalogue.h"
#include "core/torchscript/folding.h"
#include "core/torchscript/writing/script_compositions.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace fx::script {
namespace {

std::string realTerm(double value) {
    if (std::isnan(value)) return "float(\"nan\")";
    if (std::isinf(value)) return value > 0 ? "float(\"inf\")" : "float(\"-inf\")";
    std::string out;
    appendPythonFloat(out, value);
    return out;
}

/// The numbers that TorchScript has for dtypes, layouts and memory formats.
std::optional<std::string> numberOf(const Argument& constant) {
    for (std::int64_t number = 0; number < 40; ++number)
        if (constant == dtypeNumbered(number) || constant == layoutNumbered(number) ||
            constant == memoryFormatNumbered(number))
            return std::to_string(number);
    return std::nullopt;
}

std::string listOf(const Terms& terms) {
    std::string out = joined(terms.positional);
    for (const auto& [name, term] : terms.named) out += (out.empty() ? "" : ", ") + name + "=" + term;
    return out;
}

} // namespace

std::string quotedTerm(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        if (c == '\n') out += "\\n";
        else out += c;
    }
    return out + "\"";
}

bool isIntegerTerm(std::string_view text) {
    if (!text.empty() && text.front() == '-') text.remove_prefix(1);
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string literalTerm(const Argument& value, const std::function<std::string(NodeId)>& node) {
    const auto items = [&](const std::vector<Argument>& all) {
        std::string out;
        for (const Argument& item : all) out += (&item == &all.front() ? "" : ", ") + literalTerm(item, node);
        return out;
    };
    if (value.isNone()) return "None";
    if (value.isNode()) return node(value.node());
    if (const auto* flag = value.as<bool>()) return *flag ? "True" : "False";
    if (const auto* number = value.as<std::int64_t>()) return std::to_string(*number);
    if (const auto* real = value.as<double>()) return realTerm(*real);
    if (const auto* complex = value.as<Complex>())
        return "complex(" + realTerm(complex->re) + ", " + realTerm(complex->im) + ")";
    if (const auto* text = value.as<std::string>()) return quotedTerm(*text);
    if (const auto* device = value.as<Device>())
        return "torch.device(\"" + device->type + (device->index >= 0 ? ":" + std::to_string(device->index) : "") +
               "\")";
    if (value.as<TorchConstant>())
        if (const auto number = numberOf(value)) return *number;
    if (const Sequence* list = value.asList())
        return list->items.empty() ? "annotate(List[int], [])" : "[" + items(list->items) + "]";
    if (const Sequence* tuple = value.asTuple())
        return "(" + items(tuple->items) + (tuple->items.size() == 1 ? ",)" : ")");
    if (const auto* dict = value.as<Dict>()) {
        std::string out;
        for (const auto& [key, item] : dict->items)
            out += (out.empty() ? "" : ", ") + literalTerm(key, node) + ": " + literalTerm(item, node);
        return "{" + out + "}";
    }
    throw Error(ErrorKind::Refused, Message("script.no_literal"));
}

std::string operatorTerm(const std::string& function, std::string_view kind, Terms terms) {
    const std::vector<ops::Operator> known = ops::overloads(kind);
    const auto isReal = [&](auto hasName, std::size_t place) {
        return !known.empty() && std::all_of(known.begin(), known.end(), [&](const ops::Operator& one) {
            for (std::size_t i = 0; i < one.arguments().size(); ++i)
                if (hasName(one.arguments()[i], i, place)) return one.arguments()[i].type().starts_with("float");
            return false;
        });
    };
    for (std::size_t i = 0; i < terms.positional.size(); ++i)
        if (isIntegerTerm(terms.positional[i]) &&
            isReal([](const auto&, std::size_t at, std::size_t place) { return at == place; }, i))
            terms.positional[i] += ".0";
    for (auto& [name, term] : terms.named)
        if (isIntegerTerm(term) &&
            isReal([&name = name](const auto& argument, std::size_t, std::size_t) { return argument.name() == name; },
                   0))
            term += ".0";
    return function + "(" + listOf(terms) + ")";
}

} // namespace fx::script
