// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace fx {

/// A named argument of a Message: a string or an integer.
struct MessageArgument {
    std::string name;
    std::variant<std::int64_t, std::string> value;

    MessageArgument(std::string_view argument, std::string_view text) : name(argument), value(std::string(text)) {}
    template<class Number>
    requires(std::is_integral_v<Number> && !std::is_same_v<Number, bool> && !std::is_same_v<Number, char>)
        MessageArgument(std::string_view argument, Number number)
        : name(argument), value(static_cast<std::int64_t>(number)) {}

    /// The value as text; integers in decimal.
    std::string text() const;
    bool operator==(const MessageArgument&) const = default;
};
using MessageArguments = std::vector<MessageArgument>;

/// The code of a message: a literal "area.what". Other literals do not compile. A test reports codes without a text.
class MessageCode {
public:
    consteval MessageCode(const char* literal) : m_text(literal) {
        if (m_text.find('.') == m_text.npos || m_text.find_first_not_of(kLetters) != m_text.npos) throw "not a code";
    }
    constexpr std::string_view text() const { return m_text; }

private:
    static constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789_.";
    std::string_view m_text;
};

/// A message to users, as data: a code ("pickle.truncated"), on which scripts and callers decide, and named arguments.
/// The text and the hints of each code are defined once, in core/diag/texts/<area>.cpp. Texts of others (LibTorch, the
/// operating system) are arguments of our codes.
///
///     throw Error(ErrorKind::Refused, Message("steps.missing_key", {{"key", key}}));
class Message {
public:
    Message() = default; ///< no message
    /// Formats the text of the code with the arguments that its text and hints name.
    Message(MessageCode code, std::initializer_list<MessageArgument> arguments = {});
    /// Restores a message from another process or a file. `text` is used if this version does not know the code.
    static Message received(std::string code, MessageArguments arguments, std::string text);

    /// The code, or empty for a text without one.
    const std::string& code() const { return m_code; }
    /// Returns true if the message has this code.
    bool is(std::string_view code) const { return m_code == code; }
    const MessageArguments& arguments() const { return m_arguments; }
    /// Returns an argument as text; empty if the message has no such argument.
    std::string argument(std::string_view name) const;
    /// The formatted text.
    const std::string& text() const { return m_text; }
    /// The remedy, as an imperative; may be empty.
    std::string hint() const;
    /// The remedy on the command line, in terms of its options; may be empty.
    std::string commandLineHint() const;

    bool operator==(const Message&) const = default;

private:
    std::string m_code;
    MessageArguments m_arguments;
    std::string m_text;
};

/// Returns a template of core/diag/texts/texts.h with its arguments inserted; missing arguments are empty.
std::string formatted(std::string_view text, const MessageArguments& arguments);

} // namespace fx
