// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/tensor/tensor_ref.h"

#include <functional>
#include <optional>

namespace fx {

/// Converts `count` elements of `dtype` to doubles. The elements start at `bytes`, `stride` bytes apart, and share no
/// byte. Complex elements give pairs (re, im), quantised ones the stored integers. Int64 and uint64 beyond 2^53 are
/// rounded. `out` has room for count × partsOf(dtype).
void decodeElements(DType dtype, const std::byte* bytes, std::size_t stride, std::size_t count, double* out);

/// Returns the number of doubles per element of `dtype`: 2 for complex types, else 1.
std::size_t partsOf(DType dtype);

/// Reads the elements of a tensor in runs of bounded memory, for any strides.
///
/// The storage is read through a moving window. A run is a number of elements at a constant stride. Its `logical` is
/// the row-major index of the first element, and `logicalStep` the distance between elements in that order. `Memory`
/// order visits dimensions by decreasing stride, so that the window only moves forward, and visits broadcast dimensions
/// (stride 0) once; `repeats` counts them.
///
/// A few bytes of a file can claim more elements than can be visited, such as an expanded tensor of 10^18. A visit of
/// more than `kMostRepeated` elements beyond those that the storage holds is refused.
class ElementStream {
public:
    /// The order in which elements are visited: row-major or by address.
    enum class Order : std::uint8_t { Logical, Memory };
    /// The greatest number of visited elements beyond those that the storage holds.
    static constexpr std::int64_t kMostRepeated = std::int64_t{1} << 26;
    /// A number of elements at a constant stride; valid during the call.
    struct Run {
        const double* values = nullptr;   ///< count × partsOf(dtype)
        const std::byte* bytes = nullptr; ///< the first element as stored
        std::size_t byteStride = 0;       ///< 0 if elements share a byte
        std::size_t count = 0;            ///< number of elements
        /// The row-major index of the first element, and the distance between elements.
        std::int64_t logical = 0, logicalStep = 1;
    };
    /// Throws Error{File} if the tensor has no readable values: meta device, unknown dtype, sparse layout, invalid
    /// geometry. `Memory` order visits the dimension `kept` completely, even if it is broadcast.
    ElementStream(const TensorRef& tensor, Order order, std::optional<std::size_t> kept = std::nullopt);

    /// The number of times that each visited element occurs in the tensor.
    std::int64_t repeats() const { return m_repeats; }
    /// The number of elements to visit.
    std::int64_t count() const { return m_count; }
    /// Calls `visit` for all runs from the visited element `first`, at most `count` elements. Throws Error{Cancelled,
    /// File}; File before it visits far more elements than the storage holds.
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

/// Throws Error{File} if the tensor has far more elements than its storage holds. Call it before allocating a copy of
/// all elements.
void checkExpansion(const TensorRef& tensor);

/// Returns the values of a tensor (complex as re, im pairs) in row-major order. Only for small tensors.
std::vector<double> elementValues(const TensorRef& tensor);

} // namespace fx
