// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/bound_call.h"

#include "core/ops/parameter_list.h"
#include "core/ops/python_functions.h"

#include <map>

namespace fx::engine {
namespace {

/// A composition whose words are told apart once.
struct Composition {
    struct Word {
        enum class Kind : std::uint8_t { Name, Literal, Reduction } kind = Kind::Name;
        std::string_view text, keyword;
        Value literal;
        bool starred = false, isReal = false; ///< `*name`, `float(name)`
    };
    std::string function;
    bool inplace = false;
    bool takesFirst = false; ///< `[0]`
    std::vector<Word> words;
};

bool isLiteral(std::string_view text) {
    return text == "True" || text == "False" || text == "None" || text.front() == '-' || text.front() == '(' ||
           text.front() == '\'' || (text.front() >= '0' && text.front() <= '9');
}

Composition parse(std::string_view text) {
    Composition out;
    constexpr std::string_view kFirst = "[0]";
    out.takesFirst = text.ends_with(kFirst);
    if (out.takesFirst) text.remove_suffix(kFirst.size());
    const std::size_t open = text.find('(');
    out.function = text.substr(0, open);
    if (out.function.back() == '!') {
        out.inplace = true;
        out.function.pop_back();
    }
    for (const ops::CallArgument& argument : ops::parseCallArguments(text.substr(open + 1, text.size() - open - 2))) {
        Composition::Word word;
        word.text = argument.expression;
        word.keyword = argument.keyword;
        word.starred = argument.starred;
        if (constexpr std::string_view kFloatOf = "float("; word.text.starts_with(kFloatOf)) {
            word.isReal = true;
            word.text = word.text.substr(kFloatOf.size(), word.text.size() - kFloatOf.size() - 1);
        }
        if (word.text == "@reduction") word.kind = Composition::Word::Kind::Reduction;
        else if (isLiteral(word.text))
            word.kind = Composition::Word::Kind::Literal, word.literal = literalOf(word.text);
        out.words.push_back(std::move(word));
    }
    return out;
}

/// Compositions by the address of their text, which is a constant of the program.
const Composition& parsed(std::string_view text) {
    thread_local std::map<const char*, Composition> known;
    const auto found = known.find(text.data());
    return found != known.end() ? found->second : known.emplace(text.data(), parse(text)).first->second;
}

bool legacyFlag(const Names& names, std::string_view name, bool& given) {
    try {
        const Value value = names[name];
        given = !value.isNone();
        return !given || truthOf(value);
    } catch (const fx::Error&) { return true; }
}

} // namespace

std::string Names::text(std::string_view name) const {
    const Value value = (*this)[name];
    if (!value.text())
        throw runError(
            Message("engine.expected_argument", {{"name", name}, {"expected", "a string"}, {"got", typeText(value)}}));
    return *value.text();
}

at::Tensor Names::tensor(std::string_view name) const {
    const Value value = (*this)[name];
    if (!value.isTensor())
        throw runError(
            Message("engine.expected_argument", {{"name", name}, {"expected", "a Tensor"}, {"got", typeText(value)}}));
    return value.tensor();
}

std::int64_t Names::integer(std::string_view name) const {
    const Value value = (*this)[name];
    if (const auto number = value.integer()) return *number;
    throw runError(
        Message("engine.expected_argument", {{"name", name}, {"expected", "an int"}, {"got", typeText(value)}}));
}

double Names::real(std::string_view name) const {
    const Value value = (*this)[name];
    if (const auto number = value.real()) return *number;
    throw runError(
        Message("engine.expected_argument", {{"name", name}, {"expected", "a number"}, {"got", typeText(value)}}));
}

std::vector<std::int64_t> Names::integers(std::string_view name, std::size_t times) const {
    const Value value = (*this)[name];
    if (const auto number = value.integer()) return std::vector<std::int64_t>(times, *number);
    std::vector<std::int64_t> out;
    for (const Value& item : iterate(value)) {
        const auto number = item.integer();
        if (!number)
            throw runError(
                Message("engine.expected_argument", {{"name", name}, {"expected", "ints"}, {"got", typeText(item)}}));
        out.push_back(*number);
    }
    return out;
}

BoundCall::BoundCall(std::string_view qualifiedName, const Arguments& arguments) : m_function(qualifiedName) {
    const auto function = ops::findFunction(qualifiedName);
    if (!function) throw runError(Message("engine.unknown_function", {{"name", qualifiedName}}));
    std::size_t position = 0, named = 0;
    for (const ops::Parameter& parameter : function->parameters()) {
        using Kind = ops::Parameter::Kind;
        if (parameter.kind == Kind::VarPositional) {
            m_values.emplace_back(
                parameter.name,
                Value::tuple(Values(arguments.positional.begin() +
                                        static_cast<std::ptrdiff_t>(std::min(position, arguments.positional.size())),
                                    arguments.positional.end())));
            position = arguments.positional.size();
            continue;
        }
        const bool byPosition = parameter.kind != Kind::KeywordOnly && position < arguments.positional.size();
        const Value* value = byPosition ? &arguments.positional[position] : arguments.find(parameter.name);
        position += byPosition;
        named += value && !byPosition;
        if (!value && parameter.defaultValue.empty())
            throw raised("TypeError: " + std::string(function->name()) + "() lacks its argument '" +
                         std::string(parameter.name) + "'");
        m_values.emplace_back(parameter.name, value ? *value : literalOf(parameter.defaultValue));
    }
    if (position < arguments.positional.size() || named < arguments.named.size())
        throw raised("TypeError: " + std::string(function->name()) + "() does not take " + typeText(arguments));
}

Value BoundCall::operator[](std::string_view name) const {
    for (const auto& [known, value] : m_values)
        if (known == name) return value;
    throw runError(Message("engine.unknown_parameter", {{"function", m_function}, {"name", name}}));
}

std::int64_t reductionOf(const Names& names) {
    bool averageGiven = false, reduceGiven = false;
    const bool average = legacyFlag(names, "size_average", averageGiven),
               reduce = legacyFlag(names, "reduce", reduceGiven);
    if (averageGiven || reduceGiven) return !reduce ? 0 : average ? 1 : 2;
    const std::string reduction = names.text("reduction");
    if (reduction == "none") return 0;
    if (reduction == "mean") return 1;
    if (reduction == "sum") return 2;
    throw raised("ValueError: " + reduction + " is not a valid value for reduction");
}

Value runComposition(std::string_view text, const Names& names) {
    const Composition& composition = parsed(text);
    Arguments arguments;
    for (const Composition::Word& word : composition.words) {
        Value value = word.kind == Composition::Word::Kind::Literal     ? word.literal
                      : word.kind == Composition::Word::Kind::Reduction ? Value(reductionOf(names))
                      : word.isReal                                     ? Value(names.real(word.text))
                                                                        : names[word.text];
        if (word.starred)
            for (const Value& item : iterate(value)) arguments.positional.push_back(item);
        else if (word.keyword.empty()) arguments.positional.push_back(std::move(value));
        else arguments.named.emplace_back(word.keyword, std::move(value));
    }
    Value result =
        callFunction(composition.inplace && names.flag("inplace") ? composition.function + "_" : composition.function,
                     std::move(arguments));
    return composition.takesFirst ? result.items()->items.at(0) : result;
}

} // namespace fx::engine
