// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/files/replaced_folder.h"

#include "core/diag/error.h"
#include "core/files/replaced_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace fx {
namespace {

Error refused(const Message& what) { return Error(ErrorKind::Refused, what); }

void requireFolder(const std::string& path, const std::string& target) {
    struct stat status;
    if (::lstat(path.c_str(), &status) != 0 || S_ISLNK(status.st_mode))
        throw refused(Message("folder.link")).in(target);
    if (!S_ISDIR(status.st_mode)) throw refused(Message("folder.file_in_the_way")).in(target);
}

/// Until it is complete nobody else can enter it. The bit that hands the group down stays.
void openToOthers(const std::string& folder, mode_t mode) {
    struct stat status;
    if (::stat(folder.c_str(), &status) == 0) ::chmod(folder.c_str(), mode | (status.st_mode & S_ISGID));
}

std::string folderAbove(const std::string& folder) { return std::filesystem::absolute(folder).parent_path().string(); }

} // namespace

std::string withoutSlash(std::string folder) {
    while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
    return folder;
}

void checkFolderPlace(const std::string& target, const FolderCheck& mayGo) {
    const std::string folder = withoutSlash(target);
    if (::access(folderAbove(folder).c_str(), W_OK | X_OK) != 0)
        throw refused(Message("folder.cannot_create", {{"detail", std::strerror(errno)}})).in(folder);
    struct stat status;
    if (::lstat(folder.c_str(), &status) != 0) return;
    requireFolder(folder, folder);
    mayGo(folder);
    if (::access(folder.c_str(), W_OK | X_OK) != 0) // what is in it could not be removed
        throw refused(Message("folder.cannot_replace", {{"detail", std::strerror(errno)}})).in(folder);
}

ReplacedFolder::ReplacedFolder(const std::string& target, FolderCheck mayGo)
    : m_target(withoutSlash(target)), m_mayGo(std::move(mayGo)) {
    checkFolderPlace(m_target, m_mayGo);
    m_beside.emplace(m_target);
}

void ReplacedFolder::fill(const std::function<void()>& work) const {
    const auto inTarget = [this](const std::string& path) {
        const std::string& beside = m_beside->path();
        return path.starts_with(beside + "/") ? m_target + path.substr(beside.size()) : path;
    };
    try {
        work();
    } catch (const Error& error) {
        MessageArguments arguments = error.message().arguments();
        for (MessageArgument& argument : arguments)
            if (auto* path = std::get_if<std::string>(&argument.value)) *path = inTarget(*path);
        Error named(error.kind(), Message::received(error.message().code(), std::move(arguments), error.what()));
        named.in(inTarget(error.file)).at(error.where).onNode(error.node).onModule(error.modulePath);
        throw named.quoting(error.source).hinting(error.hint);
    }
}

/// The old folder goes only when the new one is in its place and proved right.
void ReplacedFolder::commit(const std::function<void()>& check) {
    checkFolderPlace(m_target, m_mayGo); // another program may have put something into it meanwhile
    struct stat old;
    const std::string& beside = m_beside->path();
    const bool replaces = ::lstat(m_target.c_str(), &old) == 0;
    const unsigned how = replaces ? RENAME_EXCHANGE : RENAME_NOREPLACE;
    openToOthers(beside, replaces ? old.st_mode & 0777 : modeForNew(0777));
    if (::renameat2(AT_FDCWD, beside.c_str(), AT_FDCWD, m_target.c_str(), how) != 0)
        throw refused(Message("folder.cannot_replace", {{"detail", std::strerror(errno)}})).in(m_target);
    try {
        if (replaces) requireFolder(beside, m_target), m_mayGo(beside); // what was really there
        if (check) check();
    } catch (...) {
        if (::renameat2(AT_FDCWD, m_target.c_str(), AT_FDCWD, beside.c_str(), how) != 0) keepBeside();
        throw;
    }
    if (!replaces) m_beside->release(); // it is the target now
    m_beside.reset();
    if (const int descriptor = ::open(folderAbove(m_target).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        descriptor >= 0)
        ::fsync(descriptor), ::close(descriptor);
}

/// What was there is never removed when it cannot go back to its place.
void ReplacedFolder::keepBeside() {
    const std::string why = std::strerror(errno), old = m_beside->path();
    m_beside->release();
    throw refused(Message("folder.left_wrong", {{"detail", why}, {"old", old}})).in(m_target);
}

} // namespace fx
