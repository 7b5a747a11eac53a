// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/message.h"

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

Formatted format(std::string_view text, const MessageArguments& arguments) {
    Formatted out;
    while (!text.empty()) {
        const std::size_t open = text.find('{'), close = text.find('}', open);
        if (close == std::string_view::npos) break;
        const std::string_view inside = text.substr(open + 1, close - open - 1);
        const std::size_t bar = inside.find('|');
        const MessageArgument* argument = find(arguments, inside.substr(0, bar));
        out.text += text.substr(0, open);
        if (!isName(inside.substr(0, bar))) {
            out.text += '{';
            text.remove_prefix(open + 1);
            continue;
        }
        const std::string value = !argument ? std::string()
                                  : bar == std::string_view::npos
                                      ? argument->text()
                                      : std::string(word(inside.substr(bar + 1), *argument));
        out.complete &= !value.empty();
        out.text += value;
        text.remove_prefix(close + 1);
    }
    out.text += text;
    return out;
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
        texts::app(),    texts::calls(),  texts::codegen(),     texts::compile(),    texts::edit(),
        texts::engine(), texts::files(),  texts::graphmodule(), texts::inputs(),     texts::io(),
        texts::json(),   texts::make(),   texts::match(),       texts::modelFiles(), texts::partition(),
        texts::passes(), texts::pt2(),    texts::pt2e(),        texts::python(),     texts::quant(),
        texts::remote(), texts::script(), texts::trace(),       texts::verify(),     texts::worker()};
    return tables;
}

} // namespace fx
