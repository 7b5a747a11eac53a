// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <memory>

namespace fx::engine {

/// Caches the memory of freed tensors for later tensors of the same size. The system hands out fresh memory page by
/// page, which costs a MobileNet a third of its time; with the cache, repeated runs of a model pay this once.
///
///     KeptMemory memory;
///     {
///         const KeptMemory::Scope scope(memory);
///         model.run(inputs);
///     }
///
/// Tensors may outlive the cache and may be freed on any thread. A scope is a run: at its end, memory that the run did
/// not need returns to the system.
class KeptMemory {
public:
    KeptMemory();
    ~KeptMemory();
    KeptMemory(const KeptMemory&) = delete;
    KeptMemory& operator=(const KeptMemory&) = delete;

    std::size_t bytes() const; ///< bytes cached and not in use by a tensor

    /// During its lifetime, large tensors that this thread allocates use the cache. Scopes nest; the innermost counts.
    class Scope {
    public:
        explicit Scope(const KeptMemory& memory);
        ~Scope();
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

    private:
        std::shared_ptr<class MemoryPool> m_outer;
    };

private:
    std::shared_ptr<class MemoryPool> m_pool;
};

} // namespace fx::engine
