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

/// A file that is read on demand with pread and never mapped. Opening records its identity (device, inode, size, time)
/// and each read checks it: a truncated or overwritten file throws Error{File}, unless its content is kept.
/// Thread-safe.
class DataFile {
public:
    /// Opens a file. Throws Error{File} if that fails.
    static std::shared_ptr<const DataFile> open(const std::string& path);
    /// Returns a range of bytes of `whole` as a separate file. Throws Error{File} if the range exceeds it.
    static std::shared_ptr<const DataFile> part(std::shared_ptr<const DataFile> whole, std::uint64_t offset,
                                                std::uint64_t bytes);
    ~DataFile();
    DataFile(const DataFile&) = delete;
    DataFile& operator=(const DataFile&) = delete;

    const std::string& path() const { return m_path; } ///< as given to `open`
    std::uint64_t size() const { return m_size; }      ///< bytes
    /// Fills `out` from `offset`. Throws Error{File} if the file has changed or is too short.
    void read(std::uint64_t offset, std::span<std::byte> out) const;
    /// The greatest file that `keepContent` copies to memory by default.
    static constexpr std::uint64_t kMostInMemory = std::uint64_t{128} << 20;
    /// Keeps the content, so that overwriting the file has no effect: in memory up to `most` bytes, else as an unnamed
    /// copy that shares the blocks of the file, if the file system supports it (btrfs, XFS). Returns false if neither
    /// works. Call it before other threads read the file.
    bool keepContent(std::uint64_t most = kMostInMemory) const;
    /// False if the file was overwritten and its content is not kept.
    bool isReadable() const;
    /// Returns true if the file on disk is still the opened one.
    bool unchanged() const;
    /// Returns true if both are the same file in the same state.
    bool isSame(const DataFile& other) const;

private:
    DataFile() = default;
    bool sameAs(const struct stat& status) const;
    std::string m_path;
    int m_descriptor = -1;
    std::shared_ptr<const DataFile> m_whole; ///< the file that contains this part
    std::uint64_t m_start = 0;               ///< offset of a part in m_whole
    friend class Storage;
    std::uint64_t m_size = 0, m_device = 0, m_inode = 0;
    std::int64_t m_changedSeconds = 0, m_changedNanos = 0;
    mutable std::vector<std::byte> m_content; ///< empty unless the content is kept
    mutable int m_copy = -1;                  ///< the kept content as an unnamed file
};

/// The bytes of one or more tensors: a region of a file, bytes in memory, or an unevaluated expression.
class Storage {
public:
    /// A region of a file.
    static std::shared_ptr<const Storage> inFile(std::shared_ptr<const DataFile> file, std::uint64_t offset,
                                                 std::uint64_t bytes);
    /// Bytes in memory.
    static std::shared_ptr<const Storage> inMemory(std::vector<std::byte> bytes);
    /// Produces bytes on demand, such as a compressed member of an archive. A reader fills the span from the offset,
    /// may be called on any thread, and throws Error{File}.
    using Reader = std::function<void(std::uint64_t offset, std::span<std::byte> out)>;
    /// Bytes that `reader` produces.
    static std::shared_ptr<const Storage> through(std::uint64_t bytes, Reader reader);
    /// An unevaluated expression; `source` is its Python text, "torch.zeros(3, 4)".
    static std::shared_ptr<const Storage> expression(std::string source, std::uint64_t bytes);

    std::uint64_t byteCount() const { return m_bytes; }         ///< size, also of an expression
    bool isExpression() const { return !m_expression.empty(); } ///< true for an unevaluated expression
    /// The Python text of an expression; empty for other storages.
    const std::string& expressionSource() const { return m_expression; }
    /// The file of a region; null for other storages.
    const std::shared_ptr<const DataFile>& file() const { return m_file; }
    /// The offset of a region in its file.
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
