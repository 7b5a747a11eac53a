// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/catalogue.h"
#include "core/ops/compositions.h"
#include "core/ops/python_functions.h"
#include "core/torchscript/writing/script_compositions.h"
#include "core/torchscript/writing/script_ranks.h"
#include "core/torchscript/writing/script_terms.h"

#include <algorithm>
#include <optional>

namespace fx::script {
namespace {

constexpr int kMostExpansions = 6;

bool isTrue(const Names& names, std::string_view name) {
    const auto found = names.find(name);
    return found != names.end() && found->second == "True";
}

/// Functions of torch.nn.functional that are more than one call in Python, for the arguments with which they are one.
/// core/engine/function_forms has them for all arguments, with PyTorch's steps to the bit; a script cannot ask for
/// types and most sizes before it runs.
const char* formOf(std::string_view name, const Names& names) {
    const auto is = [&](const char* key, std::string_view value) {
        const auto found = names.find(key);
        return found != names.end() && found->second == value;
    };
    // In patterns; `rankedTerm` writes the rest.
    if (name == "softmax" && !is("dim", "None")) return "torch.softmax(input, dim, dtype)";
    if (name == "log_softmax" && !is("dim", "None")) return "torch.log_softmax(input, dim, dtype)";
    if (name == "adaptive_avg_pool2d") return "torch.adaptive_avg_pool2d(input, output_size)";
    if (name == "adaptive_avg_pool3d") return "torch.adaptive_avg_pool3d(input, output_size)";
    if (name == "adaptive_max_pool2d_with_indices") return "torch.adaptive_max_pool2d(input, output_size)";
    if (name == "adaptive_max_pool3d_with_indices") return "torch.adaptive_max_pool3d(input, output_size)";
    if (name == "embedding" && is("max_norm", "None"))
        return "torch.embedding(weight, input, padding_idx, scale_grad_by_freq, sparse)";
    const bool unweighted = is("weight", "None");
    if (name == "mse_loss" && unweighted) return "torch.mse_loss(input, target, @reduction)";
    if (name == "l1_loss" && unweighted) return "torch.l1_loss(input, target, @reduction)";
    if (name == "smooth_l1_loss") return "torch.smooth_l1_loss(input, target, @reduction, beta)";
    if (name == "huber_loss" && unweighted) return "torch.huber_loss(input, target, @reduction, delta)";
    if (name == "binary_cross_entropy" && unweighted)
        return "torch.binary_cross_entropy(input, target, None, @reduction)";
    if (name == "softsign") return "torch.div(input, torch.abs(input) + 1)";
    if (name == "tanhshrink") return "torch.sub(input, torch.tanh(input))";
    return nullptr;
}

/// Python's literal of a default as a script's.
std::string defaultTerm(std::string_view text) {
    if (text.size() >= 2 && text.front() == '\'') return quotedTerm(std::string(text.substr(1, text.size() - 2)));
    return std::string(text);
}

/// The parameters of a Python function with the terms that a call gives; nullopt if they do not fit.
std::optional<Names> bound(const ops::PythonFunction& function, const Terms& terms) {
    Names out;
    std::size_t position = 0, named = 0;
    for (const ops::Parameter& parameter : function.parameters()) {
        using Kind = ops::Parameter::Kind;
        if (parameter.kind == Kind::VarPositional || parameter.kind == Kind::VarKeyword) return std::nullopt;
        const auto given = std::find_if(terms.named.begin(), terms.named.end(),
                                        [&](const auto& one) { return one.first == parameter.name; });
        if (parameter.kind != Kind::KeywordOnly && position < terms.positional.size())
            out[std::string(parameter.name)] = terms.positional[position++];
        else if (given != terms.named.end()) ++named, out[std::string(parameter.name)] = given->second;
        else if (!parameter.defaultValue.empty())
            out[std::string(parameter.name)] = defaultTerm(parameter.defaultValue);
        else return std::nullopt;
    }
    return position == terms.positional.size() && named == terms.named.size() ? std::optional(out) : std::nullopt;
}

} // namespace

void adjustNames(std::string_view name, Names& names) {
    if (names.contains("padding_idx") && names["padding_idx"] == "None") names["padding_idx"] = "-1";
    if (name.find("pool") != name.npos && names.contains("stride") && names["stride"] == "None")
        names["stride"] = "annotate(List[int], [])";
}

namespace {

std::string call(std::string_view qualifiedName, Terms terms, int depth);

std::string ofFunctional(std::string_view qualifiedName, const Terms& terms, int depth) {
    const std::string_view name = qualifiedName.substr(std::string_view("torch.nn.functional.").size());
    const auto function = ops::findFunction(qualifiedName);
    auto names = function ? bound(*function, terms) : std::nullopt;
    if (!names) return {};
    const bool isPattern = // of layers that are recognised in scripts: `{output_size}` stands for any
        std::any_of(names->begin(), names->end(), [](const auto& each) { return each.second.starts_with('{'); });
    if (!isPattern)
        if (auto ranked = rankedTerm(name, *names)) return std::move(*ranked);
    adjustNames(name, *names);
    const char* composition = ops::functionComposition(name);
    if (!composition) composition = formOf(name, *names);
    if (composition) return expandedComposition(composition, *names, depth + 1);
    if (function->behaviour() != ops::PythonFunction::Behaviour::Select) return {};
    const auto branches = function->branches(); // `return_indices`
    return call(isTrue(*names, branches.name) ? branches.ifTrue : branches.ifFalse, terms, depth + 1);
}

std::string call(std::string_view qualifiedName, Terms terms, int depth) {
    if (depth > kMostExpansions) return {};
    if (qualifiedName.starts_with("torch.nn.functional.")) return ofFunctional(qualifiedName, terms, depth);
    std::string name(qualifiedName);
    for (const std::string_view prefix : {"torch._C._nn.", "torch.functional.", "torch.special.", "torch."})
        if (name.starts_with(prefix)) {
            name = name.substr(prefix.size());
            if (prefix == "torch.special.") name = "special_" + name;
            break;
        }
    const std::string kind = "aten::" + name;
    if (name.find('.') != name.npos || ops::overloads(kind).empty()) return {};
    // Python's functions call the first argument `input`, schemas `self`.
    for (auto& [key, term] : terms.named)
        if (key == "input") key = "self";
    return operatorTerm("torch." + name, kind, std::move(terms));
}

} // namespace

std::string expandedComposition(std::string_view composition, const Names& names, int depth) {
    const std::size_t open = composition.find('('), close = composition.rfind(')');
    std::string function(composition.substr(0, open));
    if (function.back() == '!') {
        function.pop_back();
        if (isTrue(names, "inplace")) function += '_';
    }
    const std::string rest(composition.substr(close + 1)); // `[0]`
    const auto termOf = [&](std::string_view word) -> std::optional<std::string> {
        if (const auto found = names.find(word); found != names.end()) return found->second;
        if (word == "@reduction") {
            const auto how = names.find("reduction");
            if (how == names.end()) return std::nullopt;
            return how->second == "\"none\"" ? "0" : how->second == "\"mean\"" ? "1" : "2";
        }
        const std::size_t inner = word.find('('); // `torch.abs(input) + 1`
        if (inner != word.npos && word.front() != '(') {
            const std::size_t end = word.find(')', inner);
            const auto argument = names.find(word.substr(inner + 1, end - inner - 1));
            if (argument == names.end()) return std::nullopt;
            return std::string(word.substr(0, inner + 1)) + argument->second + std::string(word.substr(end));
        }
        return defaultTerm(word);
    };
    Terms terms;
    for (const ops::CallArgument& argument : ops::parseCallArguments(composition.substr(open + 1, close - open - 1))) {
        const auto term = argument.starred ? std::nullopt : termOf(argument.expression);
        if (!term) return {};
        if (argument.keyword.empty()) terms.positional.push_back(*term);
        else terms.named.emplace_back(argument.keyword, *term);
    }
    const std::string out = call(function, std::move(terms), depth);
    return out.empty() ? out : out + rest;
}

std::string functionTerm(std::string_view qualifiedName, Terms terms) {
    return call(qualifiedName, std::move(terms), 0);
}

} // namespace fx::script
