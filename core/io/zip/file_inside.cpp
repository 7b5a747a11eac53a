// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/zip/file_inside.h"

#include "core/diag/error.h"
#include "core/io/zip/zip_archive.h"

namespace fx {

std::shared_ptr<const DataFile> openFileInside(const std::string& path) {
    const std::size_t at = path.rfind(kInside);
    if (at == std::string::npos) return DataFile::open(path);
    const std::size_t mark = path.find('!', at);
    const auto archive = ZipArchive::open(DataFile::open(path.substr(0, mark)));
    const ZipMember* member = archive.find(std::string_view(path).substr(mark + 2));
    if (!member || !member->stored)
        throw Error(ErrorKind::File, Message("zip.missing_file", {{"name", path.substr(mark + 2)}}))
            .in(path.substr(0, mark));
    return DataFile::part(archive.file(), archive.dataOffset(*member), member->size);
}

} // namespace fx
