// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tensor/storage.h"

#include "core/base/visible_text.h"
#include "core/diag/error.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fx {

namespace {

Error fileError(const std::string& path, const Message& what) { return Error(ErrorKind::File, what).in(path); }

Error changedError(const std::string& path) { return fileError(path, Message("files.changed")); }

/// Fills `out` from `offset` on; false when the file ends before.
bool readFully(int descriptor, std::uint64_t offset, std::span<std::byte> out) {
    while (!out.empty()) {
        const ssize_t got = pread(descriptor, out.data(), out.size(), static_cast<off_t>(offset));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        offset += static_cast<std::uint64_t>(got);
        out = out.subspan(static_cast<std::size_t>(got));
    }
    return true;
}

/// A copy of a file that shares its blocks, without a name in the same folder; -1 if the file system cannot.
int sharedCopy(int descriptor, const std::string& path) {
    const std::string folder = std::filesystem::path(path).parent_path().string();
    const int copy = ::open(folder.empty() ? "." : folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (copy < 0) return -1;
    if (::ioctl(copy, FICLONE, descriptor) == 0) return copy;
    close(copy);
    return -1;
}

} // namespace

std::shared_ptr<const DataFile> DataFile::open(const std::string& path) {
    // Some devices act on being opened.
    if (struct stat named{}; ::stat(path.c_str(), &named) == 0 && !S_ISREG(named.st_mode) && !S_ISDIR(named.st_mode))
        throw fileError(path, Message("files.not_regular"));
    // Non-blocking, so that a named pipe that has come meanwhile is refused below and not waited for.
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) throw fileError(path, Message("files.cannot_open", {{"detail", std::strerror(errno)}}));
    std::shared_ptr<DataFile> file(new DataFile);
    file->m_descriptor = descriptor;
    file->m_path = path;
    struct stat status {};
    if (fstat(descriptor, &status) != 0)
        throw fileError(path, Message("files.cannot_read_because", {{"detail", std::strerror(errno)}}));
    if (S_ISDIR(status.st_mode)) throw fileError(path, Message("files.is_directory"));
    if (!S_ISREG(status.st_mode)) throw fileError(path, Message("files.not_regular"));
    file->m_size = static_cast<std::uint64_t>(status.st_size);
    file->m_device = status.st_dev;
    file->m_inode = status.st_ino;
    file->m_changedSeconds = status.st_mtim.tv_sec;
    file->m_changedNanos = status.st_mtim.tv_nsec;
    return file;
}

std::shared_ptr<const DataFile> DataFile::part(std::shared_ptr<const DataFile> whole, std::uint64_t offset,
                                               std::uint64_t bytes) {
    if (offset > whole->m_size || bytes > whole->m_size - offset)
        throw fileError(whole->m_path, Message("files.part_past_end")).at("byte " + std::to_string(offset));
    std::shared_ptr<DataFile> part(new DataFile);
    part->m_path = whole->m_path;
    part->m_size = bytes;
    part->m_start = offset + whole->m_start;
    part->m_whole = whole->m_whole ? whole->m_whole : std::move(whole);
    return part;
}

DataFile::~DataFile() {
    if (m_descriptor >= 0) close(m_descriptor);
    if (m_copy >= 0) close(m_copy);
}

bool DataFile::sameAs(const struct stat& status) const {
    return status.st_dev == m_device && status.st_ino == m_inode &&
           static_cast<std::uint64_t>(status.st_size) == m_size && status.st_mtim.tv_sec == m_changedSeconds &&
           status.st_mtim.tv_nsec == m_changedNanos;
}

void DataFile::read(std::uint64_t offset, std::span<std::byte> out) const {
    if (offset > m_size || out.size() > m_size - offset)
        throw fileError(m_path, Message("files.too_short")).at("byte " + std::to_string(offset));
    if (m_whole) return m_whole->read(m_start + offset, out);
    if (!m_content.empty()) {
        if (!out.empty()) std::memcpy(out.data(), m_content.data() + offset, out.size());
        return;
    }
    if (m_copy >= 0) {
        if (readFully(m_copy, offset, out)) return;
        throw fileError(m_path, Message("files.cannot_read")).at("byte " + std::to_string(offset));
    }
    const bool complete = readFully(m_descriptor, offset, out);
    // Checked after reading: a change before or during it is noticed, and what was read is dropped.
    struct stat status {};
    if (fstat(m_descriptor, &status) != 0 || !sameAs(status)) throw changedError(m_path);
    if (!complete) throw fileError(m_path, Message("files.cannot_read")).at("byte " + std::to_string(offset));
}

bool DataFile::keepContent(std::uint64_t most) const {
    if (m_whole) return m_whole->keepContent(most);
    if (m_size <= most) {
        std::vector<std::byte> content(static_cast<std::size_t>(m_size));
        read(0, content);
        m_content = std::move(content);
        return true;
    }
    const int copy = sharedCopy(m_descriptor, m_path);
    if (copy < 0) return false;
    struct stat status {};
    if (fstat(m_descriptor, &status) == 0 && sameAs(status)) return m_copy = copy, true;
    close(copy);
    return false;
}

bool DataFile::isReadable() const {
    if (m_whole) return m_whole->isReadable();
    struct stat status {};
    return !m_content.empty() || m_copy >= 0 || (fstat(m_descriptor, &status) == 0 && sameAs(status));
}

bool DataFile::unchanged() const {
    if (m_whole) return m_whole->unchanged();
    struct stat status {};
    return stat(m_path.c_str(), &status) == 0 && sameAs(status);
}

bool DataFile::isSame(const DataFile& other) const {
    return m_device == other.m_device && m_inode == other.m_inode && m_size == other.m_size &&
           m_changedSeconds == other.m_changedSeconds && m_changedNanos == other.m_changedNanos;
}

std::shared_ptr<const Storage> Storage::inFile(std::shared_ptr<const DataFile> file, std::uint64_t offset,
                                               std::uint64_t bytes) {
    if (offset > file->size() || bytes > file->size() - offset)
        throw fileError(file->path(), Message("files.tensor_past_file")).at("byte " + std::to_string(offset));
    std::shared_ptr<Storage> storage(new Storage);
    storage->m_offset = file->m_start + offset;
    storage->m_file = file->m_whole ? file->m_whole : std::move(file);
    storage->m_bytes = bytes;
    return storage;
}

std::shared_ptr<const Storage> Storage::inMemory(std::vector<std::byte> bytes) {
    std::shared_ptr<Storage> storage(new Storage);
    storage->m_bytes = bytes.size();
    storage->m_owned = std::move(bytes);
    return storage;
}

std::shared_ptr<const Storage> Storage::through(std::uint64_t bytes, Reader reader) {
    std::shared_ptr<Storage> storage(new Storage);
    storage->m_bytes = bytes;
    storage->m_reader = std::move(reader);
    return storage;
}

std::shared_ptr<const Storage> Storage::expression(std::string source, std::uint64_t bytes) {
    std::shared_ptr<Storage> storage(new Storage);
    storage->m_bytes = bytes;
    storage->m_expression = std::move(source);
    return storage;
}

void Storage::read(std::uint64_t offset, std::span<std::byte> out) const {
    if (isExpression())
        throw Error(ErrorKind::File, Message("files.not_computed")).quoting(visibleExcerpt(m_expression));
    if (offset > m_bytes || out.size() > m_bytes - offset)
        throw Error(ErrorKind::File, Message("files.tensor_past_storage"));
    if (m_file) return m_file->read(m_offset + offset, out);
    if (m_reader) return m_reader(offset, out);
    if (!out.empty()) std::memcpy(out.data(), m_owned.data() + offset, out.size());
}

} // namespace fx
