// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/files/file_identity.h"

#include <array>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

namespace fx {
namespace {

std::string realPath(const std::string& path) {
    const std::unique_ptr<char, decltype(&std::free)> found(::realpath(path.c_str(), nullptr), &std::free);
    return found ? found.get() : std::string();
}

std::string inFolder(const std::string& folder, const std::string& name) {
    return folder + (folder.ends_with('/') ? "" : "/") + name;
}

/// 64-bit FNV-1a as hexadecimal digits: the same in every process.
std::string hashText(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    std::array<char, 17> digits{};
    std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(hash));
    return digits.data();
}

} // namespace

std::string resolvedPath(const std::string& path) {
    constexpr int kMostLinks = 40; // as Linux
    std::string at = path;
    for (int links = 0; links <= kMostLinks; ++links) {
        if (std::string whole = realPath(at); !whole.empty() || errno != ENOENT) return whole;
        const std::filesystem::path named(at);
        const std::string name = named.filename().string();
        if (name.empty() || name == "." || name == "..") return errno = ENOENT, std::string();
        const std::string folder = realPath(named.has_parent_path() ? named.parent_path().string() : ".");
        if (folder.empty()) return {};
        at = inFolder(folder, name);
        std::array<char, PATH_MAX> link{};
        const ssize_t length = ::readlink(at.c_str(), link.data(), link.size());
        if (length < 0) return errno == ENOENT ? at : std::string();
        const std::string target(link.data(), static_cast<std::size_t>(length));
        at = target.starts_with('/') ? target : inFolder(folder, target);
    }
    return errno = ELOOP, std::string();
}

bool isSameFile(const std::string& a, const std::string& b) {
    struct stat first, second;
    const bool hasFirst = ::stat(a.c_str(), &first) == 0, hasSecond = ::stat(b.c_str(), &second) == 0;
    if (hasFirst && hasSecond) return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
    if (hasFirst != hasSecond) return false;
    const std::string resolved = resolvedPath(a);
    return !resolved.empty() && resolved == resolvedPath(b);
}

std::string nameBeside(const std::string& path, std::string_view suffix) {
    constexpr std::size_t kLongest = 160; // names of 255 bytes, and room for suffixes
    const std::size_t start = path.rfind('/') + 1;
    const std::string_view name = std::string_view(path).substr(start);
    if (name.size() <= kLongest) return path + std::string(suffix);
    std::size_t end = kLongest - 32;
    while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) --end; // not inside a character
    return path.substr(0, start + end) + "~" + hashText(name) + std::string(suffix);
}

} // namespace fx
