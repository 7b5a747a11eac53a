// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>

namespace fx::engine {

/// Bounds the memory of trials. While it is alive, it knows the largest tensor that this thread allocates, and after
/// `limit` none may be much larger: an allocation then fails as when there is no memory. Numbers in trials may turn out
/// to be sizes (`arange(n)`, `bincount`), and those of a gigabyte say nothing.
class AllocationWatch {
public:
    AllocationWatch();
    ~AllocationWatch();
    AllocationWatch(const AllocationWatch&) = delete;
    AllocationWatch& operator=(const AllocationWatch&) = delete;

    /// From now on, tensors of more than 256 MiB may have no more than 4 times the bytes of the largest until here.
    void limit();

private:
    std::size_t m_outerLargest, m_outerMost;
};

} // namespace fx::engine
