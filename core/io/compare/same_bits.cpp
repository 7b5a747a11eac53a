// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/compare/same_bits.h"

#include "core/tensor/elements.h"

#include <algorithm>
#include <cstring>

namespace fx {
namespace {

constexpr std::uint64_t kBlock = 1 << 20;

bool isContiguous(const TensorRef& tensor) {
    std::int64_t expected = 1;
    for (std::size_t i = tensor.sizes.size(); i-- > 0;) {
        if (tensor.sizes[i] != 1 && tensor.strides[i] != expected) return false;
        expected *= tensor.sizes[i];
    }
    return true;
}

bool sameRegion(const Storage& a, std::uint64_t offsetA, const Storage& b, std::uint64_t offsetB, std::uint64_t bytes,
                const Progress& progress) {
    const bool sameFile = a.file() && b.file() && a.file()->isSame(*b.file());
    if (sameFile ? a.fileOffset() + offsetA == b.fileOffset() + offsetB : &a == &b && offsetA == offsetB) return true;
    std::vector<std::byte> blockA(std::min(bytes, kBlock)), blockB(blockA.size());
    for (std::uint64_t done = 0; done < bytes; done += blockA.size()) {
        progress.check();
        const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(blockA.size(), bytes - done));
        a.read(offsetA + done, std::span(blockA).first(count));
        b.read(offsetB + done, std::span(blockB).first(count));
        if (std::memcmp(blockA.data(), blockB.data(), count) != 0) return false;
    }
    return true;
}

/// The stored bytes of elements [first, first + count), row-major.
std::vector<std::byte> gather(ElementStream& stream, std::size_t elementSize, std::int64_t first, std::int64_t count,
                              const Progress& progress) {
    std::vector<std::byte> block(static_cast<std::size_t>(count) * elementSize);
    stream.visit(first, count, progress, [&](const ElementStream::Run& run) {
        for (std::size_t i = 0; i < run.count; ++i) {
            const auto place =
                static_cast<std::size_t>(run.logical - first + static_cast<std::int64_t>(i) * run.logicalStep);
            std::memcpy(block.data() + place * elementSize, run.bytes + i * run.byteStride, elementSize);
        }
    });
    return block;
}

bool sameElements(const TensorRef& a, const TensorRef& b, const Progress& progress) {
    ElementStream streamA(a, ElementStream::Order::Logical), streamB(b, ElementStream::Order::Logical);
    const std::size_t size = elementSize(a.dtype);
    const auto block = static_cast<std::int64_t>(kBlock / size);
    for (std::int64_t first = 0; first < a.elementCount(); first += block) {
        const std::int64_t count = std::min(block, a.elementCount() - first);
        if (gather(streamA, size, first, count, progress) != gather(streamB, size, first, count, progress))
            return false;
    }
    return true;
}

} // namespace

bool sameBits(const TensorRef& a, const TensorRef& b, const Progress& progress) {
    if (!a.storage || !b.storage) return !a.storage && !b.storage;
    if (a.storage->isExpression() || b.storage->isExpression())
        return a.storage->expressionSource() == b.storage->expressionSource();
    if (a.dtype == DType::Other ||
        a.layout != "torch.strided") // nothing is known of the elements: the storage as it is
        return a.storage->byteCount() == b.storage->byteCount() &&
               sameRegion(*a.storage, 0, *b.storage, 0, a.storage->byteCount(), progress);
    if (!isContiguous(a) || !isContiguous(b)) return sameElements(a, b, progress);
    const std::uint64_t size = elementSize(a.dtype);
    return sameRegion(*a.storage, static_cast<std::uint64_t>(a.offset) * size, *b.storage,
                      static_cast<std::uint64_t>(b.offset) * size, static_cast<std::uint64_t>(a.byteCount()), progress);
}

} // namespace fx
