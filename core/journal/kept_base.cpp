// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/journal/kept_base.h"

#include "core/files/private_folder.h"
#include "core/journal/journal.h"
#include "core/journal/journal_format.h"
#include "core/module/data_files.h"
#include "core/module/graph_module.h"
#include "core/tensor/storage.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <unistd.h>

namespace fx {
namespace {

namespace fs = std::filesystem;

/// The base that the first record of a journal names, which is all that is read; nothing for another file.
std::optional<ModelIdentity> firstBase(const fs::path& journal) {
    constexpr std::size_t kMost = 4 << 20; // a folder of many files has a long record
    std::string bytes(kMost, '\0');
    std::ifstream in(journal, std::ios::binary);
    in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<std::size_t>(in.gcount()));
    JournalRecords records = readJournalRecords(bytes);
    if (records.payloads.empty()) return std::nullopt;
    try {
        return ModelIdentity::read(JsonDocument::parse(std::move(records.payloads.front()))->root().needObject());
    } catch (const Error&) { return std::nullopt; } // left for the Lancet that can read it
}

} // namespace

bool isOfModel(const ModelIdentity& model, const std::string& file) {
    return std::any_of(model.files.begin(), model.files.end(), [&](const ModelIdentity::File& each) {
        std::error_code ignored;
        return fs::equivalent(model.pathOf(each), file, ignored);
    });
}

void keepModel(const ModelIdentity& model, const std::string& to) {
    std::error_code failed;
    std::string folder = to;
    if (fs::is_directory(model.path, failed)) folder += "/" + fs::path(model.path).filename().string();
    makePrivateFolder(folder);
    for (const ModelIdentity::File& file : model.files) {
        const std::string from = model.pathOf(file), kept = folder + "/" + file.name;
        ::unlink(kept.c_str());
        if (::link(from.c_str(), kept.c_str()) == 0) continue;
        fs::copy_file(from, kept, fs::copy_options::overwrite_existing, failed);
        if (failed)
            throw Error(ErrorKind::Refused, Message("journal.keep", {{"file", from}, {"detail", failed.message()}}))
                .in(to);
    }
}

std::string keptBaseFolder(const std::string& journal) { return journalFilesFolder(journal) + "/base"; }

std::string keptBasePath(const std::string& journal, const ModelIdentity& base) {
    return keptBaseFolder(journal) + "/" + fs::path(base.path).filename().string();
}

void keepBase(const std::string& journal, const ModelIdentity& base) {
    // What the file has by now may be another state than that of the edits, and must not replace the kept one.
    if (base.isOnDisk() && !base.isAt(keptBasePath(journal, base))) keepModel(base, keptBaseFolder(journal));
}

const DataFile* contentAt(const std::vector<std::shared_ptr<const DataFile>>& files, const std::string& path) {
    const fs::path wanted = fs::path(path).lexically_normal();
    const auto isThere = [&](const auto& file) { // names first: absolute paths ask the system
        const fs::path at = file->path();
        return at.filename() == wanted.filename() && fs::absolute(at).lexically_normal() == wanted;
    };
    const auto found = std::find_if(files.begin(), files.end(), isThere);
    return found != files.end() && (*found)->isReadable() ? found->get() : nullptr;
}

std::vector<std::shared_ptr<const DataFile>> contentOf(const ModelIdentity& model, const GraphModule& read) {
    std::uint64_t room = Journal::kLargestCopy; // for what is kept in memory
    std::vector<std::shared_ptr<const DataFile>> files = dataFiles(*read.root);
    for (const ModelIdentity::File& each : model.files) {
        const std::string path = model.pathOf(each);
        if (contentAt(files, path)) continue;
        try {
            files.push_back(DataFile::open(path));
            files.back()->keepContent(room); // else it can be read until it is overwritten in place
            room -= std::min(room, each.size);
        } catch (const Error&) {} // NOLINT(bugprone-empty-catch): it is gone already, and so there is nothing to keep
    }
    return files;
}

void keepForJournals(const std::string& folder, const std::string& target) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        const std::string journal = entry.path().string();
        if (!journal.ends_with(kJournalEnding)) continue;
        const auto base = firstBase(entry.path());
        if (base && isOfModel(*base, target)) keepBase(journal, *base);
    }
}

} // namespace fx
