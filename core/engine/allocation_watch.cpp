// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/allocation_watch.h"

#include <c10/core/CPUAllocator.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <limits>

namespace fx::engine {
namespace {

constexpr std::size_t kAnyLimit = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kAlwaysAllowed = std::size_t{256} << 20;
constexpr std::size_t kTimesLargest = 4;

thread_local std::size_t largestAllocation = 0, mostAllocated = kAnyLimit;

/// The allocator that LibTorch has, with a limit for each tensor.
class LimitedAllocator final : public c10::Allocator {
public:
    explicit LimitedAllocator(c10::Allocator* base) : m_base(base) {}
    c10::DataPtr allocate(std::size_t bytes) override {
        TORCH_CHECK(bytes <= mostAllocated, "not enough memory for ", bytes, " bytes in a trial");
        largestAllocation = std::max(largestAllocation, bytes);
        return m_base->allocate(bytes);
    }
    c10::DeleterFnPtr raw_deleter() const override { return m_base->raw_deleter(); }
    void copy_data(void* to, const void* from, std::size_t count) const override { m_base->copy_data(to, from, count); }

private:
    c10::Allocator* m_base;
};

/// Once: tensors outlive what watches them.
void installAllocator() {
    static LimitedAllocator allocator(c10::GetCPUAllocator());
    static const bool done = [] {
        c10::SetCPUAllocator(&allocator, 1);
        return true;
    }();
    static_cast<void>(done);
}

} // namespace

AllocationWatch::AllocationWatch() : m_outerLargest(largestAllocation), m_outerMost(mostAllocated) {
    installAllocator();
    largestAllocation = 0;
}

AllocationWatch::~AllocationWatch() {
    largestAllocation = std::max(largestAllocation, m_outerLargest), mostAllocated = m_outerMost;
}

void AllocationWatch::limit() {
    mostAllocated = std::min(m_outerMost, std::max(kAlwaysAllowed, kTimesLargest * largestAllocation));
}

} // namespace fx::engine
