// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace fx {

/// A growing array in blocks of equal size, for plain values. Elements never move, indexing costs a shift and a mask,
/// and growing never copies old elements.
template<class T, std::size_t BlockSize = 4096> class Blocks {
    static_assert((BlockSize & (BlockSize - 1)) == 0);

public:
    Blocks() = default;
    Blocks(Blocks&& other) noexcept : m_blocks(std::move(other.m_blocks)), m_size(std::exchange(other.m_size, 0)) {}
    Blocks& operator=(Blocks&& other) noexcept {
        m_blocks = std::move(other.m_blocks);
        m_size = std::exchange(other.m_size, 0);
        return *this;
    }

    std::size_t size() const { return m_size; } ///< number of elements
    T& operator[](std::size_t i) { return m_blocks[i / BlockSize][i % BlockSize]; }
    const T& operator[](std::size_t i) const { return m_blocks[i / BlockSize][i % BlockSize]; }
    /// Appends one element. O(1); allocates a block when the last one is full.
    void push_back(T value) {
        if (m_size % BlockSize == 0) m_blocks.push_back(std::make_unique_for_overwrite<T[]>(BlockSize));
        (*this)[m_size++] = std::move(value);
    }

    /// Appends all `values`, block by block.
    void append(std::span<const T> values) {
        while (!values.empty()) {
            if (m_size % BlockSize == 0) m_blocks.push_back(std::make_unique_for_overwrite<T[]>(BlockSize));
            const auto part = values.first(std::min(values.size(), BlockSize - m_size % BlockSize));
            std::copy(part.begin(), part.end(), m_blocks.back().get() + m_size % BlockSize);
            m_size += part.size();
            values = values.subspan(part.size());
        }
    }

private:
    std::vector<std::unique_ptr<T[]>> m_blocks;
    std::size_t m_size = 0;
};

} // namespace fx
