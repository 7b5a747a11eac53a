// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onednn/layer_memory.h"

#include "core/json/json_document.h"
#include "core/json/json_writer.h"
#include "core/timing/statistics.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace fx::onednn {

LayerMemory::LayerMemory(std::string path) : m_path(std::move(path)) {
    std::ifstream in(m_path);
    std::stringstream text;
    text << in.rdbuf();
    try {
        const auto document = JsonDocument::parse(text.str());
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

void LayerMemory::save(bool quiet) const {
    if (m_path.empty() || m_new.empty()) return;
    JsonWriter json;
    json.beginObject(JsonWriter::Layout::Lines);
    for (const auto& [key, times] : m_entries) {
        const bool isGood = times.rounds >= timing::kFewestRounds && times.noiseFloor <= kMostNoise;
        if (times.remembered || (quiet && isGood)) write(json.key(key), times);
    }
    std::error_code failed;
    std::filesystem::create_directories(std::filesystem::path(m_path).parent_path(), failed);
    const std::string beside = m_path + "." + std::to_string(::getpid());
    std::ofstream(beside) << json.endObject().text() << '\n';
    std::filesystem::rename(beside, m_path, failed); // what cannot be written is measured again
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
