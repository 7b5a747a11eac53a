// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

struct stat;

namespace fx {

/// A file that is read on demand with pread and never mapped. Its identity (device, inode, size, time) is recorded on
/// opening and checked on each read: a file that was truncated or overwritten throws Error{File}, unless its content is
/// kept. Thread-safe.
class DataFile {
public:
    static std::shared_ptr<const DataFile> open(const std::string& path);
    /// Bytes of a file as a file of their own; what is in it lies in `whole`. Throws Error{File} past its end.
    static std::shared_ptr<const DataFile> part(std::shared_ptr<const DataFile> whole, std::uint64_t offset,
                                                std::uint64_t bytes);
    ~DataFile();
    DataFile(const DataFile&) = delete;
    DataFile& operator=(const DataFile&) = delete;

    const std::string& path() const { return m_path; }
    std::uint64_t size() const { return m_size; }
    /// Fills `out` starting at `offset`; throws if the file has changed or is too short.
    void read(std::uint64_t offset, std::span<std::byte> out) const;
    static constexpr std::uint64_t kMostInMemory = std::uint64_t{128} << 20;
    /// Keeps its content, so that overwriting the file changes nothing: in memory up to `most` bytes, else in a copy
    /// without a name that shares the blocks of the file, where the file system can (btrfs, XFS). False: neither. To be
    /// called before others read it.
    bool keepContent(std::uint64_t most = kMostInMemory) const;
    /// False when it was overwritten and its content is not kept.
    bool isReadable() const;
    /// Whether the file on disk is still the one that was opened.
    bool unchanged() const;
    /// Whether both are one file, in the state that it had at one time.
    bool isSame(const DataFile& other) const;

private:
    DataFile() = default;
    bool sameAs(const struct stat& status) const;
    std::string m_path;
    int m_descriptor = -1;
    std::shared_ptr<const DataFile> m_whole; ///< of a part
    std::uint64_t m_start = 0;               ///< of a part
    friend class Storage;
    std::uint64_t m_size = 0, m_device = 0, m_inode = 0;
    std::int64_t m_changedSeconds = 0, m_changedNanos = 0;
    mutable std::vector<std::byte> m_content; ///< empty unless it is kept
    mutable int m_copy = -1;                  ///< the same, as a file without a name
};

/// The bytes of one or several tensors: a region of a file, bytes in memory, or an unevaluated expression.
class Storage {
public:
    static std::shared_ptr<const Storage> inFile(std::shared_ptr<const DataFile> file, std::uint64_t offset,
                                                 std::uint64_t bytes);
    static std::shared_ptr<const Storage> inMemory(std::vector<std::byte> bytes);
    /// Bytes that `reader` produces on demand (a compressed member of an archive). It fills the span with the bytes
    /// starting at the offset, may be called from any thread, and throws Error{File}.
    using Reader = std::function<void(std::uint64_t offset, std::span<std::byte> out)>;
    static std::shared_ptr<const Storage> through(std::uint64_t bytes, Reader reader);
    /// `source`: Python text of the expression, e.g. "torch.zeros(3, 4)".
    static std::shared_ptr<const Storage> expression(std::string source, std::uint64_t bytes);

    std::uint64_t byteCount() const { return m_bytes; }
    bool isExpression() const { return !m_expression.empty(); }
    const std::string& expressionSource() const { return m_expression; }
    const std::shared_ptr<const DataFile>& file() const { return m_file; }
    std::uint64_t fileOffset() const { return m_offset; }
    /// Copies bytes [offset, offset + out.size()) to `out`. Throws Error{File} if they cannot be read.
    void read(std::uint64_t offset, std::span<std::byte> out) const;

private:
    Storage() = default;
    std::shared_ptr<const DataFile> m_file;
    std::uint64_t m_offset = 0, m_bytes = 0;
    std::vector<std::byte> m_owned;
    Reader m_reader;
    std::string m_expression;
};

} // namespace fx
