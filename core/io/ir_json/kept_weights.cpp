// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/ir_json/kept_weights.h"

#include "core/base/sha256.h"
#include "core/files/file_identity.h"
#include "core/files/leftovers.h"
#include "core/files/replaced_file.h"
#include "core/io/ir_json/ir_json.h"
#include "core/io/safetensors/safetensors.h"

#include <algorithm>
#include <filesystem>
#include <vector>

namespace fx {
namespace {

constexpr const char* kDescription = "description";

/// Former weights of the description at `path`, sorted by name.
std::vector<std::string> keptWeights(const std::string& path) {
    std::vector<std::string> found;
    const std::string weights = resolvedPath(weightsBeside(path));
    if (weights.empty()) return found;
    const std::filesystem::path start = nameBeside(weights, kBackup);
    std::error_code failed;
    for (std::filesystem::directory_iterator entry(start.parent_path(), failed), end; !failed && entry != end;
         entry.increment(failed))
        if (entry->path().filename().string().starts_with(start.filename().string()))
            found.push_back(entry->path().string());
    std::sort(found.begin(), found.end());
    return found;
}

/// The description that weights were written for; empty if they do not say.
std::string descriptionOf(const std::string& weights) {
    try {
        const SafetensorsFile file = readSafetensors(DataFile::open(weights));
        for (const auto& [key, value] : file.metadata)
            if (key == kDescription) return value;
    } catch (const Error&) {} // NOLINT(bugprone-empty-catch): whoever reads it says why
    return {};
}

} // namespace

std::pair<std::string, std::string> describedBy(const std::string& text) { return {kDescription, sha256(text)}; }

std::string weightsOf(const std::string& path, const std::string& text) {
    const std::string weights = weightsBeside(path);
    std::error_code ignored;
    const std::string written = std::filesystem::exists(weights, ignored) ? descriptionOf(weights) : std::string();
    if (written.empty()) return weights;
    const std::string wanted = describedBy(text).second;
    if (written == wanted) return weights;
    for (const std::string& kept : keptWeights(path))
        if (descriptionOf(kept) == wanted) return kept;
    return weights; // the description was edited by hand
}

void removeKeptWeights(const std::string& path) {
    const std::string start = nameBeside(resolvedPath(weightsBeside(path)), kBackup);
    std::error_code ignored;
    for (const std::string& kept : keptWeights(path))
        if (hasEnded(std::string_view(kept).substr(start.size()))) std::filesystem::remove(kept, ignored);
}

} // namespace fx
