// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace fx {

/// A growing array in chunks that copies share until one of them writes.
///
/// Copying costs one pointer per chunk, so a snapshot of 100,000 elements is a few hundred reference counts.
/// References stay valid while the array grows, until the element's chunk is written through another copy.
/// One thread may write a copy while others read theirs.
template<class T, std::size_t ChunkSize = 256>
class CowChunks {
public:
    std::size_t size() const { return m_size; }

    const T& operator[](std::size_t i) const { return (*m_chunks[i / ChunkSize])[i % ChunkSize]; }

    /// The element for writing; its chunk is copied first when a snapshot shares it.
    T& mut(std::size_t i) {
        auto& chunk = m_chunks[i / ChunkSize];
        if (chunk.use_count() > 1) chunk = std::make_shared<Chunk>(*chunk);
        return (*chunk)[i % ChunkSize];
    }

    /// Appends `value` and returns its index.
    std::size_t push(T value) {
        if (m_size % ChunkSize == 0) m_chunks.push_back(std::make_shared<Chunk>());
        mut(m_size) = std::move(value);
        return m_size++;
    }

private:
    using Chunk = std::array<T, ChunkSize>;
    std::vector<std::shared_ptr<Chunk>> m_chunks;
    std::size_t m_size = 0;
};

} // namespace fx
