// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tensor/same_bits.h"

#include "core/tensor/elements.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace fx {
namespace {

constexpr std::uint64_t kBlockBytes = 1 << 20;

bool isOneRegion(const Storage& a, std::uint64_t offsetA, const Storage& b, std::uint64_t offsetB) {
    const bool sameFile = a.file() && b.file() && a.file()->isSame(*b.file());
    return sameFile ? a.fileOffset() + offsetA == b.fileOffset() + offsetB : &a == &b && offsetA == offsetB;
}

bool sameRegion(const Storage& a, std::uint64_t offsetA, const Storage& b, std::uint64_t offsetB, std::uint64_t bytes,
                const Progress& progress) {
    if (isOneRegion(a, offsetA, b, offsetB)) return true;
    std::vector<std::byte> blockA(std::min(bytes, kBlockBytes)), blockB(blockA.size());
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

/// Compares element by element, in row-major order.
bool sameInOrder(const TensorRef& a, const TensorRef& b, const Progress& progress) {
    ElementStream streamA(a, ElementStream::Order::Logical), streamB(b, ElementStream::Order::Logical);
    const std::size_t size = elementSize(a.dtype);
    const auto block = static_cast<std::int64_t>(kBlockBytes / size);
    for (std::int64_t first = 0; first < a.elementCount(); first += block) {
        if (first >= ElementStream::kMostRepeated) checkExpansion(a), checkExpansion(b);
        const std::int64_t count = std::min(block, a.elementCount() - first);
        if (gather(streamA, size, first, count, progress) != gather(streamB, size, first, count, progress))
            return false;
    }
    return true;
}

/// The number of elements from the first one to the last one, in the storage.
std::uint64_t reachOf(const TensorRef& tensor) {
    std::uint64_t reach = 1;
    for (std::size_t i = 0; i < tensor.sizes.size(); ++i)
        reach += static_cast<std::uint64_t>(tensor.sizes[i] - 1) * static_cast<std::uint64_t>(tensor.strides[i]);
    return reach;
}

/// As sameInOrder(); the storage as a whole first where both are laid out alike and elements overlap.
bool sameByLayout(const TensorRef& a, const TensorRef& b, const Progress& progress) {
    const std::uint64_t size = elementSize(a.dtype), reach = reachOf(a);
    const auto atA = static_cast<std::uint64_t>(a.offset) * size, atB = static_cast<std::uint64_t>(b.offset) * size;
    if (a.strides == b.strides) {
        if (isOneRegion(*a.storage, atA, *b.storage, atB)) return true;
        const bool overlaps = static_cast<std::uint64_t>(a.elementCount()) > reach;
        if (overlaps && sameRegion(*a.storage, atA, *b.storage, atB, reach * size, progress)) return true;
    }
    return sameInOrder(a, b, progress);
}

/// Compares distinct elements where dimensions are expanded (stride 0): the time follows from the storages, not from
/// the sizes.
///
/// Where a dimension is expanded in one tensor alone, the other has to be constant along it, and equals itself with
/// stride 0 there. One index then stands for all.
bool sameElements(TensorRef a, TensorRef b, const Progress& progress) {
    for (const TensorRef* each : {&a, &b}) ElementStream(*each, ElementStream::Order::Logical); // throws if unreadable
    if (a.elementCount() == 0) return true;
    TensorRef variedA = a, variedB = b; // without the dimensions that are expanded there
    std::vector<std::size_t> onlyInA, onlyInB;
    for (std::size_t i = 0; i < a.sizes.size(); ++i) {
        const bool isOne = a.sizes[i] == 1, inA = isOne || a.strides[i] == 0, inB = isOne || b.strides[i] == 0;
        if (inA) variedA.sizes[i] = 1, variedA.strides[i] = 0;
        if (inB) variedB.sizes[i] = 1, variedB.strides[i] = 0;
        if (inA && !inB) onlyInA.push_back(i);
        if (inB && !inA) onlyInB.push_back(i);
        if (inA || inB) a.sizes[i] = b.sizes[i] = 1, a.strides[i] = b.strides[i] = 0;
    }
    const auto isConstant = [&](const TensorRef& tensor, const std::vector<std::size_t>& along) {
        TensorRef constant = tensor;
        for (const std::size_t i : along) constant.strides[i] = 0;
        return along.empty() || sameInOrder(tensor, constant, progress);
    };
    return isConstant(variedB, onlyInA) && isConstant(variedA, onlyInB) && sameByLayout(a, b, progress);
}

constexpr std::int64_t kSampled = 256; ///< elements at each place
constexpr std::int64_t kPlaces = 5;

} // namespace

std::vector<std::byte> sampleOf(const TensorRef& tensor, const Progress& progress) {
    if (!tensor.storage || tensor.storage->isExpression() || tensor.dtype == DType::Other ||
        tensor.layout != "torch.strided" || elementsPerByte(tensor.dtype) > 1 || tensor.elementCount() == 0)
        return {};
    const std::int64_t count = tensor.elementCount();
    const std::size_t size = elementSize(tensor.dtype);
    std::optional<ElementStream> stream;
    if (!tensor.isContiguous()) stream.emplace(tensor, ElementStream::Order::Logical);
    std::vector<std::byte> out;
    std::int64_t done = 0;
    for (std::int64_t place = 0; place < kPlaces; ++place) {
        const std::int64_t first = std::max(done, (count - kSampled) / (kPlaces - 1) * place);
        const std::int64_t some = std::min(kSampled, count - first);
        if (some <= 0) break;
        if (stream) {
            const std::vector<std::byte> bytes = gather(*stream, size, first, some, progress);
            out.insert(out.end(), bytes.begin(), bytes.end());
        } else {
            const std::size_t before = out.size();
            out.resize(before + static_cast<std::size_t>(some) * size);
            tensor.storage->read(static_cast<std::uint64_t>(tensor.offset + first) * size,
                                 std::span(out).subspan(before));
        }
        done = first + some;
    }
    return out;
}

bool sameBits(const TensorRef& a, const TensorRef& b, const Progress& progress) {
    if (!a.storage || !b.storage) return !a.storage && !b.storage;
    if (a.storage->isExpression() || b.storage->isExpression())
        return a.storage->expressionSource() == b.storage->expressionSource();
    if (a.dtype == DType::Other ||
        a.layout != "torch.strided") // nothing is known of the elements: the storage as it is
        return a.storage->byteCount() == b.storage->byteCount() &&
               sameRegion(*a.storage, 0, *b.storage, 0, a.storage->byteCount(), progress);
    if (!a.isContiguous() || !b.isContiguous()) return sameElements(a, b, progress);
    const std::uint64_t size = elementSize(a.dtype);
    return sameRegion(*a.storage, static_cast<std::uint64_t>(a.offset) * size, *b.storage,
                      static_cast<std::uint64_t>(b.offset) * size, static_cast<std::uint64_t>(a.byteCount()), progress);
}

} // namespace fx
