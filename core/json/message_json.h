// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/message.h"
#include "core/json/json_document.h"
#include "core/json/json_writer.h"

namespace fx {

/// Writes the members `"code": "…"` (null for a text without a code) and `"arguments": {...}` into the open object.
void writeMessageData(JsonWriter& json, const Message& message);
/// Reads a message written by `writeMessageData`, with its text under `textKey`. Without a code, it has only the text.
Message readMessage(JsonValue object, std::string_view textKey);

} // namespace fx
