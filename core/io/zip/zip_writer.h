// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/tensor/storage.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace fx {

/// Writes an archive as torch.save does: stored members whose data begins at multiples of 64 bytes, and zip64 where
/// necessary. Members are streamed; only the directory is kept in memory.
class ZipWriter {
public:
    /// `sink` receives the bytes of the file in order.
    explicit ZipWriter(std::function<void(std::string_view)> sink) : m_sink(std::move(sink)) {}

    void add(std::string name, std::string_view content);
    /// The first `bytes` bytes of a storage, read in pieces.
    void add(std::string name, const Storage& storage, std::uint64_t bytes);
    /// Writes the directory. Do not add members afterwards.
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
    std::string m_waiting;     ///< not given to the sink yet
    std::vector<char> m_block; ///< of the storage that is read
};

} // namespace fx
