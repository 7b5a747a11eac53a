// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/parameter_list.h"

#include <algorithm>
#include <cctype>

namespace fx::ops {
namespace {

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(' ');
    if (first == text.npos) return {};
    return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// The place of the `=` that ends a leading identifier, or npos.
std::size_t assignment(std::string_view text) {
    const auto isWord = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    const auto end = std::find_if_not(text.begin(), text.end(), isWord);
    return end != text.begin() && end != text.end() && *end == '=' ? static_cast<std::size_t>(end - text.begin())
                                                                   : text.npos;
}

} // namespace

std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
    std::vector<std::string_view> parts;
    if (text.empty()) return parts;
    for (std::size_t end; (end = text.find(separator)) != text.npos; text.remove_prefix(end + separator.size()))
        parts.push_back(text.substr(0, end));
    parts.push_back(text);
    return parts;
}

std::vector<std::string_view> splitTopLevel(std::string_view text) {
    std::vector<std::string_view> parts;
    int depth = 0;
    char quote = 0;
    std::size_t start = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quote != 0) {
            if (c == '\\') ++i;
            else if (c == quote) quote = 0;
        } else if (c == '\'' || c == '"') {
            quote = c;
        } else if (c == '(' || c == '[' || c == '{' || c == '<') {
            ++depth;
        } else if ((c == ')' || c == ']' || c == '}' || c == '>') && depth > 0) {
            --depth;
        } else if (c == ',' && depth == 0) {
            parts.push_back(trimmed(text.substr(start, i - start)));
            start = i + 1;
        }
    }
    if (const std::string_view last = trimmed(text.substr(std::min(start, text.size()))); !last.empty())
        parts.push_back(last);
    return parts;
}

std::vector<Parameter> parseParameters(std::string_view text) {
    std::vector<Parameter> parameters;
    Parameter::Kind kind = Parameter::Kind::PositionalOrKeyword;
    for (std::string_view part : splitTopLevel(text)) {
        Parameter parameter;
        parameter.kind = kind;
        if (part == "/") {
            for (Parameter& earlier : parameters) earlier.kind = Parameter::Kind::PositionalOnly;
            continue;
        }
        if (part.starts_with("**")) {
            parameter.kind = Parameter::Kind::VarKeyword;
            part.remove_prefix(2);
        } else if (part.starts_with("*")) {
            kind = Parameter::Kind::KeywordOnly;
            parameter.kind = Parameter::Kind::VarPositional;
            part.remove_prefix(1);
            if (part.empty()) continue;
        }
        const std::size_t equals = assignment(part);
        parameter.name = part.substr(0, equals);
        if (equals != part.npos) parameter.defaultValue = part.substr(equals + 1);
        parameters.push_back(parameter);
    }
    return parameters;
}

std::vector<CallArgument> parseCallArguments(std::string_view text) {
    std::vector<CallArgument> arguments;
    for (std::string_view part : splitTopLevel(text)) {
        CallArgument argument;
        const std::size_t equals = assignment(part);
        if (equals != part.npos) argument.keyword = part.substr(0, equals);
        argument.starred = part.starts_with("*");
        argument.expression = argument.starred ? part.substr(1) : equals != part.npos ? part.substr(equals + 1) : part;
        arguments.push_back(argument);
    }
    return arguments;
}

} // namespace fx::ops
