// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/kept_result.h"

#include "core/edit/quantised_of.h"
#include "core/io/ir_json/ir_json.h"
#include "core/io/pt2/pt2_json.h"
#include "core/io/zip/file_inside.h"
#include "core/json/json_writer.h"

#include <unordered_map>

namespace fx {

namespace {
bool isSame(const SafetensorsEntry& a, const SafetensorsEntry& b) {
    return a.storage == b.storage && a.dtype == b.dtype && a.shape == b.shape;
}
} // namespace

KeptResult keepResult(const GraphModule& before, const GraphModule& after, const Progress& progress) {
    const SafetensorsFile had = describeAsIr(before, progress).weights;
    std::unordered_map<const Storage*, const SafetensorsEntry*> known;
    for (const SafetensorsEntry& entry : had.entries) known.emplace(entry.storage.get(), &entry);
    const IrDescription made = describeAsIr(after, progress);
    KeptResult kept;
    JsonWriter json;
    json.beginObject().key("of").string(quantisedOf(before)).key("graph").string(made.text);
    json.key("shared").beginObject();
    for (const SafetensorsEntry& entry : made.weights.entries) {
        const auto same = known.find(entry.storage.get());
        if (same != known.end() && isSame(*same->second, entry)) json.key(entry.name).string(same->second->name);
        else kept.fresh.entries.push_back(entry);
    }
    kept.json = json.endObject().endObject().text();
    return kept;
}

bool takeKeptResult(const Step& step) {
    const JsonValue result = step.json.find("result");
    if (!result.exists() || result.at("of").asText() != quantisedOf(step.model)) return false;
    IrDescription made{std::string(result.at("graph").asText()), {}};
    if (step.has("file")) made.weights = readSafetensors(openFileInside(step.text("file")), step.progress);
    const SafetensorsFile had = describeAsIr(step.model, step.progress).weights;
    std::unordered_map<std::string_view, const SafetensorsEntry*> known;
    for (const SafetensorsEntry& entry : had.entries) known.emplace(entry.name, &entry);
    for (const JsonValue shared : result.at("shared").needObject()) {
        const auto entry = known.find(shared.asText());
        if (entry == known.end()) return false;
        made.weights.entries.push_back(*entry->second);
        made.weights.entries.back().name = shared.key();
    }
    becomeResult(step.model, std::move(*readIrDescription(made, step.model.path, step.progress)));
    return true;
}

StepList withoutKeptResults(const StepList& steps) {
    StepList without;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (!steps[i].find("result").exists()) {
            without.add(steps, i);
            continue;
        }
        JsonWriter json;
        json.beginObject();
        for (const JsonValue member : steps[i])
            if (member.key() != "result" && member.key() != "file") copyJson(json.key(member.key()), member);
        without.add(json.endObject());
    }
    return without;
}

void becomeResult(GraphModule& model, GraphModule made) {
    made.format = model.format, made.producer = model.producer, made.path = model.path;
    made.origin = model.origin, made.tracerClass = model.tracerClass;
    made.modelNames = model.modelNames, made.modelName = model.modelName;
    model = std::move(made);
}

} // namespace fx
