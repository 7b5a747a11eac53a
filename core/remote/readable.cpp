// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/readable.h"

#include "core/files/file_below.h"
#include "core/files/file_identity.h"
#include "core/io/compilation/compilation.h"
#include "core/io/file_kind.h"
#include "core/io/ir_json/ir_json.h"
#include "core/python/tracing/trace_file.h"
#include "core/torchscript/torchscript.h"

#include <algorithm>
#include <filesystem>
#include <sys/stat.h>

namespace fx::remote {
namespace {

namespace fs = std::filesystem;

std::string absolute(const std::string& path) {
    std::error_code failed;
    const fs::path out = fs::absolute(path, failed);
    return failed ? path : out.string();
}

} // namespace

std::vector<std::string> filesOfModel(const std::string& model) {
    std::error_code ignored;
    if (!fs::exists(model, ignored)) {
        if (const auto part = splitStagePath(model)) return filesOfModel(part->first);
        if (const auto source = splitSourcePath(model)) return {source->file};
    }
    std::vector<std::string> out{model};
    if (const fs::path weights = weightsBeside(model); weights != model)
        if (const std::string folder = weights.parent_path().string();
            isFileBelow(folder.empty() ? "." : folder, weights.filename().string()))
            out.push_back(weights.string());
    return out;
}

std::vector<std::string> calledFiles(const GraphModule& model, bool local) {
    std::set<std::string> out;
    forEachModule(*model.root, [&](const std::string&, const Module& module) {
        if (!script::isScriptFile(module) && !script::isFileObject(module)) return;
        const auto* path = module.setting<std::string>("path");
        if (!module.setting<std::string>(script::kDigest)) return; // it is refused, see `requireCalledFile`
        if (path && !out.contains(*path) && (!local || isTorchScript(*path))) out.insert(*path);
    });
    return {out.begin(), out.end()};
}

Readable::Readable(std::vector<std::string> paths, bool local) : m_local(local) {
    for (std::string& path : paths) {
        if (!local && m_names.insert(path).second) m_paths.push_back(path);
        struct stat status {};
        if (!local || ::stat(path.c_str(), &status) != 0) continue;
        if (m_files.emplace(status.st_dev, status.st_ino).second) m_paths.push_back(absolute(path));
    }
}

bool Readable::covers(const std::vector<std::string>& paths) const {
    return std::all_of(paths.begin(), paths.end(), [this](const std::string& path) { return covers(path); });
}

/// A file below a folder that was allowed is allowed, too.
bool Readable::covers(const std::string& path) const {
    if (!m_local) return m_names.contains(path);
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return true;
    for (std::string at = resolvedPath(path); !at.empty(); at = fs::path(at).parent_path().string()) {
        if (m_files.contains({status.st_dev, status.st_ino})) return true;
        if (at == "/") return false;
        if (::stat(fs::path(at).parent_path().c_str(), &status) != 0) return false;
    }
    return false;
}

} // namespace fx::remote
