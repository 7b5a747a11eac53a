// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/tensor/tensor_ref.h"

#include <functional>

namespace fx {

/// Converts `count` elements of `dtype`, none of which share a byte, starting at `bytes` and `stride` bytes apart, to
/// doubles; complex elements give pairs (re, im), quantised ones the stored integers. Int64 and uint64 beyond 2^53 are
/// rounded. `out` holds count × partsOf(dtype).
void decodeElements(DType dtype, const std::byte* bytes, std::size_t stride, std::size_t count, double* out);

/// The number of doubles per element of `dtype`: 2 for complex types, else 1.
std::size_t partsOf(DType dtype);

/// Reads a tensor's elements in runs of bounded memory, for any strides.
///
/// The storage is read through a moving window; a run is a number of elements at a constant stride. Each run is
/// reported with `logical`, the row-major index of its first element, and `logicalStep`, the distance of its elements
/// in that order. With `MemoryOrder` dimensions are visited by decreasing stride, so that the window only moves
/// forward, and broadcast dimensions (stride 0) are visited once and counted in `repeats`.
class ElementStream {
public:
    enum class Order : std::uint8_t { Logical, Memory };
    struct Run {
        const double* values = nullptr;   ///< count × partsOf(dtype)
        const std::byte* bytes = nullptr; ///< the first element as stored
        std::size_t byteStride = 0;       ///< 0 where elements share a byte
        std::size_t count = 0;
        std::int64_t logical = 0, logicalStep = 1;
    };
    /// Throws Error{File} if the tensor has no readable values: meta device, unknown dtype, sparse layout, invalid
    /// geometry.
    ElementStream(const TensorRef& tensor, Order order);

    /// How often each visited element occurs in the tensor.
    std::int64_t repeats() const { return m_repeats; }
    /// The number of elements to visit.
    std::int64_t count() const { return m_count; }
    /// Calls `visit` for all runs from the `first` visited element, at most `count` elements. Throws
    /// Error{Cancelled}.
    void visit(std::int64_t first, std::int64_t count, const Progress& progress,
               const std::function<void(const Run&)>& visit);

private:
    struct Dimension {
        std::int64_t size, stride, logicalStep;
    };
    void collapse();
    const std::byte* window(std::int64_t element, std::size_t elements, std::int64_t stride, std::size_t& available);
    void decode(const std::byte* bytes, std::int64_t element, std::size_t stride, std::size_t count);

    const TensorRef& m_tensor;
    std::vector<Dimension> m_dimensions;
    std::int64_t m_repeats = 1, m_count = 1, m_perByte = 1;
    std::size_t m_elementSize = 0, m_windowSize = 0;
    std::vector<std::byte> m_window;
    std::uint64_t m_windowStart = 0;
    std::vector<double> m_values;
};

/// The values of a tensor (complex as re, im pairs) in row-major order; for small tensors only.
std::vector<double> elementValues(const TensorRef& tensor);

} // namespace fx
