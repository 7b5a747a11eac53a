// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace fx {

/// A growing copy-on-write array: a tree of three levels (root, branches, chunks) that copies share until one of them
/// writes.
///
/// Copying costs one reference count, whatever the size. The first write after a copy copies the root, one branch and
/// one chunk. References stay valid while the array grows, until the chunk of the element is written through another
/// copy. One thread may write a copy while others read theirs.
template<class T, std::size_t ChunkSize = 32> class CowChunks {
    static constexpr std::size_t kFanOut = 64;
    static constexpr std::size_t kBranchSize = ChunkSize * kFanOut;
    using Chunk = std::array<T, ChunkSize>;
    using Branch = std::array<std::shared_ptr<Chunk>, kFanOut>;
    using Root = std::vector<std::shared_ptr<Branch>>;

public:
    CowChunks() : m_root(std::make_shared<Root>()) {}

    std::size_t size() const { return m_size; } ///< number of elements

    const T& operator[](std::size_t i) const {
        return (*(*(*m_root)[i / kBranchSize])[i / ChunkSize % kFanOut])[i % ChunkSize];
    }

    /// Returns the element for writing, after copying the shared parts on the path to it.
    T& mut(std::size_t i) { return (*own((*ownBranch(i))[i / ChunkSize % kFanOut]))[i % ChunkSize]; }

    /// Appends `value` and returns its index.
    std::size_t push(T value) {
        grow() = std::move(value);
        return m_size - 1;
    }

    /// Appends T() and returns it for writing.
    T& grow() {
        if (m_size % kBranchSize == 0) own(m_root)->push_back(std::make_shared<Branch>());
        if (m_size % ChunkSize == 0) (*ownBranch(m_size))[m_size / ChunkSize % kFanOut] = std::make_shared<Chunk>();
        return mut(m_size++);
    }

    /// Calls `visit(i)` in ascending order for each index whose elements may differ: those in chunks that `a` and `b`
    /// do not share, and those past the end of the shorter array. O(visited + size / 2048).
    template<class Visit> static void visitUnshared(const CowChunks& a, const CowChunks& b, const Visit& visit) {
        if (a.m_root == b.m_root && a.m_size == b.m_size) return;
        const std::size_t size = std::max(a.m_size, b.m_size);
        for (std::size_t i = 0; i < size;) {
            if (a.part(i / kBranchSize) == b.part(i / kBranchSize) && a.part(i / kBranchSize) &&
                fills(a, b, i, kBranchSize)) {
                i += kBranchSize;
                continue;
            }
            const std::size_t end = std::min(i + ChunkSize, size);
            if (a.chunk(i) == b.chunk(i) && a.chunk(i) && fills(a, b, i, ChunkSize)) i = end;
            for (; i < end; ++i) visit(i);
        }
    }

private:
    const Branch* part(std::size_t branch) const { return branch < m_root->size() ? (*m_root)[branch].get() : nullptr; }
    const Chunk* chunk(std::size_t i) const {
        const Branch* branch = part(i / kBranchSize);
        return branch ? (*branch)[i / ChunkSize % kFanOut].get() : nullptr;
    }
    /// True if both arrays fill all of the range, so that a shared part has the same elements in both.
    static bool fills(const CowChunks& a, const CowChunks& b, std::size_t begin, std::size_t count) {
        return a.m_size == b.m_size || std::min(a.m_size, b.m_size) >= begin + count;
    }
    Branch* ownBranch(std::size_t i) { return own((*own(m_root))[i / kBranchSize]); }

    template<class Part> static Part* own(std::shared_ptr<Part>& part) {
        if (part.use_count() > 1) part = std::make_shared<Part>(std::as_const(*part));
        return part.get();
    }

    std::shared_ptr<Root> m_root;
    std::size_t m_size = 0;
};

} // namespace fx
