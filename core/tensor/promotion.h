// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/tensor/tensor_ref.h"

namespace fx {

/// bool < integers < floats < complex.
enum class DTypeKind : std::uint8_t { Bool, Integer, Float, Complex };
DTypeKind dtypeKind(DType dtype);

/// torch.promote_types: the smallest type that holds both; Other if PyTorch has none or a type is unknown.
DType promoteTypes(DType a, DType b);

/// torch.result_type over any number of operands: tensors with dimensions decide, then tensors without, then Python's
/// numbers; a later group counts only if its kind is higher.
class ResultType {
public:
    void addTensor(DType dtype, bool hasDimensions);
    void addNumber(DTypeKind kind);
    /// Float32 without operands.
    DType get() const;

private:
    std::optional<DType> m_dimensioned, m_scalar, m_number;
};

} // namespace fx
