// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/anonymise/other_weights.h"

#include "core/diag/error.h"
#include "core/tensor/elements.h"
#include "core/tensor/encode_elements.h"
#include "core/tensor/tensor_statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace fx::anonymise {
namespace {

/// splitmix64: a number for each index.
std::uint64_t drawnBits(std::uint64_t index) {
    std::uint64_t z = index + 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}
double drawnUnit(std::uint64_t index) { return static_cast<double>(drawnBits(index) >> 11) * 0x1p-53; }

/// The type in which values of a dtype are written; nullopt for types without one, whose bytes are drawn.
std::optional<DType> encodedAs(DType dtype) {
    switch (dtype) {
    case DType::Complex64: return DType::Float32;
    case DType::Complex128: return DType::Float64;
    case DType::QInt8: return DType::Int8;
    case DType::QUInt8: return DType::UInt8;
    case DType::QInt32: return DType::Int32;
    default: return canEncode(dtype) ? std::optional(dtype) : std::nullopt;
    }
}

bool isReal(DType dtype) {
    return dtype == DType::Float32 || dtype == DType::Float64 || dtype == DType::Float16 || dtype == DType::BFloat16;
}

/// Away from zero if `isUp` fits the sign, to a power of two.
double rounded(double value, bool isUp) {
    if (value == 0) return 0;
    const double exponent = std::log2(std::abs(value));
    return std::copysign(std::exp2((value > 0) == isUp ? std::ceil(exponent) : std::floor(exponent)), value);
}

/// The greatest finite value as a double; rounding must not lead beyond it.
double greatest(DType dtype) {
    switch (dtype) {
    case DType::Float16: return 65504;
    case DType::BFloat16: return 0x1.FEp127;
    case DType::Float32: return std::numeric_limits<float>::max();
    case DType::Int64: return 0x1.FFFFFFFFFFFFFp62;
    default: return std::numeric_limits<double>::max();
    }
}

struct Drawn {
    DType dtype;
    double low, high;
    std::uint64_t seed;

    void encode(std::uint64_t element, std::byte* out) const {
        const double unit = drawnUnit(seed + element);
        if (isReal(dtype)) return encodeElement(dtype, low * (1 - unit) + high * unit, out);
        encodeElement(dtype, std::min(high, std::floor(low + (high - low + 1) * unit)), out);
    }
};

void fill(const Drawn& drawn, std::uint64_t offset, std::span<std::byte> out) {
    const std::size_t size = elementSize(drawn.dtype);
    std::array<std::byte, 16> element{};
    for (std::size_t done = 0; done < out.size();) {
        const std::uint64_t at = offset + done;
        const auto skipped = static_cast<std::size_t>(at % size);
        drawn.encode(at / size, element.data());
        const std::size_t count = std::min(size - skipped, out.size() - done);
        std::memcpy(out.data() + done, element.data() + skipped, count);
        done += count;
    }
}

} // namespace

std::shared_ptr<const Storage> OtherWeights::drawn(const TensorRef& tensor) {
    const std::uint64_t bytes = tensor.storage->byteCount(), seed = drawnBits(m_storages.size()) >> 1;
    const auto type = encodedAs(tensor.dtype);
    if (!type || tensor.elementCount() == 0) // of elements smaller than a byte, any byte is some
        return Storage::through(bytes, [seed](std::uint64_t offset, std::span<std::byte> out) {
            for (std::size_t i = 0; i < out.size(); ++i)
                out[i] = static_cast<std::byte>(drawnBits(seed + offset + i) & 0x3F); // never NaN
        });
    Drawn drawn{*type, -1, 1, seed};
    if (*type == DType::Bool) drawn.low = 0;
    else if (!tensor.storage->isExpression()) {
        double low = 0, high = 0;
        bool isFirst = true;
        ElementStream stream(tensor, ElementStream::Order::Memory);
        stream.visit(0, stream.count(), m_progress, [&](const ElementStream::Run& run) {
            for (std::size_t i = 0; i < run.count * partsOf(tensor.dtype); ++i) {
                const double value = run.values[i];
                if (!std::isfinite(value)) continue;
                low = isFirst ? value : std::min(low, value), high = isFirst ? value : std::max(high, value);
                isFirst = false;
            }
        });
        drawn.low = low, drawn.high = high;
        if (isReal(*type)) drawn.low = rounded(low, false), drawn.high = rounded(high, true);
        drawn.low = std::max(drawn.low, -greatest(*type)), drawn.high = std::min(drawn.high, greatest(*type));
    }
    return Storage::through(bytes,
                            [drawn](std::uint64_t offset, std::span<std::byte> out) { fill(drawn, offset, out); });
}

TensorPtr OtherWeights::of(const TensorPtr& tensor) {
    if (!tensor) return nullptr;
    if (const auto known = m_tensors.find(tensor.get()); known != m_tensors.end()) return known->second;
    auto out = std::make_shared<TensorRef>(*tensor);
    out->origin = {};
    out->dtypeText = tensor->dtype == DType::Other ? "unknown dtype" : "";
    if (tensor->storage) {
        auto& storage = m_storages[tensor->storage];
        if (!storage) storage = drawn(*tensor);
        out->storage = storage;
    }
    if (out->quantizer) {
        out->quantizer->scale = rounded(out->quantizer->scale, true);
        out->quantizer->scales = of(out->quantizer->scales),
        out->quantizer->zeroPoints = of(out->quantizer->zeroPoints);
    }
    m_kept.push_back(tensor);
    return m_tensors.emplace(tensor.get(), std::move(out)).first->second;
}

} // namespace fx::anonymise
