// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/files/replaced_file.h"

#include "core/diag/error.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace fx {
namespace {

mode_t modeForNewFiles() {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    return 0666 & ~mask;
}

/// The file that a chain of links leads to, whether it exists or not.
std::string followLinks(const std::string& path) {
    std::error_code failed;
    const auto resolved = std::filesystem::weakly_canonical(path, failed);
    return failed ? path : resolved.string();
}

} // namespace

void ReplacedFile::fail(std::string_view what) const {
    throw Error(ErrorKind::Refused, "cannot " + std::string(what) + " " + m_target + ": " + std::strerror(errno)).in(m_target);
}

ReplacedFile::ReplacedFile(const std::string& target) : m_target(followLinks(target)) {
    struct stat status;
    const bool exists = ::stat(m_target.c_str(), &status) == 0;
    if ((exists && S_ISDIR(status.st_mode)) || target.ends_with('/')) {
        errno = EISDIR;
        fail("write");
    }
    if (exists && !S_ISREG(status.st_mode)) {
        m_descriptor = ::open(m_target.c_str(), O_WRONLY | O_CLOEXEC);
        if (m_descriptor < 0) fail("write");
        return;
    }
    m_temporary = m_target + ".XXXXXX";
    m_descriptor = ::mkostemp(m_temporary.data(), O_CLOEXEC);
    if (m_descriptor < 0) {
        m_temporary.clear();
        fail("write");
    }
    ::fchmod(m_descriptor, exists ? status.st_mode & 07777 : modeForNewFiles());
}

ReplacedFile::~ReplacedFile() {
    if (m_descriptor < 0) return;
    ::close(m_descriptor);
    if (!m_temporary.empty()) ::unlink(m_temporary.c_str());
}

void ReplacedFile::write(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(m_descriptor, bytes.data(), bytes.size());
        if (written < 0 && errno != EINTR) fail("write");
        if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

void ReplacedFile::commit() {
    if (m_temporary.empty()) return;
    if (::fsync(m_descriptor) != 0 || ::rename(m_temporary.c_str(), m_target.c_str()) != 0) fail("write");
    ::close(m_descriptor);
    m_descriptor = -1;
}

} // namespace fx
