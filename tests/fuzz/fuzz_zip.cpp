// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/error.h"
#include "core/io/file_kind.h"
#include "tests/fuzz/temporary_file.h"

#include <algorithm>
#include <optional>

using namespace fx;

/// The input is a file: it is opened as an archive, all of it is read, and its kind is told.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const TemporaryFile temporary("fuzz.zip");
    try {
        const auto file = DataFile::open(temporary.with(data, size));
        std::optional<ZipArchive> archive;
        if (ZipArchive::looksLikeZip(*file)) {
            archive = ZipArchive::open(file);
            for (const ZipMember& member : archive->members()) {
                const auto content = archive->read(member, 1 << 20);
                std::vector<std::byte> start(std::min<std::size_t>(content.size(), 64));
                archive->storage(member)->read(content.size() - start.size(), start);
            }
        }
        if (fileKind(*file, archive ? &*archive : nullptr) == FileKind::Other)
            throw describeOther(*file, archive ? &*archive : nullptr);
    } catch (const Error&) {}
    return 0;
}
