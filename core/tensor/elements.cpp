// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tensor/elements.h"

#include "core/base/memory.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace fx {

namespace {

constexpr std::size_t kBlock = 1 << 16;        ///< elements decoded at once
constexpr std::size_t kWindow = 1 << 20;       ///< bytes of the storage held at once
constexpr std::size_t kSparseWindow = 1 << 12; ///< the same when elements lie further apart than this

template<class T> T load(const std::byte* at) {
    T value;
    std::memcpy(&value, at, sizeof(T));
    return value;
}

/// A small binary float: sign, exponent, mantissa; the caller has dealt with what is not finite.
double smallFloat(unsigned bits, int exponentBits, int mantissaBits, int bias) {
    const unsigned mantissa = bits & ((1u << mantissaBits) - 1);
    const int exponent = static_cast<int>((bits >> mantissaBits) & ((1u << exponentBits) - 1));
    const bool negative = (bits >> (mantissaBits + exponentBits)) & 1u;
    const double magnitude = exponent == 0
                                 ? std::ldexp(mantissa, 1 - bias - mantissaBits)
                                 : std::ldexp(mantissa + (1u << mantissaBits), exponent - bias - mantissaBits);
    return negative ? -magnitude : magnitude;
}

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double half(std::uint16_t bits) {
    if ((bits & 0x7C00) == 0x7C00) return bits & 0x3FF ? kNaN : bits & 0x8000 ? -kInfinity : kInfinity;
    return smallFloat(bits, 5, 10, 15);
}

double float8(DType dtype, std::uint8_t bits) {
    switch (dtype) {
    case DType::Float8E4M3FN: return (bits & 0x7F) == 0x7F ? kNaN : smallFloat(bits, 4, 3, 7);
    case DType::Float8E4M3FNUZ: return bits == 0x80 ? kNaN : smallFloat(bits, 4, 3, 8);
    case DType::Float8E5M2FNUZ: return bits == 0x80 ? kNaN : smallFloat(bits, 5, 2, 16);
    case DType::Float8E8M0FNU: return bits == 0xFF ? kNaN : std::ldexp(1.0, int{bits} - 127);
    default: // Float8E5M2: like half
        if ((bits & 0x7C) == 0x7C) return bits & 3 ? kNaN : bits & 0x80 ? -kInfinity : kInfinity;
        return smallFloat(bits, 5, 2, 15);
    }
}

/// All 65,536 halves, so that decoding is a look-up.
const std::vector<double>& halfTable() {
    static const std::vector<double> table = [] {
        std::vector<double> values(1 << 16);
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = half(static_cast<std::uint16_t>(i));
        return values;
    }();
    return table;
}

template<class T> void decodePlain(const std::byte* at, std::size_t stride, std::size_t count, double* out) {
    for (std::size_t i = 0; i < count; ++i, at += stride) out[i] = static_cast<double>(load<T>(at));
}

template<class T> void decodePairs(const std::byte* at, std::size_t stride, std::size_t count, double* out) {
    for (std::size_t i = 0; i < count; ++i, at += stride) {
        out[2 * i] = static_cast<double>(load<T>(at));
        out[2 * i + 1] = static_cast<double>(load<T>(at + sizeof(T)));
    }
}

void decodeHalves(const std::byte* at, std::size_t stride, std::size_t count, std::size_t parts, double* out) {
    const std::vector<double>& table = halfTable();
    for (std::size_t i = 0; i < count; ++i, at += stride)
        for (std::size_t part = 0; part < parts; ++part)
            out[i * parts + part] = table[load<std::uint16_t>(at + 2 * part)];
}

void decodeSmall(DType dtype, const std::byte* at, std::size_t stride, std::size_t count, double* out) {
    std::array<double, 256> table;
    for (unsigned i = 0; i < table.size(); ++i) table[i] = float8(dtype, static_cast<std::uint8_t>(i));
    for (std::size_t i = 0; i < count; ++i, at += stride) out[i] = table[load<std::uint8_t>(at)];
}

} // namespace

std::size_t partsOf(DType dtype) {
    return dtype == DType::Complex32 || dtype == DType::Complex64 || dtype == DType::Complex128 ? 2 : 1;
}

void decodeElements(DType dtype, const std::byte* at, std::size_t stride, std::size_t count, double* out) {
    switch (dtype) {
    case DType::Float32: return decodePlain<float>(at, stride, count, out);
    case DType::Float64: return decodePlain<double>(at, stride, count, out);
    case DType::Int8:
    case DType::QInt8: return decodePlain<std::int8_t>(at, stride, count, out);
    case DType::Bool:
    case DType::UInt8:
    case DType::QUInt8: return decodePlain<std::uint8_t>(at, stride, count, out);
    case DType::Int16: return decodePlain<std::int16_t>(at, stride, count, out);
    case DType::Int32:
    case DType::QInt32: return decodePlain<std::int32_t>(at, stride, count, out);
    case DType::Int64: return decodePlain<std::int64_t>(at, stride, count, out);
    case DType::UInt16: return decodePlain<std::uint16_t>(at, stride, count, out);
    case DType::UInt32: return decodePlain<std::uint32_t>(at, stride, count, out);
    case DType::UInt64: return decodePlain<std::uint64_t>(at, stride, count, out);
    case DType::Complex64: return decodePairs<float>(at, stride, count, out);
    case DType::Complex128: return decodePairs<double>(at, stride, count, out);
    case DType::Float16: return decodeHalves(at, stride, count, 1, out);
    case DType::Complex32: return decodeHalves(at, stride, count, 2, out);
    case DType::BFloat16:
        for (std::size_t i = 0; i < count; ++i, at += stride)
            out[i] = double{std::bit_cast<float>(std::uint32_t{load<std::uint16_t>(at)} << 16)};
        return;
    default: return decodeSmall(dtype, at, stride, count, out);
    }
}

namespace {

/// Throws if `count` elements of the tensor are far more than its storage holds.
void checkCount(const TensorRef& tensor, std::int64_t count) {
    const std::uint64_t bytes = tensor.storage ? tensor.storage->byteCount() : 0;
    const std::uint64_t stored = bytes / std::max<std::size_t>(elementSize(tensor.dtype), 1) *
                                 static_cast<std::uint64_t>(elementsPerByte(tensor.dtype));
    if (static_cast<std::uint64_t>(count) <= stored + ElementStream::kMostRepeated) return;
    throw Error(ErrorKind::File, Message("files.tensor_expanded",
                                         {{"count", count},
                                          {"size", bytesInWords(static_cast<std::uint64_t>(tensor.byteCount()))},
                                          {"bytes", bytesInWords(bytes)}}));
}

} // namespace

void checkExpansion(const TensorRef& tensor) { checkCount(tensor, tensor.elementCount()); }

ElementStream::ElementStream(const TensorRef& tensor, Order order, std::optional<std::size_t> kept)
    : m_tensor(tensor), m_perByte(elementsPerByte(tensor.dtype)), m_elementSize(elementSize(tensor.dtype)) {
    const auto refuse = [](const Message& why) {
        throw Error(ErrorKind::File, Message("files.no_tensor_values", {{"reason", why.text()}}));
    };
    if (m_elementSize == 0) refuse(Message("files.tensor_dtype", {{"dtype", tensor.dtypeText}}));
    if (tensor.layout != "torch.strided") refuse(Message("files.tensor_layout", {{"layout", tensor.layout}}));
    if (!tensor.storage) refuse(Message("files.tensor_device", {{"device", tensor.device}}));
    if (const std::string problem = tensor.geometryProblem(); !problem.empty())
        refuse(Message("files.tensor_geometry", {{"problem", problem}}));
    std::int64_t step = 1;
    for (std::size_t i = tensor.sizes.size(); i-- > 0;) {
        m_dimensions.insert(m_dimensions.begin(), {tensor.sizes[i], tensor.strides[i], step});
        step *= tensor.sizes[i];
    }
    const std::int64_t keptStep = kept ? m_dimensions.at(*kept).logicalStep : 0;
    std::erase_if(m_dimensions, [](const Dimension& d) { return d.size == 1; });
    if (order == Order::Memory) {
        const auto isRepeated = [&](const Dimension& d) { return d.stride == 0 && d.logicalStep != keptStep; };
        for (const Dimension& d : m_dimensions)
            if (isRepeated(d)) m_repeats *= d.size;
        std::erase_if(m_dimensions, isRepeated);
        std::stable_sort(m_dimensions.begin(), m_dimensions.end(),
                         [](const Dimension& a, const Dimension& b) { return a.stride > b.stride; });
    }
    collapse();
    for (const Dimension& d : m_dimensions) m_count *= d.size;
    const std::int64_t innermost = m_dimensions.empty() ? 1 : m_dimensions.back().stride;
    m_windowSize = innermost > static_cast<std::int64_t>(kSparseWindow / m_elementSize) ? kSparseWindow : kWindow;
}

/// Joins neighbouring dimensions that are one in memory and in logical order, so that runs are long.
void ElementStream::collapse() {
    std::vector<Dimension> joined;
    for (const Dimension& d : m_dimensions) {
        if (!joined.empty()) {
            Dimension& outer = joined.back();
            if (outer.stride == d.size * d.stride && outer.logicalStep == d.size * d.logicalStep) {
                outer = {outer.size * d.size, d.stride, d.logicalStep};
                continue;
            }
        }
        joined.push_back(d);
    }
    m_dimensions = std::move(joined);
}

/// The bytes of storage element `element`; `available`: how many of the `elements` that follow are in the window too.
const std::byte* ElementStream::window(std::int64_t element, std::size_t elements, std::int64_t stride,
                                       std::size_t& available) {
    const std::uint64_t at = static_cast<std::uint64_t>(element / m_perByte) * m_elementSize;
    if (at < m_windowStart || at + m_elementSize > m_windowStart + m_window.size()) {
        const std::uint64_t left = m_tensor.storage->byteCount() - at;
        m_window.resize(static_cast<std::size_t>(std::min<std::uint64_t>(m_windowSize, left)));
        m_tensor.storage->read(at, m_window);
        m_windowStart = at;
    }
    const std::size_t inside = static_cast<std::size_t>(at - m_windowStart);
    const std::size_t room = m_window.size() - inside - m_elementSize;
    const std::size_t step = static_cast<std::size_t>(stride) * m_elementSize;
    if (m_perByte > 1) { // contiguous
        const auto shared = static_cast<std::size_t>(m_perByte);
        available = std::min(elements, (room + 1) * shared - static_cast<std::size_t>(element) % shared);
        return m_window.data() + inside;
    }
    available = step == 0 ? elements : std::min(elements, room / step + 1);
    return m_window.data() + inside;
}

void ElementStream::decode(const std::byte* bytes, std::int64_t element, std::size_t stride, std::size_t count) {
    if (m_perByte == 1) return decodeElements(m_tensor.dtype, bytes, stride, count, m_values.data());
    const auto perByte = static_cast<std::size_t>(m_perByte), first = static_cast<std::size_t>(element) % perByte;
    const unsigned bits = 8 / static_cast<unsigned>(m_perByte), mask = (1U << bits) - 1;
    for (std::size_t i = 0; i < count; ++i) {
        const auto byte = std::to_integer<unsigned>(bytes[(first + i) / perByte]);
        m_values[i] = byte >> (first + i) % perByte * bits & mask;
    }
}

void ElementStream::visit(std::int64_t first, std::int64_t count, const Progress& progress,
                          const std::function<void(const Run&)>& visit) {
    count = std::min(count, m_count - first);
    if (count <= 0) return;
    checkCount(m_tensor, count);
    const std::size_t parts = partsOf(m_tensor.dtype);
    const Dimension inner = m_dimensions.empty() ? Dimension{1, 1, 1} : m_dimensions.back();
    const std::int64_t end = first + count;
    for (std::int64_t at = first; at < end;) {
        progress.check();
        std::int64_t rest = at / inner.size, element = m_tensor.offset + at % inner.size * inner.stride;
        std::int64_t logical = at % inner.size * inner.logicalStep;
        for (std::size_t i = m_dimensions.size(); i-- > 1; rest /= m_dimensions[i - 1].size) {
            const std::int64_t index = rest % m_dimensions[i - 1].size;
            element += index * m_dimensions[i - 1].stride;
            logical += index * m_dimensions[i - 1].logicalStep;
        }
        const std::int64_t wanted =
            std::min({inner.size - at % inner.size, end - at, static_cast<std::int64_t>(kBlock)});
        std::size_t available = 0;
        const std::byte* bytes = window(element, static_cast<std::size_t>(wanted), inner.stride, available);
        if (m_values.size() < available * parts) m_values.resize(available * parts);
        const std::size_t stride = m_perByte > 1 ? 0 : static_cast<std::size_t>(inner.stride) * m_elementSize;
        decode(bytes, element, stride, available);
        visit({m_values.data(), bytes, stride, available, logical, inner.logicalStep});
        at += static_cast<std::int64_t>(available);
    }
}

std::vector<double> elementValues(const TensorRef& tensor) {
    ElementStream stream(tensor, ElementStream::Order::Logical);
    std::vector<double> values;
    const std::size_t parts = partsOf(tensor.dtype);
    stream.visit(0, stream.count(), {}, [&](const ElementStream::Run& run) {
        values.insert(values.end(), run.values, run.values + run.count * parts);
    });
    return values;
}

} // namespace fx
