// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/edit_result.h"

#include "core/codegen/graph_json.h"

namespace app {

std::string editResultJson(const EditNames& names, const std::string& written, bool verified, const fx::Warnings& warnings) {
    fx::JsonWriter json;
    json.beginObject(fx::JsonWriter::Layout::Lines);
    for (const auto& [key, list] : {std::pair("created", &names.created), std::pair("erased", &names.erased), std::pair("changed", &names.changed)}) {
        json.key(key).beginArray();
        for (const std::string& name : *list) json.string(name);
        json.endArray();
    }
    json.key("written");
    fx::writeTextOrNull(json, written);
    json.key("verified").boolean(verified);
    writeWarnings(json, warnings);
    return json.endObject().text();
}

} // namespace app
