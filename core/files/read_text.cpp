// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/files/read_text.h"

#include "core/diag/error.h"
#include "core/tensor/storage.h"

namespace fx {

std::string readTextFile(const std::string& path, std::uint64_t maxBytes) {
    const auto file = DataFile::open(path);
    if (file->size() > maxBytes) throw Error(ErrorKind::File, Message("files.too_large")).in(path);
    std::string text(file->size(), '\0');
    file->read(0, std::as_writable_bytes(std::span(text)));
    return text;
}

} // namespace fx
