// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timing/kept_ceiling.h"

#include "core/base/python_text.h"
#include "core/base/sha256.h"
#include "core/json/json_document.h"
#include "core/json/json_writer.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace fx::timing {
namespace {

std::string fileFor(const Environment& machine, const std::string& folder) {
    return folder + "/ceiling-" +
           sha256(machine.processor + "\n" + std::to_string(machine.threads) + "\n" + machine.library).substr(0, 16) +
           ".json";
}

Ceiling readCeiling(const std::string& path) {
    std::ifstream in(path);
    std::stringstream text;
    text << in.rdbuf();
    Ceiling out;
    try {
        const auto document = JsonDocument::parse(text.str());
        out.gflops = document->root().at("gflops").asDouble(),
        out.gbytes = document->root().at("gbytes_per_second").asDouble();
    } catch (const fx::Error&) { // none, or one that was cut short: measured anew
    }
    return out;
}

void writeCeiling(const Ceiling& ceiling, const std::string& path) {
    std::string gflops, gbytes;
    appendPythonFloat(gflops, ceiling.gflops), appendPythonFloat(gbytes, ceiling.gbytes);
    JsonWriter json;
    json.beginObject()
        .key("gflops")
        .raw(gflops)
        .key("gbytes_per_second")
        .raw(gbytes)
        .key("threads")
        .integer(ceiling.threads)
        .endObject();
    std::error_code failed;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failed);
    const std::string beside = path + "." + std::to_string(::getpid());
    std::ofstream(beside) << json.text() << '\n';
    std::filesystem::rename(beside, path, failed); // a cache that cannot be written costs half a second the next time
}

} // namespace

Ceiling keptCeiling(Ceiling now, const Environment& machine, const std::string& folder) {
    if (folder.empty()) return now;
    const std::string path = fileFor(machine, folder);
    const Ceiling known = readCeiling(path);
    now.cached = known.gflops > now.gflops || known.gbytes > now.gbytes;
    const bool higher = now.gflops > known.gflops || now.gbytes > known.gbytes;
    now.gflops = std::max(now.gflops, known.gflops), now.gbytes = std::max(now.gbytes, known.gbytes);
    if (higher && std::isfinite(now.gflops) && std::isfinite(now.gbytes)) writeCeiling(now, path);
    return now;
}

void applyCeiling(NodeReport& report, const Ceiling& ceiling) {
    for (NodeTiming& each : report.nodes) {
        if (!each.flops || !each.bytes || each.ms <= 0 || *each.flops + *each.bytes <= 0) continue;
        const double computeMs = *each.flops / (ceiling.gflops * 1e6), memoryMs = *each.bytes / (ceiling.gbytes * 1e6);
        each.memoryBound = memoryMs > computeMs;
        each.ceilingShare = std::max(computeMs, memoryMs) / each.ms;
    }
}

} // namespace fx::timing
