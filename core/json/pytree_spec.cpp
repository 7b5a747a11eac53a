// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/json/pytree_spec.h"

#include "core/json/json_document.h"

namespace fx {
namespace {

/// The context of other types is their own: that of a defaultdict is an object.
void checkKeys(JsonValue context, std::size_t children) {
    const auto keys = JsonDocument::parse(std::string(context.asText()));
    if (keys->root().needArray().size() != children)
        throw context.error(Message("json.pytree_keys", {{"count", children}}));
}

} // namespace

void checkPytreeSpec(const std::string& text) {
    const auto document = JsonDocument::parse(text);
    const JsonValue root = document->root();
    if (root.needArray().size() != 2) throw root.error(Message("json.pytree_form"));
    std::vector<JsonValue> open{*++root.begin()};
    while (!open.empty()) {
        const JsonValue spec = open.back(), type = spec.at("type"), context = spec.at("context"),
                        children = spec.at("children_spec").needArray();
        open.pop_back();
        const std::string_view name = type.isNull() ? std::string_view() : type.asText();
        if (name == "builtins.dict" || name == "collections.OrderedDict") checkKeys(context, children.size());
        open.insert(open.end(), children.begin(), children.end());
    }
}

} // namespace fx
