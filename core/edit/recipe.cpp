// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/recipe.h"

#include "core/edit/steps/step_files.h"
#include "core/files/read_text.h"
#include "core/files/replaced_file.h"
#include "core/io/pt2/pt2_json.h"

#include <filesystem>

namespace fx {

Recipe Recipe::parse(std::string text) {
    Recipe recipe;
    recipe.m_document = JsonDocument::parse(std::move(text), {}, JsonDocument::Positions::Keep);
    const JsonValue root = recipe.m_document->root(), version = root.find("lancet_recipe");
    if (!version.exists()) throw Error(ErrorKind::File, Message("edit.not_a_recipe"));
    if (version.kind() != JsonValue::Kind::Int || version.asInt() != 1)
        throw version.error(Message("edit.recipe_version"));
    for (const JsonValue step : root.at("steps").needArray()) recipe.m_steps.push_back(step);
    return recipe;
}

Recipe Recipe::read(const std::string& path) {
    constexpr std::uint64_t kLargest = std::uint64_t{256} << 20;
    namespace fs = std::filesystem;
    const std::string text = readTextFile(path, kLargest);
    Recipe recipe = parse(text);
    if (text.find("\"file\"") == std::string::npos) return recipe;
    std::string steps = "[";
    for (const JsonValue step : recipe.m_steps) {
        JsonWriter json;
        copyJson(json, step);
        steps += (steps.size() > 1 ? "," : "") + json.text();
    }
    steps += "]";
    FilePaths found;
    for (const std::string& file : filesInSteps(steps)) {
        std::error_code ignored;
        const fs::path beside = fs::absolute(fs::path(path), ignored).parent_path() / file;
        if (fs::path(file).is_relative() && fs::exists(beside, ignored))
            found.emplace_back(file, beside.lexically_normal().string());
    }
    return found.empty() ? recipe : parse("{\"lancet_recipe\": 1, \"steps\": " + withFiles(steps, found) + "}");
}

void writeRecipe(const std::string& path, const std::string& steps, const Progress& progress) {
    const FilePaths carried = carryFiles(steps, path, progress);
    ReplacedFile file(path);
    file.write("{\"lancet_recipe\": 1, \"steps\": " + withFiles(steps, carried) + "}\n");
    file.commit();
}

} // namespace fx
