// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/base/file_object.h"
#include "core/tensor/storage.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fx {

/// Element types of PyTorch 2.13.
enum class DType : std::uint8_t {
    Float32,
    Float64,
    Float16,
    BFloat16,
    Int8,
    UInt8,
    Int16,
    Int32,
    Int64,
    Bool,
    Complex32,
    Complex64,
    Complex128,
    UInt16,
    UInt32,
    UInt64,
    Float8E4M3FN,
    Float8E5M2,
    Float8E4M3FNUZ,
    Float8E5M2FNUZ,
    Float8E8M0FNU,
    QInt8,
    QUInt8,
    QInt32,
    QUInt4x2,
    QUInt2x4,
    Other, ///< unknown to Lancet: kept by name
};
/// Bytes of one element, torch's `itemsize`: also 1 for those that share a byte; 0 for Other.
std::size_t elementSize(DType dtype);
/// How many elements share a byte: 2 for quint4x2 and 4 for quint2x4, the first in the lowest bits; else 1. Rows do not
/// begin at a new byte.
std::int64_t elementsPerByte(DType dtype);
/// "torch.float32"
std::string_view dtypeName(DType dtype);
std::optional<DType> dtypeFromName(std::string_view torchName);

struct TensorRef;
using TensorPtr = std::shared_ptr<const TensorRef>;

/// The mapping of a quantised tensor from integers to reals.
struct Quantizer {
    bool perChannel = false;
    double scale = 1;
    std::int64_t zeroPoint = 0;
    std::int64_t axis = 0;
    TensorPtr scales, zeroPoints; ///< one value per index of `axis`; set if perChannel
};

/// A tensor as data: type and geometry over a storage. No arithmetic.
///
/// Two modules share a tensor exactly if they hold the same pointer (Python's `is`); two tensors share memory if their
/// storages are the same pointer.
struct TensorRef {
    DType dtype = DType::Float32;
    std::string dtypeText; ///< set for DType::Other
    std::vector<std::int64_t> sizes;
    std::vector<std::int64_t> strides;      ///< in elements
    std::int64_t offset = 0;                ///< in elements, from the start of the storage
    std::shared_ptr<const Storage> storage; ///< null on the meta device
    std::string device = "cpu";
    bool requiresGrad = false;
    bool isParameter = false;
    bool conjugate = false, negative = false;
    std::string layout = "torch.strided";
    std::optional<Quantizer> quantizer;
    FileObject origin;

    std::int64_t elementCount() const;
    /// The memory of the elements: PyTorch's `numel() * element_size()`, less where elements share a byte.
    std::int64_t byteCount() const;
    /// True if the elements are contiguous in row-major order.
    bool isContiguous() const;
    /// A problem with the geometry (sizes, strides and offset against the storage), or empty. Without a problem, all
    /// elements can be read without overflow.
    std::string geometryProblem() const;
};

} // namespace fx
