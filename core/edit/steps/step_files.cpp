// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/steps/step_files.h"

#include "core/files/replaced_file.h"
#include "core/io/pt2/pt2_json.h"
#include "core/io/zip/file_inside.h"
#include "core/python/tracing/trace_file.h"

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

/// Whether an entry of `passes` is a pass in Python: from a file that is read when the step runs, or as text.
bool isTextPass(JsonValue pass) { return !textIn(pass, "file").empty(); }

/// Copies a member of an object; the path in a member "file" is replaced.
void copyWithFile(JsonWriter& json, JsonValue member, const FilePaths& replaced) {
    const auto file = std::find_if(replaced.begin(), replaced.end(), [&](const auto& each) {
        return member.key() == "file" && member.isString() && member.asText() == each.first;
    });
    if (file != replaced.end()) json.string(file->second);
    else copyJson(json, member);
}

} // namespace

std::vector<std::string> filesInSteps(const StepList& steps) {
    std::vector<std::string> files;
    for (const JsonValue step : steps)
        if (const auto file = textIn(step, "file");
            !file.empty() && std::find(files.begin(), files.end(), file) == files.end())
            files.emplace_back(file);
    return files;
}

std::vector<PassFile> passFilesInSteps(const StepList& steps) {
    std::vector<PassFile> files;
    for (const JsonValue step : steps) {
        const JsonValue passes = step.isObject() ? step.find("passes") : JsonValue();
        if (!passes.exists() || !passes.isArray()) continue;
        for (const JsonValue pass : passes)
            if (isTextPass(pass)) files.push_back({std::string(textIn(pass, "file")), pass.find("text").exists()});
    }
    return files;
}

StepList withFiles(const StepList& steps, const FilePaths& replaced) {
    if (replaced.empty()) return steps;
    StepList with;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const JsonValue step = steps[i];
        if (!step.isObject() || (!step.find("file").exists() && !step.find("passes").exists())) {
            with.add(steps, i); // keeps its place in the file for errors
            continue;
        }
        JsonWriter json;
        json.beginObject();
        for (const JsonValue member : step) {
            json.key(member.key());
            if (member.key() != "passes" || !member.isArray()) {
                copyWithFile(json, member, replaced);
                continue;
            }
            json.beginArray();
            for (const JsonValue pass : member) {
                if (!isTextPass(pass)) {
                    copyJson(json, pass);
                    continue;
                }
                json.beginObject();
                for (const JsonValue each : pass) copyWithFile(json.key(each.key()), each, replaced);
                json.endObject();
            }
            json.endArray();
        }
        with.add(json.endObject());
    }
    return with;
}

FilePaths carryFiles(const StepList& steps, const std::string& target, const Progress& progress) {
    FilePaths carried;
    std::set<std::string> names;
    const fs::path beside = fs::path(target).parent_path(), folder = fs::path(target).stem().string() + ".files";
    std::vector<std::pair<std::string, std::string>> files; // as the steps write them, and without the name of a pass
    for (const std::string& file : filesInSteps(steps)) files.emplace_back(file, file);
    std::error_code ignored;
    for (const auto& [file, hasText] : passFilesInSteps(steps))
        if (const auto source = splitSourcePath(file); !hasText && source && fs::exists(source->file, ignored))
            files.emplace_back(file, source->file);
    for (const auto& [written, file] : files) {
        const fs::path path(file);
        std::string name = path.filename().string();
        for (int i = 2; !names.insert(name).second; ++i)
            name = path.stem().string() + "_" + std::to_string(i) + path.extension().string();
        std::error_code failed;
        fs::create_directories(beside / folder, failed);
        const std::string to = (beside / folder / name).string();
        if (!fs::equivalent(path, to, failed)) copyTo(file, to, progress);
        carried.emplace_back(written, (folder / name).generic_string() + written.substr(file.size()));
    }
    return carried;
}

} // namespace fx
