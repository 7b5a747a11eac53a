// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>

namespace fx::engine {

/// Limits the memory of trials. During its lifetime, it records the largest tensor that this thread allocates. After
/// `limit`, allocating a much larger tensor fails like an allocation without free memory: numbers in trials can end up
/// as sizes (`arange(n)`, `bincount`), and results of a gigabyte are of no use. Scopes nest.
class AllocationWatch {
public:
    AllocationWatch();
    ~AllocationWatch();
    AllocationWatch(const AllocationWatch&) = delete;
    AllocationWatch& operator=(const AllocationWatch&) = delete;

    /// Limits tensors above 256 MiB to 4 times the bytes of the largest one so far.
    void limit();

private:
    std::size_t m_outerLargest, m_outerMost;
};

} // namespace fx::engine
