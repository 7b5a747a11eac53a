// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/own/readable_folders.h"

#include "core/files/private_folder.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace fx {
namespace {

namespace fs = std::filesystem;

/// The path without links; empty if it leads nowhere.
fs::path withoutLinks(const fs::path& path) {
    std::error_code failed;
    fs::path found = fs::canonical(path, failed);
    return failed ? fs::path() : found;
}

fs::path commonFolder(const fs::path& a, const fs::path& b) {
    fs::path common;
    for (auto inA = a.begin(), inB = b.begin(); inA != a.end() && inB != b.end() && *inA == *inB; ++inA, ++inB)
        common /= *inA;
    return common;
}

/// Whether a folder is that of an environment or of an installed Python.
bool isPrefix(const fs::path& folder) {
    std::error_code failed;
    if (fs::exists(folder / "pyvenv.cfg", failed)) return true;
    for (const char* name : {"lib", "lib64"})
        for (const auto& each : fs::directory_iterator(folder / name, failed))
            if (each.path().filename().string().starts_with("python") && fs::exists(each.path() / "os.py", failed))
                return true;
    return false;
}

bool isShared(const fs::path& folder) {
    std::error_code failed;
    return (fs::status(folder, failed).permissions() & fs::perms::sticky_bit) != fs::perms::none;
}

} // namespace

std::vector<fs::path> listedFolders(const char* variable) {
    std::vector<fs::path> out;
    const char* const list = std::getenv(variable);
    for (std::string_view rest = list ? list : ""; !rest.empty();) {
        const std::size_t end = std::min(rest.find(':'), rest.size());
        if (rest.starts_with('/')) out.emplace_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return out;
}

bool isNarrow(const std::string& folder) {
    const fs::path path = withoutLinks(folder), home = withoutLinks(homeFolder());
    return path.has_relative_path() && commonFolder(path, home) != path;
}

std::vector<std::string> environmentFolders(const std::string& program) {
    std::vector<fs::path> found;
    std::error_code failed;
    for (const fs::path& each : {fs::path(program), withoutLinks(program)}) {
        const fs::path bin = each.parent_path();
        if (bin.filename() == "bin" && isPrefix(bin.parent_path())) found.push_back(bin.parent_path());
    }
    for (const auto& each : fs::directory_iterator(homeFolder() + "/.local/lib", failed))
        if (each.path().filename().string().starts_with("python")) found.push_back(each.path() / "site-packages");
    const auto listed = listedFolders("PYTHONPATH");
    found.insert(found.end(), listed.begin(), listed.end());
    std::vector<std::string> out;
    for (const fs::path& folder : found)
        if (folder.is_absolute() && isNarrow(folder) && std::ranges::find(out, folder.string()) == out.end())
            out.push_back(folder.string());
    return out;
}

std::string packageOf(const std::string& file) {
    std::error_code failed;
    fs::path folder = fs::absolute(file, failed).lexically_normal().parent_path(), package;
    while (fs::exists(folder / "__init__.py", failed) && isNarrow(folder)) {
        package = folder;
        folder = folder.parent_path();
    }
    return package.string();
}

bool mayComeWith(const std::string& program, const std::string& folder) {
    const auto spellings = [](const fs::path& path) {
        return std::vector<fs::path>{fs::absolute(path).lexically_normal(), withoutLinks(path)};
    };
    for (const fs::path& one : spellings(program))
        for (const fs::path& other : spellings(folder))
            if (const fs::path both = commonFolder(one, other);
                !both.empty() && (both == one.parent_path() || (isNarrow(both) && !isShared(both))))
                return true;
    return false;
}

} // namespace fx
