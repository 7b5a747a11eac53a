// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/tensor_store.h"

#include "core/engine/calls.h"
#include "core/engine/dispatch.h"
#include "core/engine/shapes/cpu_fallback.h"

#include <ATen/ops/from_blob.h>
#include <c10/core/InferenceMode.h>

#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace fx::engine {
namespace {

/// A private mapping of a whole file as bytes; null when it cannot be had.
std::optional<at::Tensor> mapped(const DataFile& file) {
    const int descriptor = ::open(file.path().c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return std::nullopt;
    void* const start = ::mmap(nullptr, file.size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, descriptor, 0);
    ::close(descriptor);
    if (start == MAP_FAILED) return std::nullopt;
    const std::size_t size = file.size();
    return at::from_blob(start, {static_cast<std::int64_t>(size)}, [size](void* data) { ::munmap(data, size); }, at::TensorOptions().dtype(at::kByte));
}

/// Tensors up to this size may be masks, positions and the like, whose values decide shapes; they are loaded also where shapes are enough.
constexpr std::int64_t kSmall = 4096;

at::Tensor emptyBytes(std::uint64_t bytes) {
    return callOperator("aten::empty.memory_format", {{Value::list({static_cast<std::int64_t>(bytes)})}, {{"dtype", at::kByte}}}).tensor();
}

[[noreturn]] void refuse(const TensorRef& ref, const std::string& why) {
    throw runError("a tensor of the model cannot be loaded: " + why + " (" + std::string(dtypeName(ref.dtype)) + ")").hinting("give it values, or replace it in the model");
}

} // namespace

const at::Tensor& TensorStore::tensor(const TensorPtr& ref) {
    const auto known = m_tensors.find(ref.get());
    if (known != m_tensors.end()) return known->second.second;
    const c10::InferenceMode ordinary(false);
    const bool plain = !ref->quantizer && ref->layout == "torch.strided";
    const bool shapeOnly = m_holds == Holds::Shapes && plain && (ref->isParameter || !ref->storage || ref->elementCount() > kSmall);
    at::Tensor made = shapeOnly ? withoutValues(*ref) : make(*ref);
    // Nothing records gradients, but kernels choose their way by this flag (matmul folds a weight that requires them).
    if (ref->requiresGrad && (made.is_floating_point() || made.is_complex())) made.set_requires_grad(true);
    m_own.insert(made.unsafeGetTensorImpl());
    return m_tensors.emplace(ref.get(), std::pair(ref, std::move(made))).first->second.second;
}

Value TensorStore::copy(const TensorPtr& ref) {
    if (!ref) return {};
    auto& [kept, made] = m_copies[ref.get()];
    kept = ref;
    if (!made.defined()) {
        const c10::InferenceMode ordinary(false);
        const at::Tensor given = make(*ref);
        // clone() keeps the strides of dense tensors; others stay as they are.
        made = given.is_non_overlapping_and_dense() ? given.clone() : given;
    }
    return made;
}

/// The bytes of a storage; aligned for elements of that size.
at::Tensor TensorStore::bytesOf(const std::shared_ptr<const Storage>& storage, std::size_t alignment) {
    if (const auto known = m_storages.find(storage.get()); known != m_storages.end()) return known->second.second;
    at::Tensor bytes;
    if (const auto& file = storage->file(); file && storage->fileOffset() % alignment == 0 && storage->byteCount() > 0) {
        if (!file->unchanged()) throw runError("the file changed while it was open").hinting("open the model again").in(file->path());
        auto found = m_files.find(file.get());
        if (found == m_files.end())
            if (auto whole = mapped(*file)) found = m_files.emplace(file.get(), std::move(*whole)).first;
        if (found != m_files.end())
            bytes = found->second.slice(0, static_cast<std::int64_t>(storage->fileOffset()), static_cast<std::int64_t>(storage->fileOffset() + storage->byteCount()));
    }
    if (!bytes.defined()) {
        bytes = emptyBytes(storage->byteCount());
        storage->read(0, {static_cast<std::byte*>(bytes.mutable_data_ptr()), static_cast<std::size_t>(storage->byteCount())});
    }
    m_storages.emplace(storage.get(), std::pair(storage, bytes));
    return bytes;
}

at::Tensor TensorStore::withoutValues(const TensorRef& ref) const {
    const auto type = scalarType(dtypeName(ref.dtype));
    if (!type || ref.dtype == DType::Other) refuse(ref, "Lancet does not know its kind");
    return metaTensor(ref.sizes, ref.strides, *type);
}

at::Tensor TensorStore::make(const TensorRef& ref) {
    const auto type = scalarType(dtypeName(ref.dtype));
    if (!type || ref.dtype == DType::Other) refuse(ref, "Lancet does not know its kind");
    if (!ref.storage) refuse(ref, ref.device == "meta" ? "it is on the meta device and has no values" : "it has no values");
    if (ref.layout != "torch.strided") refuse(ref, "its layout is " + ref.layout);
    if (ref.storage->isExpression()) return evaluateExpression(ref.storage->expressionSource()).tensor();
    if (ref.quantizer) return quantized(ref);
    const at::Tensor bytes = bytesOf(ref.storage, elementSize(ref.dtype));
    char* const start = static_cast<char*>(bytes.mutable_data_ptr()) + static_cast<std::size_t>(ref.offset) * elementSize(ref.dtype);
    at::Tensor out = at::from_blob(start, ref.sizes, ref.strides, [bytes](void*) {}, at::TensorOptions().dtype(*type));
    if (ref.conjugate) out = callOperator("aten::_conj", {{out}, {}}).tensor();
    if (ref.negative) out = callOperator("aten::_neg_view", {{out}, {}}).tensor();
    return out;
}

at::Tensor TensorStore::quantized(const TensorRef& ref) {
    const Quantizer& q = *ref.quantizer;
    Arguments call{{Value::list(Values(ref.sizes.begin(), ref.sizes.end()))}, {{"dtype", *scalarType(dtypeName(ref.dtype))}}};
    if (q.perChannel) {
        call.named.insert(call.named.end(), {{"scales", value(q.scales)}, {"zero_points", value(q.zeroPoints)}, {"axis", q.axis}});
    } else {
        call.named.insert(call.named.end(), {{"scale", q.scale}, {"zero_point", q.zeroPoint}});
    }
    const at::Tensor out = callOperator(q.perChannel ? "aten::_empty_per_channel_affine_quantized" : "aten::_empty_affine_quantized", std::move(call)).tensor();
    if (!ref.isContiguous()) refuse(ref, "a quantised tensor that is not contiguous");
    ref.storage->read(static_cast<std::uint64_t>(ref.offset) * elementSize(ref.dtype), {static_cast<std::byte*>(out.mutable_data_ptr()), static_cast<std::size_t>(ref.byteCount())});
    return out;
}

TensorPtr toTensorRef(const at::Tensor& tensor) {
    TensorRef out;
    const auto type = dtypeFromName(scalarTypeName(tensor.scalar_type()));
    if (!type) throw runError(std::string("a result of type ") + c10::toString(tensor.scalar_type()) + " cannot be handed over");
    if (tensor.is_quantized() || tensor.layout() != at::kStrided) throw runError("a result that is quantised or sparse cannot be handed over").hinting("dequantize or densify it in the graph");
    const at::Tensor plain = tensor.cpu().resolve_conj().resolve_neg().contiguous();
    std::vector<std::byte> bytes(static_cast<std::size_t>(plain.nbytes()));
    if (!bytes.empty()) std::memcpy(bytes.data(), plain.const_data_ptr(), bytes.size());
    out.dtype = *type;
    out.sizes = plain.sizes().vec();
    out.strides = plain.strides().vec();
    out.storage = Storage::inMemory(std::move(bytes));
    return std::make_shared<const TensorRef>(std::move(out));
}

} // namespace fx::engine
