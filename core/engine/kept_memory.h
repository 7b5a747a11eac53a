// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <memory>

namespace fx::engine {

/// Memory of tensors that is kept when they end, for the next tensors of the same size. The system hands out fresh
/// memory page by page, which costs a MobileNet a third of its time; a model that runs again and again needs it once.
///
///     KeptMemory memory;
///     {
///         const KeptMemory::Scope scope(memory);
///         model.run(inputs);
///     }
///
/// Tensors may outlive it and may end on any thread. A scope is a run: at its end, memory that it did not need goes
/// back to the system.
class KeptMemory {
public:
    KeptMemory();
    ~KeptMemory();
    KeptMemory(const KeptMemory&) = delete;
    KeptMemory& operator=(const KeptMemory&) = delete;

    std::size_t bytes() const; ///< that are kept and that no tensor has

    /// While it is alive, large tensors that this thread allocates come from the memory. The inner of two counts.
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
