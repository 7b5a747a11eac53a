// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/read_back.h"

#include "core/io/ir_json/ir_json.h"
#include "core/tensor/storage.h"

#include <algorithm>
#include <filesystem>

namespace fx {
namespace {

void readThrough(const std::string& path) {
    const auto file = DataFile::open(path);
    std::vector<std::byte> piece(std::size_t{1} << 20);
    for (std::uint64_t at = 0; at < file->size(); at += piece.size())
        file->read(at, std::span(piece).first(
                           static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), file->size() - at))));
}

/// Whether every byte of a file can be read; of the two files of a description, or of those in a folder.
bool isReadable(const std::string& path) {
    try {
        if (!std::filesystem::is_directory(path)) {
            readThrough(path);
            const std::string weights = weightsBeside(path);
            if (path.ends_with(".json") && std::filesystem::exists(weights)) readThrough(weights);
            return true;
        }
        for (const auto& entry : std::filesystem::directory_iterator(path))
            if (entry.is_regular_file()) readThrough(entry.path().string());
        return true;
    } catch (const std::exception&) { return false; }
}

} // namespace

Error asRefusal(const Error& error, const std::string& path, MessageCode code) {
    Error refusal(ErrorKind::Refused, Message(code, {{"reason", error.what()}, {"cause", error.message().code()}}));
    refusal.where = error.where, refusal.textPlace = error.textPlace, refusal.node = error.node;
    refusal.modulePath = error.modulePath, refusal.source = error.source;
    return refusal.in(path);
}

std::shared_ptr<GraphModule> readBack(const std::string& path, MessageCode refusal, const OpenOptions& options,
                                      const Progress& progress) {
    try {
        return openModel(path, options, progress);
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::File && isReadable(path)) throw asRefusal(error, path, refusal);
        throw;
    }
}

} // namespace fx
