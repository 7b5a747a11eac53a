// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/steps/step_files.h"

#include "core/files/replaced_file.h"
#include "core/io/pt2/pt2_json.h"
#include "core/io/zip/file_inside.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <span>

namespace fx {
namespace {

namespace fs = std::filesystem;

void copyTo(const std::string& from, const std::string& to, const Progress& progress) {
    const auto source = openFileInside(from);
    ReplacedFile out(to);
    std::string piece;
    constexpr std::uint64_t kPiece = 4 << 20;
    for (std::uint64_t at = 0; at < source->size(); at += piece.size()) {
        progress.check();
        progress.report("copying files", static_cast<double>(at) / static_cast<double>(source->size()));
        piece.resize(static_cast<std::size_t>(std::min(kPiece, source->size() - at)));
        source->read(at, std::as_writable_bytes(std::span(piece)));
        out.write(piece);
    }
    out.commit();
}

} // namespace

std::vector<std::string> filesInSteps(const std::string& steps) {
    std::vector<std::string> files;
    if (steps.find("\"file\"") == std::string::npos) return files;
    const auto document = JsonDocument::parse(steps);
    for (const JsonValue step : document->root())
        if (const JsonValue file = step.isObject() ? step.find("file") : JsonValue(); file.exists() && file.isString())
            if (std::find(files.begin(), files.end(), file.asText()) == files.end()) files.emplace_back(file.asText());
    return files;
}

std::string withFiles(const std::string& steps, const FilePaths& replaced) {
    if (replaced.empty()) return steps;
    const auto document = JsonDocument::parse(steps);
    JsonWriter json;
    json.beginArray();
    for (const JsonValue step : document->root()) {
        json.beginObject();
        for (const JsonValue member : step) {
            json.key(member.key());
            const auto file = std::find_if(replaced.begin(), replaced.end(), [&](const auto& each) {
                return member.key() == "file" && member.isString() && member.asText() == each.first;
            });
            if (file != replaced.end()) json.string(file->second);
            else copyJson(json, member);
        }
        json.endObject();
    }
    return json.endArray().text();
}

FilePaths carryFiles(const std::string& steps, const std::string& target, const Progress& progress) {
    FilePaths carried;
    std::set<std::string> names;
    const fs::path beside = fs::path(target).parent_path(), folder = fs::path(target).stem().string() + ".files";
    for (const std::string& file : filesInSteps(steps)) {
        const fs::path path(file);
        std::string name = path.filename().string();
        for (int i = 2; !names.insert(name).second; ++i)
            name = path.stem().string() + "_" + std::to_string(i) + path.extension().string();
        std::error_code failed;
        fs::create_directories(beside / folder, failed);
        const std::string to = (beside / folder / name).string();
        if (!fs::equivalent(path, to, failed)) copyTo(file, to, progress);
        carried.emplace_back(file, (folder / name).generic_string());
    }
    return carried;
}

} // namespace fx
