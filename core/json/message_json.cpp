// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/json/message_json.h"

namespace fx {

void writeMessageData(JsonWriter& json, const Message& message) {
    json.key("code");
    if (message.code().empty()) json.null();
    else json.string(message.code());
    json.key("arguments").beginObject();
    for (const MessageArgument& argument : message.arguments()) {
        json.key(argument.name);
        if (const auto* number = std::get_if<std::int64_t>(&argument.value)) json.integer(*number);
        else json.string(std::get<std::string>(argument.value));
    }
    json.endObject();
}

Message readMessage(JsonValue object, std::string_view textKey) {
    std::string text(object.at(textKey).asText());
    const JsonValue code = object.find("code"), list = object.find("arguments");
    if (!code.exists() || code.isNull()) return Message::received({}, {}, std::move(text));
    MessageArguments arguments;
    if (list.exists()) {
        for (const JsonValue value : list.needObject()) {
            if (value.isString()) arguments.emplace_back(value.key(), value.asText());
            else arguments.emplace_back(value.key(), value.asInt());
        }
    }
    return Message::received(std::string(code.asText()), std::move(arguments), std::move(text));
}

} // namespace fx
