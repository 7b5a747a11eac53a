// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/json/json_document.h"

#include <cstdlib>

using namespace fx;

namespace {
/// Touches every value by iteration, and asks each for its path and place.
void walk(JsonValue value, const std::string& text, int& budget) {
    if (--budget < 0) return;
    if (value.path().empty() || JsonDocument::position(text, value.index()).empty()) std::abort();
    if (value.isString()) (void)value.asText();
    for (const JsonValue child : value) {
        if (value.isObject() && value.find(child.key()).kind() != value.at(child.key()).kind()) std::abort();
        walk(child, text, budget);
    }
}
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    for (const auto positions : {JsonDocument::Positions::Drop, JsonDocument::Positions::Keep}) {
        try {
            const auto document = JsonDocument::parse(text, {}, positions);
            int budget = 200;
            walk(document->root(), text, budget);
        } catch (const Error& error) {
            if (error.where.empty()) std::abort();
        }
    }
    return 0;
}
