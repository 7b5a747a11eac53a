// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/torchscript/called_file.h"

#include "core/base/sha256.h"
#include "core/files/file_below.h"
#include "core/files/file_identity.h"
#include "core/module/module_editor.h"
#include "core/torchscript/torchscript.h"

#include <algorithm>
#include <filesystem>

namespace fx::script {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRelativePath = "relative_path";

bool namesFile(const Module& module) {
    return (isScriptFile(module) || isFileObject(module)) && module.setting<std::string>("path");
}

/// Paths of the modules of a tree that name a file.
std::vector<std::string> namingFiles(const GraphModule& model) {
    std::vector<std::string> out;
    forEachModule(*model.root, [&](const std::string& path, const Module& module) {
        if (namesFile(module)) out.push_back(path);
    });
    return out;
}

/// The first of these that has the content, else the first that exists, else the last.
std::string wantedOf(const std::vector<std::string>& candidates, const std::string* digest) {
    const auto exists = [](const std::string& path) {
        std::error_code ignored;
        return fs::is_regular_file(path, ignored);
    };
    const auto isWanted = [&](const std::string& path) {
        try {
            return exists(path) && contentDigest(ZipArchive::open(DataFile::open(path))) == *digest;
        } catch (const Error&) { return false; }
    };
    auto found = digest ? std::find_if(candidates.begin(), candidates.end(), isWanted) : candidates.end();
    if (found == candidates.end()) found = std::find_if(candidates.begin(), candidates.end(), exists);
    return found == candidates.end() ? candidates.back() : *found;
}

/// Without a digest, anybody could have named any file: only those beside the model count, for what they hold now.
void takeDigest(Module& module, const std::string& path, const std::string& folder) {
    if (module.setting<std::string>(kDigest) || !isFileBelow(folder, path)) return;
    try {
        std::string digest = contentDigest(ZipArchive::open(openBelow(folder, path)));
        module.attributes.emplace_back(kDigest, Argument(std::move(digest)));
    } catch (const Error&) { return; } // running the model reports it
}

/// Where a module of a model in `folder` finds its file.
std::string foundFile(const Module& module, const std::string& folder) {
    const std::string path = scriptFilePath(module);
    std::vector<std::string> candidates;
    if (const auto* relative = module.setting<std::string>(kRelativePath))
        candidates.push_back((fs::path(folder) / *relative).lexically_normal().string());
    if (fs::path(path).is_relative()) candidates.push_back((fs::path(folder) / path).lexically_normal().string());
    candidates.push_back(absolutePath(path));
    std::string found = wantedOf(candidates, module.setting<std::string>(kDigest));
    return isSameFile(found, candidates.back()) ? candidates.back() : found; // in the words of the user
}

std::string folderOf(const std::string& file) { return fs::absolute(file).parent_path().string(); }

} // namespace

std::string contentDigest(const ZipArchive& archive) {
    Sha256 digest;
    for (const ZipMember& member : archive.members())
        digest.add(member.name + '\n' + std::to_string(member.size) + ' ' + std::to_string(member.crc32) + '\n');
    return digest.hex();
}

void requireCalledFile(const Module& module) {
    const std::string path = scriptFilePath(module);
    const auto* digest = module.setting<std::string>(kDigest);
    if (!digest) throw Error(ErrorKind::File, Message("script.called_file_unknown")).in(path);
    std::string now;
    try {
        now = contentDigest(ZipArchive::open(DataFile::open(path)));
    } catch (const Error& error) {
        throw Error(ErrorKind::File, Message("script.called_file_gone", {{"reason", error.what()}})).in(path);
    }
    if (now != *digest) throw Error(ErrorKind::File, Message("script.called_file_changed")).in(path);
}

bool callsFile(const GraphModule& model, const std::string& path) {
    bool found = false;
    forEachModule(*model.root, [&](const std::string&, const Module& module) {
        found = found || (isScriptFile(module) && isSameFile(scriptFilePath(module), path));
    });
    return found;
}

std::string absolutePath(const std::string& path) {
    std::error_code ignored;
    const fs::path absolute = fs::absolute(path, ignored), plain = absolute.lexically_normal();
    return (isSameFile(plain.string(), absolute.string()) ? plain : absolute).string();
}

GraphModule withRelativePaths(const GraphModule& model, const std::string& file) {
    const std::string folder = folderOf(file);
    GraphModule out = model;
    ModuleEditor editor(out);
    for (const std::string& path : namingFiles(model)) {
        Module& module = *editor.writable(path);
        std::error_code failed;
        const std::string relative = fs::relative(scriptFilePath(module), folder, failed).string();
        if (failed || relative.empty()) continue;
        module.attributes.emplace_back(kRelativePath, Argument(relative));
    }
    return out;
}

void findCalledFiles(GraphModule& model, const std::string& file) {
    const std::vector<std::string> paths = namingFiles(model);
    if (paths.empty()) return;
    ModuleEditor editor(model);
    for (const std::string& path : paths) {
        Module& module = *editor.writable(path);
        const std::string found = foundFile(module, folderOf(file));
        std::erase_if(module.attributes, [](const auto& attribute) { return attribute.first == kRelativePath; });
        for (auto& [name, value] : module.attributes)
            if (name == "path") value = Argument(found);
        takeDigest(module, found, folderOf(file));
    }
}

} // namespace fx::script
