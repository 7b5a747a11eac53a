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
    Other, ///< unknown to Lancet, kept by name
};
/// Returns the bytes of an element, torch's `itemsize`: 1 for elements that share a byte, 0 for Other.
std::size_t elementSize(DType dtype);
/// Returns the number of elements that share a byte: 2 for quint4x2, 4 for quint2x4, else 1. The first element is in
/// the lowest bits. Rows do not start at a new byte.
std::int64_t elementsPerByte(DType dtype);
/// Returns torch's name: "torch.float32".
std::string_view dtypeName(DType dtype);
/// Returns the type of a torch name; nullopt if unknown.
std::optional<DType> dtypeFromName(std::string_view torchName);

struct TensorRef;
using TensorPtr = std::shared_ptr<const TensorRef>;

/// The mapping of a quantised tensor from stored integers to reals.
struct Quantizer {
    bool perChannel = false;      ///< scales and zero points vary along `axis`
    double scale = 1;             ///< of the whole tensor, unless perChannel
    std::int64_t zeroPoint = 0;   ///< of the whole tensor, unless perChannel
    std::int64_t axis = 0;        ///< dimension of the channels
    TensorPtr scales, zeroPoints; ///< one value per index of `axis`; set if perChannel
};

/// A tensor as data: type and geometry over a storage, without arithmetic.
///
/// Two modules share a tensor if and only if they hold the same pointer (Python's `is`). Two tensors share memory if
/// their storages are the same pointer.
struct TensorRef {
    DType dtype = DType::Float32;
    std::string dtypeText; ///< the name, for DType::Other
    std::vector<std::int64_t> sizes;
    std::vector<std::int64_t> strides;      ///< in elements
    std::int64_t offset = 0;                ///< in elements, from the start of the storage
    std::shared_ptr<const Storage> storage; ///< null on the meta device
    std::string device = "cpu";             ///< as torch prints it: "cuda:0"
    bool requiresGrad = false;
    bool isParameter = false; ///< an nn.Parameter
    /// True for a lazily conjugated or negated view.
    bool conjugate = false, negative = false;
    std::string layout = "torch.strided"; ///< as torch prints it
    std::optional<Quantizer> quantizer;   ///< set for quantised dtypes
    /// The pickled object that it was read from.
    FileObject origin;

    /// The number of elements, the product of the sizes.
    std::int64_t elementCount() const;
    /// The memory of the elements: PyTorch's `numel() * element_size()`; less if elements share a byte.
    std::int64_t byteCount() const;
    /// Returns true if the elements are contiguous in row-major order.
    bool isContiguous() const;
    /// Returns a problem with the geometry (sizes, strides and offset against the storage), or an empty string. Without
    /// a problem, all elements can be read without overflow.
    std::string geometryProblem() const;
};

} // namespace fx
