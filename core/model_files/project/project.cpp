// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/project/project.h"

#include "core/io/pt2/pt2_json.h"

#include <algorithm>

namespace fx {
namespace {

/// A project does not hold the files that steps read tensors from.
bool readsFiles(const std::string& steps) {
    const auto document = JsonDocument::parse(steps);
    return std::any_of(document->root().begin(), document->root().end(),
                       [](JsonValue step) { return step.find("file").exists(); });
}

} // namespace

void Project::add(Edit edit) {
    isApart = isApart || readsFiles(edit.steps);
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
