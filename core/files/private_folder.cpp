// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/files/private_folder.h"

#include "core/files/replaced_file.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace fx {
namespace {

constexpr mode_t kOthersWrite = S_IWGRP | S_IWOTH;

/// An open folder, not followed if it is a link.
struct Folder {
    int descriptor;
    struct stat status {};
    explicit Folder(const std::string& path)
        : descriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) {
        if (descriptor >= 0) ::fstat(descriptor, &status);
    }
    ~Folder() {
        if (descriptor >= 0) ::close(descriptor);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    bool isOwn() const { return descriptor >= 0 && status.st_uid == ::geteuid(); }
};

} // namespace

bool isPrivateFolder(const std::string& path) {
    const Folder folder(path);
    return folder.isOwn() && (folder.status.st_mode & kOthersWrite) == 0;
}

void makePrivateFolder(const std::string& path) {
    std::vector<std::string> missing;
    std::error_code unknown;
    for (std::filesystem::path at = path; !at.empty() && !std::filesystem::exists(at, unknown); at = at.parent_path())
        missing.push_back(at.string());
    for (auto each = missing.rbegin(); each != missing.rend(); ++each)
        if (::mkdir(each->c_str(), S_IRWXU) != 0 && errno != EEXIST) throw cannotWrite(path, errno);
    const Folder folder(path);
    const bool isShared = (folder.status.st_mode & S_ISVTX) != 0; // one like /tmp, that is for everybody
    if (!folder.isOwn() || isShared)
        throw Error(ErrorKind::Refused, Message("files.not_own_folder", {{"folder", path}})).in(path);
    if ((folder.status.st_mode & kOthersWrite) != 0 && ::fchmod(folder.descriptor, S_IRWXU) != 0)
        throw cannotWrite(path, errno);
}

std::string homeFolder() {
    if (const char* home = std::getenv("HOME"); home && home[0] == '/') return home;
    const passwd* user = ::getpwuid(::geteuid());
    return user && user->pw_dir && user->pw_dir[0] == '/' ? user->pw_dir : "";
}

std::string userFolder(const char* variable, const char* usual) {
    if (const char* folder = std::getenv(variable); folder && folder[0] == '/') return std::string(folder) + "/lancet";
    const std::string home = homeFolder();
    return home.empty() ? home : home + "/" + usual + "/lancet";
}

} // namespace fx
