// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/recipe.h"

#include "core/edit/kept_result.h"
#include "core/edit/steps/step_files.h"
#include "core/files/file_identity.h"
#include "core/files/read_text.h"
#include "core/files/replaced_file.h"
#include "core/io/zip/file_inside.h"
#include "core/python/tracing/trace_file.h"

#include <filesystem>

namespace fx {

namespace {

constexpr std::uint64_t kLargest = std::uint64_t{256} << 20;

std::filesystem::path folderOf(const std::string& path) { return std::filesystem::absolute(path).parent_path(); }

bool isBeside(const std::string& path, const std::string& file) {
    return file.find(kInside) == std::string::npos && !resolvedInside(folderOf(path).string(), file).empty();
}

[[noreturn]] void refuse(const std::string& path, const std::string& file) {
    throw Error(ErrorKind::File, Message("edit.file_not_beside", {{"file", file}})).in(path);
}

std::string withName(const std::string& file, const SourcePath& source) {
    return file + (source.name.empty() ? "" : ":" + source.name);
}

} // namespace

std::string fileBeside(const std::string& path, const std::string& file) {
    if (!isBeside(path, file)) refuse(path, file);
    return (folderOf(path) / file).string();
}

std::string sourceBeside(const std::string& path, const std::string& file) {
    const auto source = splitSourcePath(file);
    if (!source) refuse(path, file);
    return withName(fileBeside(path, source->file), *source);
}

std::string textBeside(const std::string& path, const std::string& file) {
    const auto source = splitSourcePath(file);
    if (!source) refuse(path, file);
    if (isBeside(path, source->file)) return sourceBeside(path, file);
    const std::filesystem::path name = std::filesystem::path(source->file).filename();
    return withName((folderOf(path) / name).string(), *source);
}

StepList parseRecipe(std::string text) {
    const auto document = JsonDocument::parse(std::move(text), {}, JsonDocument::Positions::Keep);
    const JsonValue root = document->root(), version = root.find("lancet_recipe");
    if (!version.exists()) throw Error(ErrorKind::File, Message("edit.not_a_recipe"));
    if (version.kind() != JsonValue::Kind::Int || version.asInt() != 1)
        throw version.error(Message("edit.recipe_version"));
    return {document, root.at("steps")};
}

StepList readRecipe(const std::string& path) {
    StepList steps = parseRecipe(readTextFile(path, kLargest));
    FilePaths found;
    for (const std::string& file : filesInSteps(steps)) found.emplace_back(file, fileBeside(path, file));
    for (const auto& [file, hasText] : passFilesInSteps(steps))
        found.emplace_back(file, hasText ? textBeside(path, file) : sourceBeside(path, file));
    return withFiles(steps, found);
}

StepList recipeOf(const History& history) {
    StepList steps;
    for (std::size_t i = 1; i <= history.current(); ++i) steps.add(history.entries()[i].steps);
    return withoutKeptResults(steps);
}

std::string recipeText(const History& history) {
    std::string lines;
    for (std::size_t i = 1; i <= history.current(); ++i) {
        const std::string own = withoutKeptResults(history.entries()[i].steps).text(); // "[{...}, {...}]"
        lines += (i == 1 ? "    " : ",\n    ") + own.substr(1, own.size() - 2);
    }
    return "{\"lancet_recipe\": 1, \"steps\": [\n" + lines + "\n]}\n";
}

void writeRecipe(const std::string& path, const StepList& steps, const Progress& progress) {
    const FilePaths carried = carryFiles(steps, path, progress);
    ReplacedFile file(path);
    file.write("{\"lancet_recipe\": 1, \"steps\": " + withFiles(steps, carried).text() + "}\n");
    file.commit();
}

} // namespace fx
