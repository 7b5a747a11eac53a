// SPDX-License-Identifier: GPL-3.0-or-later
// LibTorch before Qt: both define words that the other uses.
#include "core/engine/kept_memory.h"

#include <ATen/ATen.h>
#include <c10/core/CPUAllocator.h>

#include <QTest>

#include <optional>
#include <thread>

using fx::engine::KeptMemory;

class TestKeptMemory : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void tensor_ofTheSameSize_getsTheSameMemory() {
        const KeptMemory memory;
        const KeptMemory::Scope scope(memory);
        at::Tensor first = at::empty({1 << 16});
        const void* const place = first.data_ptr();
        const at::Tensor second = at::empty({1 << 16});
        QVERIFY(second.data_ptr() != place);
        first.reset();
        QCOMPARE(at::empty({1 << 17}).data_ptr() == place, false);
        QCOMPARE(at::empty({1 << 16}).data_ptr(), place);
    }
    void tensor_afterTheScope_isNotOfTheMemory() {
        const KeptMemory memory;
        const void* place = nullptr;
        {
            const KeptMemory::Scope scope(memory);
            place = at::empty({1 << 16}).data_ptr();
        }
        const at::Tensor outside = at::ones({1 << 16});
        const KeptMemory::Scope again(memory);
        QCOMPARE(at::empty({1 << 16}).data_ptr(), place); // which nobody else got
    }
    void tensor_afterTheMemory_keepsItsValues() {
        std::optional<KeptMemory> memory(std::in_place);
        at::Tensor kept;
        {
            const KeptMemory::Scope scope(*memory);
            kept = at::full({1 << 16}, 3);
        }
        memory.reset();
        QCOMPARE(kept.sum().item<double>(), 3.0 * (1 << 16));
    }
    void tensor_endingOnAnotherThread_givesItsMemoryBack() {
        const KeptMemory memory;
        const KeptMemory::Scope scope(memory);
        at::Tensor tensor = at::empty({1 << 16});
        const void* const place = tensor.data_ptr();
        std::thread([moved = std::move(tensor)]() mutable { moved.reset(); }).join();
        QCOMPARE(at::empty({1 << 16}).data_ptr(), place);
    }
    void memory_thatARunDoesNotNeed_goesBack() {
        const KeptMemory memory;
        const auto run = [&](std::int64_t elements) {
            const KeptMemory::Scope scope(memory);
            at::empty({elements}).zero_();
        };
        run(1 << 16);
        QCOMPARE(memory.bytes(), std::size_t{4} << 16);
        run(1 << 16);
        QCOMPARE(memory.bytes(), std::size_t{4} << 16);
        run(1 << 17);
        QCOMPARE(memory.bytes(), std::size_t{4} << 17);
    }
    /// oneDNN asks for memory by address alone.
    void rawMemory_ofAndOutsideTheScope_endsByItsAddress() {
        const KeptMemory memory;
        void* const outside = c10::GetCPUAllocator()->raw_allocate(1 << 20);
        const KeptMemory::Scope scope(memory);
        void* const inside = c10::GetCPUAllocator()->raw_allocate(1 << 20);
        c10::GetCPUAllocator()->raw_deallocate(outside);
        c10::GetCPUAllocator()->raw_deallocate(inside);
        QCOMPARE(c10::GetCPUAllocator()->raw_allocate(1 << 20), inside);
        c10::GetCPUAllocator()->raw_deallocate(inside);
    }
    void scope_withinAnother_countsAlone() {
        const KeptMemory outer, inner;
        const KeptMemory::Scope scope(outer);
        const void* place = nullptr;
        {
            const KeptMemory::Scope within(inner);
            place = at::empty({1 << 16}).data_ptr();
        }
        const at::Tensor other = at::empty({1 << 16});
        QVERIFY(other.data_ptr() != place);
    }
};

QTEST_GUILESS_MAIN(TestKeptMemory)
#include "tst_kept_memory.moc"
