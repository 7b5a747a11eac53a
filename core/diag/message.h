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

    std::string text() const;
    bool operator==(const MessageArgument&) const = default;
};
using MessageArguments = std::vector<MessageArgument>;

/// The code of a message: a literal "area.what". Any other literal does not compile; a test finds codes without a text.
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

/// A message to users, as data: a code ("pickle.truncated"), which is what scripts and code decide by, and named
/// arguments. The text and the hints of each code stand once, in core/diag/texts/<area>.cpp. Texts of others (LibTorch,
/// the operating system) are arguments of a code of ours.
///
///     throw Error(ErrorKind::Refused, Message("steps.missing_key", {{"key", key}}));
class Message {
public:
    Message() = default; ///< nothing to say
    /// With the arguments that the text and the hints of the code name.
    Message(MessageCode code, std::initializer_list<MessageArgument> arguments = {});
    /// A message that another process or a file has told; the text stands in for a code that is unknown here.
    static Message received(std::string code, MessageArguments arguments, std::string text);

    const std::string& code() const { return m_code; }
    bool is(std::string_view code) const { return m_code == code; }
    const MessageArguments& arguments() const { return m_arguments; }
    /// The argument of that name as text; empty if the message has no such argument.
    std::string argument(std::string_view name) const;
    /// The formatted text.
    const std::string& text() const { return m_text; }
    /// What to do, as an imperative, or empty.
    std::string hint() const;
    /// What to do on the command line, in terms of its options, or empty.
    std::string commandLineHint() const;

    bool operator==(const Message&) const = default;

private:
    std::string m_code;
    MessageArguments m_arguments;
    std::string m_text;
};

/// A template of core/diag/texts/texts.h with its arguments put in; those that are missing are empty.
std::string formatted(std::string_view text, const MessageArguments& arguments);

} // namespace fx
