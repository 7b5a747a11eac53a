// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/graphmodule/tensor_pickle.h"

#include "core/io/pickle/pickler.h"

#include <algorithm>
#include <span>

namespace fx {
namespace {

struct StorageClass {
    const char* name;
    DType dtype;
};
constexpr StorageClass kStorageClasses[] = {
    {"FloatStorage", DType::Float32},
    {"DoubleStorage", DType::Float64},
    {"HalfStorage", DType::Float16},
    {"BFloat16Storage", DType::BFloat16},
    {"CharStorage", DType::Int8},
    {"ByteStorage", DType::UInt8},
    {"ShortStorage", DType::Int16},
    {"IntStorage", DType::Int32},
    {"LongStorage", DType::Int64},
    {"BoolStorage", DType::Bool},
    {"ComplexFloatStorage", DType::Complex64},
    {"ComplexDoubleStorage", DType::Complex128},
    {"QInt8Storage", DType::QInt8},
    {"QUInt8Storage", DType::QUInt8},
    {"QInt32Storage", DType::QInt32},
    {"QUInt4x2Storage", DType::QUInt4x2},
    {"QUInt2x4Storage", DType::QUInt2x4},
    {"UntypedStorage", DType::UInt8},
    {"_UntypedStorage", DType::UInt8},
    {"ComplexHalfStorage", DType::Complex32}, // TorchScript's names, from here on
    {"UInt16Storage", DType::UInt16},
    {"UInt32Storage", DType::UInt32},
    {"UInt64Storage", DType::UInt64},
    {"Float8_e4m3fnStorage", DType::Float8E4M3FN},
    {"Float8_e5m2Storage", DType::Float8E5M2},
    {"Float8_e4m3fnuzStorage", DType::Float8E4M3FNUZ},
    {"Float8_e5m2fnuzStorage", DType::Float8E5M2FNUZ},
    {"Float8_e8m0fnuStorage", DType::Float8E8M0FNU},
};
constexpr std::size_t kWritten = 17; ///< the first ones; other dtypes are written over plain bytes

/// Null if the dtype has no storage class.
const char* storageClassOf(DType dtype) {
    const auto written = std::span(kStorageClasses).first<kWritten>();
    const auto found =
        std::find_if(written.begin(), written.end(), [&](const StorageClass& each) { return each.dtype == dtype; });
    return found == written.end() ? nullptr : found->name;
}

} // namespace

void pickleStorage(Pickler& pickler, const TensorRef& tensor, std::size_t key, std::string_view device) {
    const char* typed = storageClassOf(tensor.dtype);
    const std::uint64_t bytes = tensor.storage->byteCount();
    pickler.mark();
    pickler.name("storage");
    pickler.global(typed ? "torch" : "torch.storage", typed ? typed : "UntypedStorage");
    pickler.text(std::to_string(key));
    pickler.name(device);
    pickler.integer(static_cast<std::int64_t>(typed ? bytes / elementSize(tensor.dtype) : bytes));
    pickler.tuple();
    pickler.persistent();
}

std::optional<DType> dtypeOfStorageClass(std::string_view name) {
    for (const StorageClass& each : kStorageClasses)
        if (each.name == name) return each.dtype;
    return std::nullopt;
}

void pickleEmptyOrderedDict(Pickler& pickler) {
    pickler.global("collections", "OrderedDict");
    pickler.emptyTuple();
    pickler.reduce();
}

void pickleTensor(Pickler& pickler, const TensorRef& tensor, std::size_t storageKey, std::string_view device,
                  bool requiresGrad) {
    const bool typed = storageClassOf(tensor.dtype) != nullptr;
    pickler.global("torch._utils", typed ? "_rebuild_tensor_v2" : "_rebuild_tensor_v3");
    pickler.mark();
    pickleStorage(pickler, tensor, storageKey, device);
    pickler.integer(tensor.offset);
    for (const auto* numbers : {&tensor.sizes, &tensor.strides}) {
        pickler.mark();
        for (const std::int64_t number : *numbers) pickler.integer(number);
        pickler.tuple();
    }
    pickler.boolean(requiresGrad);
    pickleEmptyOrderedDict(pickler);
    if (!typed) pickler.global("torch", dtypeName(tensor.dtype).substr(6)); // after "torch."
    pickler.tuple();
    pickler.reduce();
}

} // namespace fx
