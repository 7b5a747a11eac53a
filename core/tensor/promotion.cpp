// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tensor/promotion.h"

#include <array>

namespace fx {
namespace {

/// The signed type that holds an unsigned one of that size, and the other way about.
DType signedOver(std::size_t bytes) {
    switch (bytes) {
    case 1: return DType::Int16;
    case 2: return DType::Int32;
    case 4: return DType::Int64;
    default: return DType::Other;
    }
}
bool isUnsigned(DType dtype) {
    return dtype == DType::UInt8 || dtype == DType::UInt16 || dtype == DType::UInt32 || dtype == DType::UInt64;
}

DType promoteIntegers(DType a, DType b) {
    if (isUnsigned(a) == isUnsigned(b)) return elementSize(a) >= elementSize(b) ? a : b;
    const DType one = isUnsigned(a) ? b : a, other = isUnsigned(a) ? a : b; // signed, unsigned
    return elementSize(one) > elementSize(other) ? one : signedOver(elementSize(other));
}

DType promoteFloats(DType a, DType b) {
    const auto bits = [](DType dtype) { return elementSize(dtype); };
    if (bits(a) == bits(b))
        return bits(a) == 2 ? DType::Float32 : DType::Other; // float16 with bfloat16; kinds of float8
    return bits(a) > bits(b) ? a : b;
}

DType complexOver(DType real) {
    return real == DType::Float64 ? DType::Complex128 : real == DType::Float16 ? DType::Complex32 : DType::Complex64;
}

} // namespace

DTypeKind dtypeKind(DType dtype) {
    switch (dtype) {
    case DType::Bool: return DTypeKind::Bool;
    case DType::Complex32:
    case DType::Complex64:
    case DType::Complex128: return DTypeKind::Complex;
    case DType::Int8:
    case DType::UInt8:
    case DType::Int16:
    case DType::Int32:
    case DType::Int64:
    case DType::UInt16:
    case DType::UInt32:
    case DType::UInt64: return DTypeKind::Integer;
    default: return DTypeKind::Float;
    }
}

DType promoteTypes(DType a, DType b) {
    if (a == b) return a;
    if (a == DType::Other || b == DType::Other) return DType::Other;
    if (dtypeKind(a) > dtypeKind(b)) std::swap(a, b);
    const DTypeKind low = dtypeKind(a), high = dtypeKind(b);
    if (low < high)
        return high == DTypeKind::Complex && low == DTypeKind::Float && elementSize(b) < 2 * elementSize(a)
                   ? complexOver(a)
                   : b;
    if (high == DTypeKind::Integer) return promoteIntegers(a, b);
    if (high == DTypeKind::Float) return promoteFloats(a, b);
    return elementSize(a) > elementSize(b) ? a : b;
}

void ResultType::addTensor(DType dtype, bool hasDimensions) {
    auto& group = hasDimensions ? m_dimensioned : m_scalar;
    group = group ? promoteTypes(*group, dtype) : dtype;
}

void ResultType::addNumber(DTypeKind kind) {
    static constexpr std::array kDefaults = {DType::Bool, DType::Int64, DType::Float32, DType::Complex64};
    const DType dtype = kDefaults[static_cast<std::size_t>(kind)];
    m_number = m_number ? promoteTypes(*m_number, dtype) : dtype;
}

DType ResultType::get() const {
    std::optional<DType> result = m_dimensioned;
    for (const auto& group : {m_scalar, m_number}) {
        if (!group) continue;
        if (!result) result = group;
        else if (dtypeKind(*group) > dtypeKind(*result)) result = promoteTypes(*result, *group);
    }
    return result.value_or(DType::Float32);
}

} // namespace fx
