// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/project/project.h"

#include "core/io/pt2/pt2_json.h"

namespace fx {

void Project::add(Edit edit) {
    edits.resize(version);
    edits.push_back(std::move(edit));
    ++version;
}

void Project::add(const std::string& name, const std::vector<JsonValue>& steps) {
    JsonWriter json;
    json.beginArray();
    for (const JsonValue step : steps) copyJson(json, step);
    add({name, json.endArray().text(), std::chrono::system_clock::now()});
}

} // namespace fx
