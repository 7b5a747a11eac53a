// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onednn/layer_memory.h"

#include "core/base/sha256.h"
#include "core/json/json_document.h"
#include "core/json/json_writer.h"
#include "core/timing/statistics.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace fx::onednn {

LayerMemory::LayerMemory(const std::string& kept) {
    try {
        const auto document = JsonDocument::parse(kept);
        for (const JsonValue each : document->root().needObject()) {
            LayerTimes times = readLayerTimes(each);
            times.remembered = true;
            m_entries.insert_or_assign(std::string(each.key()), std::move(times));
        }
    } catch (const fx::Error&) { // none, one that was cut short, or of an earlier version: measured anew
    }
}

const LayerTimes* LayerMemory::find(const std::string& key) const {
    const auto found = m_entries.find(key);
    return found == m_entries.end() ? nullptr : &found->second;
}

const LayerTimes& LayerMemory::add(const std::string& key, LayerTimes times) {
    m_new.insert(key);
    return m_entries[key] = std::move(times);
}

std::string LayerMemory::write(bool quiet) const {
    JsonWriter json;
    json.beginObject(JsonWriter::Layout::Lines);
    for (const auto& [key, times] : m_entries) {
        const bool isGood = times.rounds >= timing::kFewestRounds && times.noiseFloor <= kMostNoise;
        if (times.remembered || (quiet && isGood)) onednn::write(json.key(key), times);
    }
    return json.endObject().text() + '\n';
}

std::optional<std::string> LayerMemory::text(bool quiet) const {
    return m_new.empty() ? std::nullopt : std::optional(write(quiet));
}

std::string layerMemoryFile(const std::string& folder, const std::string& processor, int threads,
                            const std::string& library) {
    if (folder.empty()) return {};
    const std::string what = processor + "\n" + std::to_string(threads) + "\n" + library;
    return folder + "/layers-" + sha256(what).substr(0, 16) + ".json";
}

std::string readLayerMemory(const std::string& file) {
    std::ifstream in(file);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

void writeLayerMemory(const std::string& file, const std::string& text) {
    if (file.empty()) return;
    std::error_code failed;
    std::filesystem::create_directories(std::filesystem::path(file).parent_path(), failed);
    const std::string beside = file + "." + std::to_string(::getpid());
    std::ofstream(beside) << LayerMemory(text).write(false);
    std::filesystem::rename(beside, file, failed);
}

bool isPlausible(const LayerTimes& kept, const std::vector<double>& now) {
    std::vector<double> known{kept.plain};
    for (const auto* each : {&kept.oneDnn, &kept.mkl})
        if (*each) known.push_back((*each)->ms);
    if (known.size() != now.size()) return false;
    for (std::size_t i = 0; i < now.size(); ++i)
        if (known[i] > now[i] * LayerMemory::kPlausible || now[i] > known[i] * LayerMemory::kPlausible) return false;
    return true;
}

} // namespace fx::onednn
