// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/zip/checksums.h"

#include "core/base/listed.h"
#include "core/io/zip/zip_archive.h"

#include <filesystem>

namespace fx {

std::optional<Warning> wrongChecksums(const std::string& path, const Progress& progress) {
    constexpr std::size_t kNamed = 3;
    std::error_code unknown;
    if (!std::filesystem::is_regular_file(path, unknown)) return std::nullopt;
    const auto file = DataFile::open(path);
    if (!ZipArchive::looksLikeZip(*file)) return std::nullopt;
    const ZipArchive archive = ZipArchive::open(file);
    std::size_t right = 0;
    std::vector<std::string> wrong;
    for (const ZipMember& member : archive.members()) {
        progress.check();
        if (member.size == 0) continue;
        try {
            archive.checkContent(member);
            ++right;
        } catch (const Error& error) {
            if (!error.message().is("zip.damaged")) throw;
            wrong.push_back(member.name);
        }
    }
    if (wrong.empty() || right == 0) return std::nullopt;
    return Warning{
        Message("zip.wrong_sums", {{"count", wrong.size()}, {"names", listed(wrong, kNamed)}}), {}, {}, path};
}

} // namespace fx
