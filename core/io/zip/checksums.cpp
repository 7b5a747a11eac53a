// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/zip/checksums.h"

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
    std::size_t wrong = 0, right = 0;
    std::string names;
    for (const ZipMember& member : archive.members()) {
        progress.check();
        if (member.size == 0) continue;
        try {
            archive.checkContent(member);
            ++right;
        } catch (const Error& error) {
            if (!error.message().is("zip.damaged")) throw;
            if (++wrong <= kNamed) names += (names.empty() ? "" : ", ") + member.name;
        }
    }
    if (wrong == 0 || right == 0) return std::nullopt;
    if (wrong > kNamed) names += " and " + std::to_string(wrong - kNamed) + " more";
    return Warning{Message("zip.wrong_sums", {{"count", wrong}, {"names", names}}), {}, {}, path};
}

} // namespace fx
