// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/catalogue.h"

#include <algorithm>
#include <cctype>
#include <span>
#include <utility>

namespace fx::ops {
namespace {

#include "core/ops/operator_table.inc"

constexpr std::string_view textOf(Text text) { return {kText + text.offset, text.size}; }

/// A name in any spelling, as the table has it.
struct Name {
    std::string full; ///< `aten::add`
    std::string_view overload;
};

Name split(std::string_view text) {
    constexpr std::string_view kPrefix = "torch.ops.";
    if (text.starts_with(kPrefix)) text.remove_prefix(kPrefix.size());
    const std::size_t colons = text.find("::");
    const std::size_t end = std::min(colons, text.find('.'));
    if (end == text.npos) return {};
    const std::string_view rest = text.substr(end + (end == colons ? 2 : 1));
    const std::size_t dot = rest.find('.');
    Name name{std::string(text.substr(0, end)).append("::").append(rest.substr(0, dot)), {}};
    if (dot != rest.npos && rest.substr(dot + 1) != "default") name.overload = rest.substr(dot + 1);
    return name;
}

/// The overloads of a name, sorted by overload.
std::span<const OperatorRow> rowsOf(const Name& name) {
    const auto nameOf = [](const OperatorRow& row) { return textOf(row.name); };
    const std::span<const OperatorRow> all = kOperators;
    const auto first = std::ranges::lower_bound(all, std::string_view(name.full), {}, nameOf);
    const auto last = std::ranges::upper_bound(first, all.end(), std::string_view(name.full), {}, nameOf);
    return {first, last};
}

std::string lowered(std::string_view text) {
    std::string result(text);
    for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return result;
}

std::vector<std::string> words(std::string_view text) {
    std::vector<std::string> result(1);
    for (const char c : lowered(text)) {
        if (c != ' ') result.back() += c;
        else if (!result.back().empty()) result.emplace_back();
    }
    if (result.back().empty()) result.pop_back();
    return result;
}

/// 0 for the best; nothing when some word is missing.
std::optional<int> rank(const Operator& op, const std::vector<std::string>& wanted) {
    const std::string whole = lowered(op.qualifiedName());
    for (const std::string& word : wanted)
        if (whole.find(word) == whole.npos) return std::nullopt;
    const std::string base = lowered(op.baseName());
    return base == wanted.front() ? 0 : base.starts_with(wanted.front()) ? 1 : 2;
}

void appendArguments(std::string& text, ArgumentRange arguments) {
    bool keywordOnly = false;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const Argument argument = arguments[i];
        if (i != 0) text += ", ";
        if (argument.isKeywordOnly() && !std::exchange(keywordOnly, true)) text += "*, ";
        text += argument.type();
        if (!argument.name().empty()) text.append(" ").append(argument.name());
        if (argument.hasDefault()) text.append("=").append(argument.defaultValue());
    }
}

} // namespace

std::string_view Argument::name() const { return textOf(m_row->name); }
std::string_view Argument::type() const { return textOf(m_row->type); }
std::string_view Argument::defaultValue() const { return textOf(m_row->defaultValue); }

std::string_view Operator::name() const { return textOf(m_row->name); }
std::string_view Operator::overload() const { return textOf(m_row->overload); }

ArgumentRange Operator::arguments() const { return {kArguments + m_row->firstArgument, m_row->arguments}; }

ArgumentRange Operator::returns() const {
    return {kArguments + m_row->firstArgument + m_row->arguments, m_row->returns};
}

bool Operator::isMutable() const {
    const ArgumentRange all = arguments();
    return std::any_of(all.begin(), all.end(), [](const Argument& argument) { return argument.isWritten(); });
}

std::string Operator::qualifiedName() const {
    std::string text(nameSpace());
    text.append(".").append(baseName()).append(".");
    return text.append(overload().empty() ? "default" : overload());
}

std::string Operator::schema() const {
    std::string text(name());
    if (!overload().empty()) text.append(".").append(overload());
    text += '(';
    appendArguments(text, arguments());
    if (isVariadic()) text += arguments().empty() ? "..." : ", ...";
    text += ") -> ";
    const bool single = returns().size() == 1 && returns()[0].name().empty();
    if (!single) text += '(';
    appendArguments(text, returns());
    return single ? text : text + ")";
}

std::optional<Operator> findOperator(std::string_view name) {
    const Name wanted = split(name);
    const auto rows = rowsOf(wanted);
    const auto overloadOf = [](const OperatorRow& row) { return textOf(row.overload); };
    const auto found = std::ranges::lower_bound(rows, wanted.overload, {}, overloadOf);
    if (found == rows.end() || textOf(found->overload) != wanted.overload) return std::nullopt;
    return Operator(*found);
}

std::vector<Operator> overloads(std::string_view name) {
    std::vector<Operator> result;
    for (const OperatorRow& row : rowsOf(split(name))) result.emplace_back(row);
    return result;
}

std::vector<Operator> searchOperators(std::string_view text, std::size_t limit) {
    const std::vector<std::string> wanted = words(text);
    std::vector<std::pair<int, Operator>> found;
    if (wanted.empty()) return {};
    for (const OperatorRow& row : kOperators)
        if (const auto place = rank(Operator(row), wanted)) found.emplace_back(*place, Operator(row));
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Operator> result;
    for (std::size_t i = 0; i < std::min(limit, found.size()); ++i) result.push_back(found[i].second);
    return result;
}

std::size_t operatorCount() { return std::size(kOperators); }

Operator operatorAt(std::size_t index) { return Operator(kOperators[index]); }

} // namespace fx::ops
