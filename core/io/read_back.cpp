// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/read_back.h"

#include "core/tensor/storage.h"

#include <algorithm>
#include <filesystem>

namespace fx {
namespace {

void readThrough(const std::string& path) {
    const auto file = DataFile::open(path);
    std::vector<std::byte> piece(std::size_t{1} << 20);
    for (std::uint64_t at = 0; at < file->size(); at += piece.size())
        file->read(at, std::span(piece).first(static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), file->size() - at))));
}

/// Whether every byte of a file, or of the files in a folder, can be read.
bool isReadable(const std::string& path) {
    try {
        if (!std::filesystem::is_directory(path)) return readThrough(path), true;
        for (const auto& entry : std::filesystem::directory_iterator(path))
            if (entry.is_regular_file()) readThrough(entry.path().string());
        return true;
    } catch (const std::exception&) {
        return false;
    }
}

} // namespace

Error asRefusal(const Error& error, const std::string& path) {
    Error refusal(ErrorKind::Refused, std::string("the model cannot be read back as it would be written: ") + error.what());
    refusal.where = error.where, refusal.node = error.node, refusal.modulePath = error.modulePath, refusal.source = error.source;
    return refusal.in(path).hinting("nothing was replaced; mend the model there, or save it as .lancet or .json, which keep the graph as it is");
}

std::shared_ptr<GraphModule> readBack(const std::string& path, const OpenOptions& options, const Progress& progress) {
    try {
        return openModel(path, options, progress);
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::File && isReadable(path)) throw asRefusal(error, path);
        throw;
    }
}

} // namespace fx
