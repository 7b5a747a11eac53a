// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/tensor/storage.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace fx {

/// Writes an archive like torch.save: stored members whose data begins at multiples of 64 bytes, and zip64 if
/// necessary. Members are streamed; only the directory is kept in memory.
class ZipWriter {
public:
    /// `sink` receives the bytes of the file in order.
    explicit ZipWriter(std::function<void(std::string_view)> sink) : m_sink(std::move(sink)) {}

    /// Adds a member with this content.
    void add(std::string name, std::string_view content);
    /// Adds a member with the first `bytes` bytes of a storage, read in pieces.
    void add(std::string name, const Storage& storage, std::uint64_t bytes);
    /// Writes the directory. Add no members afterwards.
    void finish();

private:
    struct Member {
        std::string name;
        std::uint64_t offset, size;
        std::uint32_t crc;
    };
    void begin(std::string name, std::uint64_t size);
    void data(std::string_view bytes);
    void end();
    void put(std::string_view bytes);
    void flush();

    std::function<void(std::string_view)> m_sink;
    std::vector<Member> m_members;
    std::uint64_t m_position = 0;
    std::string m_waiting;     ///< not passed to the sink yet
    std::vector<char> m_block; ///< buffer for reading storages
};

} // namespace fx
