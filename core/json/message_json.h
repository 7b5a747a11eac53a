// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/message.h"
#include "core/json/json_document.h"
#include "core/json/json_writer.h"

namespace fx {

/// The members `"code": "…"` (null for a text without one) and `"arguments": {...}` of an object that is open.
void writeMessageData(JsonWriter& json, const Message& message);
/// What writeMessageData wrote, beside the text under `textKey`; the text alone when there is no code.
Message readMessage(JsonValue object, std::string_view textKey);

} // namespace fx
