// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/journal/pasted_files.h"

#include "core/base/sha256.h"
#include "core/diag/error.h"
#include "core/files/private_folder.h"
#include "core/files/read_text.h"
#include "core/journal/journal_format.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/file.h>
#include <unistd.h>
#include <vector>

namespace fx {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kEnding = ".pt";
constexpr std::size_t kDigest = 64; ///< digits of a name

std::string contentDigest(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::string piece(1 << 20, '\0');
    Sha256 sum;
    while (in.read(piece.data(), static_cast<std::streamsize>(piece.size())) || in.gcount() > 0)
        sum.add(std::string_view(piece).substr(0, static_cast<std::size_t>(in.gcount())));
    return sum.hex();
}

bool isPasted(const std::string& name) {
    return name.size() == kDigest + kEnding.size() && name.ends_with(kEnding) &&
           name.find_first_not_of("0123456789abcdef") == kDigest;
}

/// Files that are being written by a process that has ended.
bool isUnfinished(const fs::directory_entry& entry) {
    std::error_code failed;
    return entry.path().extension() == ".new" &&
           fs::file_time_type::clock::now() - entry.last_write_time(failed) > std::chrono::hours(1) && !failed;
}

} // namespace

std::shared_ptr<const PastedFile> PastedFile::make(const std::string& folder,
                                                   const std::function<void(const std::string& path)>& write) {
    std::error_code failed;
    makePrivateFolder(folder);
    const std::string fresh = folder + "/" + std::to_string(::getpid()) + ".new";
    write(fresh);
    std::shared_ptr<PastedFile> file(new PastedFile);
    file->m_path = folder + "/" + contentDigest(fresh) + std::string(kEnding);
    fs::permissions(fresh, fs::perms::owner_read, failed); // its name says what is in it
    // Another process may be removing a file of the same content: it is made until it is there and held.
    const int descriptor = ::open(fresh.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0 || ::flock(descriptor, LOCK_SH | LOCK_NB) != 0 ||
        ::rename(fresh.c_str(), file->m_path.c_str()) != 0) {
        const int why = errno;
        if (descriptor >= 0) ::close(descriptor);
        ::unlink(fresh.c_str());
        throw Error(ErrorKind::Refused, Message("journal.cannot_paste", {{"detail", std::strerror(why)}}))
            .in(file->m_path);
    }
    file->m_descriptor = descriptor;
    return file;
}

PastedFile::~PastedFile() {
    if (m_descriptor >= 0) ::close(m_descriptor);
}

void removePastedFiles(const std::string& folder, const std::string& journals) {
    std::error_code ignored;
    std::vector<std::string> texts;
    for (const auto& entry : fs::directory_iterator(journals, ignored))
        if (entry.path().string().ends_with(kJournalEnding)) texts.push_back(entry.path().string());
    const auto isNamed = [&](const std::string& name) {
        return std::any_of(texts.begin(), texts.end(), [&](const std::string& journal) {
            constexpr std::uint64_t kLongest = std::uint64_t{4} << 30;
            try {
                return readTextFile(journal, kLongest).find(name) != std::string::npos;
            } catch (const Error&) { return true; } // what cannot be read may name it
        });
    };
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        const std::string name = entry.path().filename().string();
        if (isUnfinished(entry)) fs::remove(entry.path(), ignored);
        if (!isPasted(name)) continue;
        const int descriptor = ::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC);
        if (descriptor < 0) continue;
        if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0 && !isNamed(name)) fs::remove(entry.path(), ignored);
        ::close(descriptor);
    }
}

} // namespace fx
