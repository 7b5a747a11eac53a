// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/journal/model_identity.h"

#include "core/base/sha256.h"
#include "core/codegen/module_source.h"
#include "core/files/file_below.h"
#include "core/io/compilation/compilation.h"
#include "core/ir/print.h"
#include "core/tensor/storage.h"

#include <algorithm>
#include <filesystem>
#include <sys/stat.h>

namespace fx {
namespace {

namespace fs = std::filesystem;
constexpr std::uint64_t kWhole = 1 << 20, kSample = 4 << 10, kSamples = 256;
constexpr std::size_t kMostFiles = 10'000;

std::string digestOf(const DataFile& file) {
    Sha256 hash;
    hash.add(std::to_string(file.size()));
    std::string bytes;
    const auto add = [&](std::uint64_t from, std::uint64_t count) {
        bytes.resize(static_cast<std::size_t>(std::min(count, file.size() - from)));
        file.read(from, std::as_writable_bytes(std::span(bytes)));
        hash.add(bytes);
    };
    if (file.size() <= 2 * kWhole + kSample * kSamples) {
        for (std::uint64_t at = 0; at < file.size(); at += kWhole) add(at, kWhole);
        return hash.hex();
    }
    add(0, kWhole);
    const std::uint64_t between = file.size() - 2 * kWhole - kSample;
    for (std::uint64_t i = 0; i < kSamples; ++i) add(kWhole + between / kSamples * i, kSample);
    add(file.size() - kWhole, kWhole);
    return hash.hex();
}

ModelIdentity::File identityOf(const fs::path& path) {
    ModelIdentity::File file;
    file.name = path.filename().string();
    // The state before the content is read: a change meanwhile is then seen as one.
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0) {
        file.device = status.st_dev, file.inode = status.st_ino, file.size = static_cast<std::uint64_t>(status.st_size);
        file.seconds = status.st_mtim.tv_sec, file.nanoseconds = status.st_mtim.tv_nsec;
    }
    file.digest = fileDigest(path.string());
    return file;
}

/// Links out of the folder are no part of the model.
std::vector<fs::path> filesOf(const fs::path& path) {
    std::error_code ignored;
    if (!fs::is_directory(path, ignored)) {
        const fs::path weights = fs::path(path).replace_extension(".safetensors");
        if (path.extension() == ".json" && isFileBelow(path.parent_path().string(), weights.filename().string()))
            return {path, weights};
        return {path};
    }
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(path, ignored))
        if (files.size() < kMostFiles && entry.is_regular_file(ignored) &&
            isFileBelow(path.string(), entry.path().filename().string()))
            files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

bool sameFile(const ModelIdentity::File& a, const ModelIdentity::File& b) {
    return a.device == b.device && a.inode == b.inode && a.size == b.size && a.seconds == b.seconds &&
           a.nanoseconds == b.nanoseconds;
}

} // namespace

std::string tracedDigest(const GraphModule& model) {
    std::string text = graphText(model.graph);
    try {
        text += moduleSource(model, {});
    } catch (const Error&) {} // NOLINT(bugprone-empty-catch): the graph alone tells most changes
    return sha256(text);
}

std::string fileDigest(const std::string& path) { return digestOf(*DataFile::open(path)); }

ModelIdentity ModelIdentity::of(const std::string& path, const std::string& modelName) {
    ModelIdentity identity;
    fs::path full = fs::absolute(path).lexically_normal();
    if (!full.has_filename()) full = full.parent_path();
    identity.path = full.string();
    identity.modelName = modelName;
    if (const auto stage = splitStagePath(identity.path)) {
        const std::string file = compilationDump(stage->first)->stage(stage->second).text.file;
        identity.files.push_back(identityOf(file));
        identity.files.back().name = file; // may be anywhere in the dump
        return identity;
    }
    for (const fs::path& file : filesOf(full)) identity.files.push_back(identityOf(file));
    return identity;
}

std::string ModelIdentity::difference(const ModelIdentity& now) const {
    for (std::size_t i = 0; i < std::max(files.size(), now.files.size()); ++i) {
        if (i >= now.files.size()) return files[i].name + " is gone";
        if (i >= files.size() || files[i].name != now.files[i].name) return now.files[i].name + " was not there";
        if (files[i].size != now.files[i].size)
            return files[i].name + " had " + std::to_string(files[i].size) + " bytes and has " +
                   std::to_string(now.files[i].size) + " now";
        if (!sameFile(files[i], now.files[i]) && files[i].digest != now.files[i].digest)
            return files[i].name + " has other content now";
    }
    return {};
}

bool ModelIdentity::isAt(const std::string& place) const {
    try {
        return difference(of(place, modelName)).empty();
    } catch (const Error&) { return false; } // nothing that can be read is there
}

std::string ModelIdentity::pathOf(const File& file) const {
    std::error_code ignored;
    return ((fs::is_directory(path, ignored) ? fs::path(path) : fs::path(path).parent_path()) / file.name).string();
}

void ModelIdentity::write(JsonWriter& json) const {
    json.key("path").string(path).key("model_name").string(modelName).key("files").beginArray();
    for (const File& file : files) {
        json.beginObject()
            .key("name")
            .string(file.name)
            .key("size")
            .integer(static_cast<std::int64_t>(file.size))
            .key("digest")
            .string(file.digest);
        json.key("device").string(std::to_string(file.device)).key("inode").string(std::to_string(file.inode));
        json.key("changed").beginArray().integer(file.seconds).integer(file.nanoseconds).endArray().endObject();
    }
    json.endArray();
}

ModelIdentity ModelIdentity::read(JsonValue object) {
    ModelIdentity identity;
    identity.path = object.at("path").asText();
    identity.modelName = object.at("model_name").asText();
    const auto number = [](JsonValue text) {
        return static_cast<std::uint64_t>(std::strtoull(std::string(text.asText()).c_str(), nullptr, 10));
    };
    for (const JsonValue each : object.at("files").needArray()) {
        File file;
        file.name = each.at("name").asText();
        file.size = static_cast<std::uint64_t>(each.at("size").asInt());
        file.digest = each.at("digest").asText();
        file.device = number(each.at("device")), file.inode = number(each.at("inode"));
        std::int64_t* const parts[] = {&file.seconds, &file.nanoseconds};
        std::size_t i = 0;
        for (const JsonValue part : each.at("changed").needArray())
            if (i < 2) *parts[i++] = part.asInt();
        identity.files.push_back(std::move(file));
    }
    return identity;
}

} // namespace fx
