// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/kept_memory.h"

#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/alloc_cpu.h>

#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace fx::engine {

/// Blocks that no tensor has, by size.
class MemoryPool {
public:
    MemoryPool() = default;
    ~MemoryPool() {
        for (const auto& [bytes, blocks] : m_free)
            for (const Block& block : blocks) c10::free_cpu(block.data);
    }
    MemoryPool(const MemoryPool&) = delete;
    MemoryPool& operator=(const MemoryPool&) = delete;

    void* take(std::size_t bytes) {
        {
            const std::lock_guard lock(m_mutex);
            if (std::vector<Block>& blocks = m_free[bytes]; !blocks.empty()) {
                void* data = blocks.back().data;
                blocks.pop_back();
                return data;
            }
        }
        return c10::alloc_cpu(bytes);
    }
    void give(void* block, std::size_t bytes) {
        const std::lock_guard lock(m_mutex);
        m_free[bytes].push_back({block, m_run});
    }
    /// Gives back what the run that ends did not need: a run on other sizes would keep both.
    void endRun() {
        const std::lock_guard lock(m_mutex);
        for (auto& [bytes, blocks] : m_free)
            std::erase_if(blocks, [&](const Block& block) {
                if (block.run == m_run) return false;
                c10::free_cpu(block.data);
                return true;
            });
        ++m_run;
    }
    std::size_t bytes() {
        const std::lock_guard lock(m_mutex);
        std::size_t sum = 0;
        for (const auto& [bytes, blocks] : m_free) sum += bytes * blocks.size();
        return sum;
    }

private:
    struct Block {
        void* data;
        std::uint64_t run; ///< in which it was given
    };
    std::mutex m_mutex;
    std::uint64_t m_run = 0;
    std::unordered_map<std::size_t, std::vector<Block>> m_free;
};

namespace {

/// Smaller ones come from memory that the process has already.
constexpr std::size_t kLeastKept = std::size_t{16} << 10;

thread_local std::shared_ptr<MemoryPool> currentPool;

/// The blocks of pools that tensors have now. LibTorch wants to end a block by its address alone (`raw_deallocate`).
class BlocksInUse {
public:
    void add(void* block, const std::shared_ptr<MemoryPool>& pool, std::size_t bytes) {
        const std::lock_guard lock(m_mutex);
        m_owners.insert_or_assign(block, Owner{pool, bytes});
    }
    /// Gives it back to its pool, or to the system if the pool has ended; false if it is of no pool.
    bool end(void* block) {
        Owner owner;
        {
            const std::lock_guard lock(m_mutex);
            const auto found = m_owners.find(block);
            if (found == m_owners.end()) return false;
            owner = std::move(found->second);
            m_owners.erase(found);
        }
        const std::shared_ptr<MemoryPool> pool = owner.pool.lock();
        if (pool) pool->give(block, owner.bytes);
        else c10::free_cpu(block);
        return true;
    }

private:
    struct Owner {
        std::weak_ptr<MemoryPool> pool;
        std::size_t bytes = 0;
    };
    std::mutex m_mutex;
    std::unordered_map<void*, Owner> m_owners;
};

/// The allocator that LibTorch has, with pools.
class PoolingAllocator final : public c10::Allocator {
public:
    c10::DataPtr allocate(std::size_t bytes) override {
        if (!currentPool || bytes < kLeastKept) return m_base->allocate(bytes);
        void* block = currentPool->take(bytes);
        m_inUse.add(block, currentPool, bytes);
        return {block, block, &PoolingAllocator::end, c10::Device(c10::kCPU)};
    }
    c10::DeleterFnPtr raw_deleter() const override { return &PoolingAllocator::end; }
    void copy_data(void* to, const void* from, std::size_t count) const override { m_base->copy_data(to, from, count); }

    /// Once, and without an end: tensors outlive pools.
    static void install() {
        static const bool done = (c10::SetCPUAllocator(&one(), 1), true);
        static_cast<void>(done);
    }

private:
    static PoolingAllocator& one() {
        static auto* allocator = new PoolingAllocator;
        return *allocator;
    }
    static void end(void* block) {
        if (!one().m_inUse.end(block)) one().m_base->raw_deleter()(block);
    }

    c10::Allocator* m_base = c10::GetCPUAllocator();
    BlocksInUse m_inUse;
};

} // namespace

KeptMemory::KeptMemory() : m_pool(std::make_shared<MemoryPool>()) { PoolingAllocator::install(); }
KeptMemory::~KeptMemory() = default;
std::size_t KeptMemory::bytes() const { return m_pool->bytes(); }

KeptMemory::Scope::Scope(const KeptMemory& memory) : m_outer(std::exchange(currentPool, memory.m_pool)) {}
KeptMemory::Scope::~Scope() {
    const auto pool = std::exchange(currentPool, std::move(m_outer));
    if (pool != currentPool) pool->endRun();
}

} // namespace fx::engine
