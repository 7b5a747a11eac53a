// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/files/read_text.h"

#include "core/diag/error.h"
#include "core/tensor/storage.h"

namespace fx {

std::string readText(const DataFile& file, std::uint64_t maxBytes) {
    if (file.size() > maxBytes) throw Error(ErrorKind::File, Message("files.too_large")).in(file.path());
    std::string text(static_cast<std::size_t>(file.size()), '\0');
    file.read(0, std::as_writable_bytes(std::span(text)));
    return text;
}

std::string readTextFile(const std::string& path, std::uint64_t maxBytes) {
    return readText(*DataFile::open(path), maxBytes);
}

} // namespace fx
