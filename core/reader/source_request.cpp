// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/reader/source_request.h"

#include "core/base/memory.h"
#include "core/files/file_identity.h"
#include "core/io/ir_json/ir_values.h"
#include "core/io/tensors/state_dicts.h"
#include "core/python/imports/sources.h"
#include "core/remote/json_fields.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace fx::reader {
namespace {

using remote::Frame;
using remote::readText;

const Graph kNoNodes;

/// The options by name that are texts, numbers or flags.
template<class Options, class Visit> void forEachText(Options& options, const Visit& visit) {
    visit("name", options.name), visit("concrete_text", options.concreteText);
}
template<class Options, class Visit> void forEachList(Options& options, const Visit& visit) {
    visit("leafs", options.leafs), visit("leaf_paths", options.leafPaths), visit("followed", options.followed);
    visit("paths", options.paths), visit("wrapped", options.wrapped);
    visit("weights_files", options.weightsFiles);
}
template<class Options, class Visit> void forEachFlag(Options& options, const Visit& visit) {
    visit("proxy_buffers", options.proxyBuffers), visit("shapes_constant", options.shapesConstant);
    visit("eval", options.eval), visit("swaps", options.swapsFloatFunctionals), visit("partial", options.partial);
    visit("notes", options.notes), visit("keeps_unloaded", options.keepsUnloaded);
    visit("strict_weights", options.strictWeights);
}

void write(JsonWriter& json, const SourceOptions& options) {
    forEachText(options, [&](const char* key, const std::string& text) { json.key(key).string(text); });
    forEachList(options, [&](const char* key, const std::vector<std::string>& list) { json.key(key).strings(list); });
    forEachFlag(options, [&](const char* key, bool flag) { json.key(key).boolean(flag); });
    json.key("seed").string(std::to_string(options.seed));
    json.key("shapes_only").boolean(options.weights == NewWeights::ShapesOnly);
    json.key("args").beginArray();
    IrValueWriter values(json, kNoNodes);
    for (const Argument& arg : options.args) values.write(arg);
    json.endArray();
    writeKwargs(json, "kwargs", options.kwargs);
    writeKwargs(json, "concrete", options.concrete);
    json.key("standalone").beginArray();
    for (const SourceOptions::Standalone& each : options.standalone) {
        json.beginObject().key("path").string(each.path).key("type").string(each.type);
        json.key("leaf_paths").strings(each.leafPaths), json.key("leafs").strings(each.leafs);
        json.endObject();
    }
    json.endArray();
}

SourceOptions readOptions(JsonValue root) {
    SourceOptions out;
    forEachText(out, [&](const char* key, std::string& text) { text = readText(root, key); });
    forEachList(out, [&](const char* key, std::vector<std::string>& list) { list = root.at(key).texts(); });
    forEachFlag(out, [&](const char* key, bool& flag) { flag = root.at(key).asBool(); });
    out.seed = std::strtoull(readText(root, "seed").c_str(), nullptr, 10);
    out.weights = root.at("shapes_only").asBool() ? NewWeights::ShapesOnly : NewWeights::Drawn;
    Warnings ignored;
    IrValueReader values(kNoNodes, ignored);
    for (const JsonValue arg : root.at("args").needArray()) out.args.push_back(values.read(arg));
    out.kwargs = readKwargs(root, "kwargs");
    out.concrete = readKwargs(root, "concrete");
    for (const JsonValue each : root.at("standalone").needArray())
        out.standalone.push_back(
            {readText(each, "path"), readText(each, "type"), each.at("leaf_paths").texts(), each.at("leafs").texts()});
    return out;
}

/// A positive number of the environment.
std::uint64_t numberOf(const char* variable, double unit, std::uint64_t otherwise) {
    const char* text = std::getenv(variable);
    const double number = text ? std::strtod(text, nullptr) : 0;
    return number > 0 && number * unit < 1e18 ? static_cast<std::uint64_t>(number * unit) : otherwise;
}

} // namespace

Limits usualLimits() {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 30;
    const std::uint64_t free = freeMemory();
    return {numberOf("LANCET_SOURCE_MEMORY", 1 << 20, free > 0 ? std::min(kMost, free / 4) : kMost),
            std::chrono::milliseconds(numberOf("LANCET_SOURCE_SECONDS", 1000, 4000))};
}

std::vector<std::string> SourceRequest::readable() const {
    namespace fs = std::filesystem;
    if (verb == Verb::Definition) return {}; // it imports nothing
    std::vector<std::string> out = python::Sources(file, {}, options.paths).folders();
    const std::vector<std::string> folders = out;
    for (const std::string& folder : folders)
        if (std::string blobs = blobsOfSnapshot(folder); !blobs.empty()) out.push_back(std::move(blobs));
    std::error_code ignored;
    for (const std::string& each : options.weightsFiles) { // a description names the file beside it
        const fs::path weights = splitWeightsFile(each).path;
        out.push_back(weights.extension() == ".json" ? fs::absolute(weights).parent_path().string() : weights.string());
    }
    std::erase_if(out, [&](const std::string& path) { return !fs::exists(path, ignored); });
    out.emplace_back("/proc/meminfo"); // how much memory is free for weights
    return out;
}

void writeKwargs(JsonWriter& json, const char* key, const Kwargs& kwargs) {
    IrValueWriter values(json, kNoNodes);
    json.key(key).beginArray();
    for (const auto& [name, value] : kwargs) {
        json.beginArray().string(name);
        values.write(value);
        json.endArray();
    }
    json.endArray();
}

Kwargs readKwargs(JsonValue object, const char* key) {
    Kwargs out;
    Warnings ignored;
    IrValueReader values(kNoNodes, ignored);
    for (const JsonValue pair : object.at(key).needArray()) {
        std::vector<JsonValue> parts;
        for (const JsonValue part : pair.needArray()) parts.push_back(part);
        if (parts.size() != 2) throw pair.error(Message("reader.bad_message"));
        out.emplace_back(std::string(parts[0].asText()), values.read(parts[1]));
    }
    return out;
}

Frame toFrame(const SourceRequest& request, std::uint32_t number) {
    JsonWriter json;
    Frame frame{remote::FrameKind::Request, number, {}, {}, {}};
    json.beginObject().key("verb").integer(static_cast<std::int64_t>(request.verb));
    json.key("file").string(request.file);
    json.key("class").boolean(request.isClass).key("values").boolean(request.needsValues);
    json.key("known").strings(request.known);
    if (request.model.snapshot) remote::writeModel(json.key("model"), request.model, frame);
    if (request.selection) json.key("selection").strings(*request.selection);
    json.key("machine").boolean(request.options.engine != nullptr);
    json.key("fx").boolean(static_cast<bool>(request.options.fx));
    json.key("loads").boolean(static_cast<bool>(request.options.load));
    json.key("memory").string(std::to_string(request.limits.memoryBytes));
    json.key("drawn").string(std::to_string(request.limits.drawnBytes));
    json.key("milliseconds").integer(request.limits.time.count());
    json.key("arena").string(request.arenaPlace).key("arena_bytes").string(std::to_string(request.arenaBytes));
    json.key("options");
    write(json.beginObject(), request.options);
    json.endObject().endObject();
    const auto* bytes = reinterpret_cast<const std::byte*>(request.text.data());
    frame.json = json.text();
    frame.blob = std::make_shared<const std::vector<std::byte>>(bytes, bytes + request.text.size());
    return frame;
}

SourceRequest sourceRequest(const Frame& frame) {
    const auto document = JsonDocument::parse(frame.json);
    const JsonValue root = document->root();
    const auto bytes = [&](const char* key) { return std::strtoull(readText(root, key).c_str(), nullptr, 10); };
    SourceRequest out;
    out.file = readText(root, "file");
    if (frame.blob) out.text.assign(reinterpret_cast<const char*>(frame.blob->data()), frame.blob->size());
    const std::int64_t verb = root.at("verb").asInt();
    if (verb < 0 || verb > static_cast<std::int64_t>(Verb::Calls)) throw root.error(Message("reader.bad_message"));
    out.verb = static_cast<Verb>(verb);
    out.isClass = root.at("class").asBool(), out.needsValues = root.at("values").asBool();
    out.known = root.at("known").texts();
    if (const JsonValue model = root.find("model"); model.exists()) out.model = remote::readModel(model);
    if (root.find("selection").exists()) out.selection = root.at("selection").texts();
    out.hasMachine = root.at("machine").asBool(), out.hasFx = root.at("fx").asBool();
    out.loads = root.at("loads").asBool();
    out.limits = {bytes("memory"), std::chrono::milliseconds(root.at("milliseconds").asInt()), bytes("drawn")};
    out.arenaPlace = readText(root, "arena"), out.arenaBytes = bytes("arena_bytes");
    out.options = readOptions(root.at("options"));
    return out;
}

} // namespace fx::reader
