// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/tensor/storage.h"

#include <memory>
#include <span>
#include <string>

namespace fx::reader {

/// Anonymous shared memory that a client gives its reader. The reader leaves large tensors in it and the client uses
/// them in place, so they are copied once. Only written pages take memory. Any thread.
class ByteArena : public std::enable_shared_from_this<ByteArena> {
public:
    /// Reserves address space for `bytes` bytes. Returns null on failure; bytes then go through the pipe.
    static std::shared_ptr<ByteArena> make(std::uint64_t bytes);
    ~ByteArena();
    ByteArena(const ByteArena&) = delete;
    ByteArena& operator=(const ByteArena&) = delete;

    /// The path under which the reader opens the arena while the client holds it.
    std::string place() const;
    std::uint64_t size() const { return m_size; }
    /// Returns a range of the arena as a storage, which keeps the arena alive. Throws Error{Run} if the range is
    /// outside.
    std::shared_ptr<const Storage> storage(std::uint64_t at, std::uint64_t bytes);

    /// Called in the reader: maps the whole arena for writing; empty if it cannot be opened. The mapping stays until
    /// the process ends.
    static std::span<std::byte> open(const std::string& place, std::uint64_t bytes);

private:
    ByteArena(int descriptor, std::uint64_t size, const std::byte* start)
        : m_descriptor(descriptor), m_size(size), m_start(start) {}
    int m_descriptor;
    std::uint64_t m_size;
    const std::byte* m_start;
};

} // namespace fx::reader
