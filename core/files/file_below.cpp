// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/files/file_below.h"

#include "core/diag/error.h"
#include "core/files/file_identity.h"
#include "core/files/read_text.h"

#include <cerrno>
#include <cstring>
#include <sys/stat.h>

namespace fx {
namespace {

/// As the folder and the name are spelled, for messages and for whoever opens the file again.
std::string spelled(const std::string& folder, const std::string& name) {
    if (folder.empty() || name.starts_with('/')) return name;
    return folder + (folder.ends_with('/') ? "" : "/") + name;
}

bool isRegular(const std::string& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

[[noreturn]] void refuse(const std::string& folder, const std::string& name) {
    throw Error(ErrorKind::File, Message("files.leads_outside", {{"name", name}, {"folder", folder}}))
        .in(spelled(folder, name));
}

} // namespace

std::shared_ptr<const DataFile> openBelow(const std::string& folder, const std::string& name) {
    const std::string path = spelled(folder, name), found = resolvedInside(folder, name);
    if (found.empty()) {
        const int failure = errno;
        if (!resolvedPath(path).empty()) refuse(folder, name);
        throw Error(ErrorKind::File, Message("files.cannot_open", {{"detail", std::strerror(failure)}})).in(path);
    }
    auto file = DataFile::open(path);
    // Another user may have put a link there meanwhile.
    if (resolvedInside(folder, name) != found || !file->unchanged()) refuse(folder, name);
    return file;
}

std::string readTextBelow(const std::string& folder, const std::string& name, std::uint64_t maxBytes) {
    return readText(*openBelow(folder, name), maxBytes);
}

bool isFileBelow(const std::string& folder, const std::string& name) {
    const std::string found = resolvedInside(folder, name);
    return !found.empty() && isRegular(found);
}

} // namespace fx
