// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/tensor/tensor_ref.h"

namespace fx {

/// The categories of type promotion: bool < integers < floats < complex.
enum class DTypeKind : std::uint8_t { Bool, Integer, Float, Complex };
/// Returns the category of a dtype.
DTypeKind dtypeKind(DType dtype);

/// torch.promote_types: the smallest type that holds both. Other if PyTorch has none or a type is unknown.
DType promoteTypes(DType a, DType b);

/// torch.result_type for any number of operands. Tensors with dimensions decide, then tensors without, then Python
/// numbers; a later group counts only if its category is higher.
class ResultType {
public:
    /// Adds a tensor operand.
    void addTensor(DType dtype, bool hasDimensions);
    /// Adds a Python number.
    void addNumber(DTypeKind kind);
    /// Returns the result type; Float32 without operands.
    DType get() const;

private:
    std::optional<DType> m_dimensioned, m_scalar, m_number;
};

} // namespace fx
