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

/// Whether `found` is a blob of the repository that `folder` is a snapshot of. Both are resolved.
bool isBlobOf(const std::string& folder, const std::string& found) {
    const std::string blobs = blobsOfSnapshot(folder);
    if (blobs.empty() || !found.starts_with(blobs + "/")) return false;
    constexpr std::size_t kSha1 = 40, kSha256 = 64; // digits: of text files, and of large ones
    const std::string_view hash = std::string_view(found).substr(blobs.size() + 1);
    return (hash.size() == kSha1 || hash.size() == kSha256) &&
           hash.find_first_not_of("0123456789abcdef") == std::string_view::npos;
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

std::string resolvedInside(const std::string& folder, const std::string& name) {
    std::string above = realPath(folder.empty() ? "." : folder);
    if (above.empty() || name.empty()) return {};
    if (!above.ends_with('/')) above += '/';
    const std::string found = resolvedPath(name.starts_with('/') ? name : above + name);
    if (found.size() > above.size() && found.starts_with(above)) return found;
    return isBlobOf(above, found) ? found : std::string();
}

std::string blobsOfSnapshot(const std::string& folder) {
    constexpr std::string_view kSnapshots = "/snapshots/";
    const std::string whole = realPath(folder.empty() ? "." : folder);
    const std::size_t at = whole.rfind(kSnapshots);
    if (at == std::string::npos) return {};
    const std::string blobs = whole.substr(0, at) + "/blobs";
    return realPath(blobs) == blobs ? blobs : std::string();
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
