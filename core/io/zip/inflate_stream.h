// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/tensor/storage.h"

#include <mutex>
#include <zlib.h>

namespace fx {

/// The content of a deflated archive member, produced piece by piece in bounded memory.
///
/// Reading forward continues where the last read ended; reading backward restarts. Thread-safe.
class InflateStream {
public:
    /// `compressed` bytes at `offset` of the file contain `size` bytes of content. `name` is the member's name, for
    /// errors.
    InflateStream(std::shared_ptr<const DataFile> file, std::uint64_t offset, std::uint64_t compressed,
                  std::uint64_t size, std::string name);
    ~InflateStream();
    InflateStream(const InflateStream&) = delete;
    InflateStream& operator=(const InflateStream&) = delete;

    /// Fills `out` with the content starting at `offset`. Throws Error{File} if the data is damaged or truncated.
    void read(std::uint64_t offset, std::span<std::byte> out);

private:
    void restart();
    void produce(std::span<std::byte> out);

    std::shared_ptr<const DataFile> m_file;
    const std::uint64_t m_offset, m_compressed, m_size;
    const std::string m_name;
    std::mutex m_mutex;
    z_stream m_stream{};
    bool m_running = false;
    std::uint64_t m_position = 0; ///< position in the inflated content
    std::uint64_t m_consumed = 0; ///< compressed bytes passed to zlib
    std::vector<std::byte> m_input;
};

} // namespace fx
