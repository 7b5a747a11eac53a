// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/message.h"

#include "core/base/grouped.h"
#include "core/base/utf8.h"
#include "core/diag/sides.h"
#include "core/diag/texts/texts.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <unordered_map>

namespace fx {
namespace {

/// Never destroyed: threads that still work while the program exits have errors, too.
const MessageText* textOf(std::string_view code) {
    static const auto* const index = [] {
        auto* out = new std::unordered_map<std::string_view, const MessageText*>;
        for (const MessageTexts& table : allMessageTexts())
            for (const MessageText& text : table) out->emplace(text.code, &text);
        return out;
    }();
    const auto found = index->find(code);
    return found == index->end() ? nullptr : found->second;
}

const MessageArgument* find(const MessageArguments& arguments, std::string_view name) {
    const auto found = std::find_if(arguments.begin(), arguments.end(),
                                    [&](const MessageArgument& argument) { return argument.name == name; });
    return found == arguments.end() ? nullptr : &*found;
}

bool isName(std::string_view text) {
    return !text.empty() && text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == std::string_view::npos;
}

/// `count` of `count,` and of `count|node|nodes`.
std::string_view nameIn(std::string_view inside) {
    return inside.ends_with(',') ? inside.substr(0, inside.size() - 1) : inside.substr(0, inside.find('|'));
}

/// `one|many` by the number.
std::string_view word(std::string_view forms, const MessageArgument& number) {
    const std::size_t bar = forms.find('|');
    const bool one = number.value == decltype(number.value)(std::int64_t{1});
    return one ? forms.substr(0, bar) : forms.substr(bar + 1);
}

struct Formatted {
    std::string text;
    bool complete = true; ///< no argument is missing or empty
};

/// Puts arguments and the names of the sides into templates.
class Formatter {
public:
    explicit Formatter(const SideNames& names) : m_names(names) {}

    Formatted format(std::string_view text, const MessageArguments& arguments) {
        Formatted out;
        while (!text.empty()) {
            const std::size_t open = text.find('{'), close = text.find('}', open);
            if (close == std::string_view::npos) break;
            const std::string_view inside = text.substr(open + 1, close - open - 1);
            const bool isSide = inside == "A" || inside == "B";
            out.text += text.substr(0, open);
            if (!isSide && !isName(nameIn(inside))) {
                out.text += '{';
                text.remove_prefix(open + 1);
                continue;
            }
            const std::string value = isSide ? (inside == "A" ? m_names.a : m_names.b) : put(inside, arguments);
            out.complete &= !value.empty();
            out.text += value;
            text.remove_prefix(close + 1);
        }
        out.text += text;
        return out;
    }

private:
    // Messages of files and of other processes can be any: texts that name an argument twice would double with each
    // message inside.
    static constexpr int kMostInside = 32;                   ///< messages in messages, in the whole text
    static constexpr std::size_t kLongestInside = 64 * 1024; ///< bytes

    /// `key`, `count,` with its digits in groups, `count|one|many`, or a message that is an argument: formatted anew,
    /// for its sides.
    std::string put(std::string_view inside, const MessageArguments& arguments) {
        const std::size_t bar = inside.find('|');
        const MessageArgument* argument = find(arguments, nameIn(inside));
        if (!argument) return {};
        if (const auto* number = std::get_if<std::int64_t>(&argument->value); number && inside.ends_with(','))
            return grouped(*number);
        if (bar != std::string_view::npos) return std::string(word(inside.substr(bar + 1), *argument));
        const std::string prefix = argument->name + '.';
        const MessageArgument* code = find(arguments, prefix + "code");
        const MessageText* inner = code && m_inside < kMostInside ? textOf(code->text()) : nullptr;
        if (!inner) return argument->text();
        MessageArguments own;
        for (MessageArgument each : arguments) {
            if (!each.name.starts_with(prefix)) continue;
            each.name.erase(0, prefix.size());
            own.push_back(std::move(each));
        }
        ++m_inside;
        return std::string(wholeCharacters(format(inner->text, own).text, kLongestInside));
    }

    const SideNames& m_names;
    int m_inside = 0;
};

Formatted format(std::string_view text, const MessageArguments& arguments) {
    static const auto* const letters = new SideNames; // never destroyed, as above
    return Formatter(*letters).format(text, arguments);
}

std::string hintOf(std::string_view hint, const MessageArguments& arguments) {
    Formatted out = format(hint, arguments);
    return out.complete ? std::move(out.text) : std::string();
}

} // namespace

std::string formatted(std::string_view text, const MessageArguments& arguments) { return format(text, arguments).text; }

std::string MessageArgument::text() const {
    if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
    return std::get<std::string>(value);
}

Message::Message(MessageCode code, std::initializer_list<MessageArgument> arguments)
    : m_code(code.text()), m_arguments(arguments) {
    const MessageText* text = textOf(m_code);
    assert(text);
    m_text = formatted(text ? text->text : code.text(), m_arguments);
}

Message Message::received(std::string code, MessageArguments arguments, std::string text) {
    Message out;
    const MessageText* known = textOf(code);
    out.m_text = known ? formatted(known->text, arguments) : std::move(text);
    out.m_code = std::move(code), out.m_arguments = std::move(arguments);
    return out;
}

std::string textWith(const Message& message, const SideNames& names) {
    const MessageText* text = textOf(message.code());
    return text ? Formatter(names).format(text->text, message.arguments()).text : message.text();
}

Message containing(const Message& message, std::string_view name, const Message& inner) {
    if (inner.code().empty()) return message;
    MessageArguments arguments = message.arguments();
    const std::string prefix = std::string(name) + '.';
    arguments.emplace_back(prefix + "code", inner.code());
    for (MessageArgument argument : inner.arguments()) {
        argument.name.insert(0, prefix);
        arguments.push_back(std::move(argument));
    }
    return Message::received(message.code(), std::move(arguments), message.text());
}

std::string Message::argument(std::string_view name) const {
    const MessageArgument* found = find(m_arguments, name);
    return found ? found->text() : std::string();
}

std::string Message::hint() const {
    const MessageText* text = textOf(m_code);
    return text ? hintOf(text->hint, m_arguments) : std::string();
}

std::string Message::commandLineHint() const {
    const MessageText* text = textOf(m_code);
    if (!text) return {};
    const std::string options = hintOf(text->commandLineHint, m_arguments);
    const std::string first = text->order == HintOrder::Both ? hint() : std::string();
    return first + (first.empty() || options.empty() ? "" : "; ") + options;
}

std::span<const MessageTexts> allMessageTexts() {
    static const std::array tables = {
        texts::app(),    texts::calls(),       texts::codegen(),   texts::compile(), texts::edit(),   texts::engine(),
        texts::files(),  texts::graphmodule(), texts::inputs(),    texts::io(),      texts::json(),   texts::make(),
        texts::match(),  texts::modelFiles(),  texts::partition(), texts::passes(),  texts::pt2(),    texts::pt2e(),
        texts::python(), texts::quant(),       texts::reader(),    texts::remote(),  texts::script(), texts::trace(),
        texts::verify(), texts::worker()};
    return tables;
}

} // namespace fx
