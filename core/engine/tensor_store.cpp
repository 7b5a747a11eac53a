// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/tensor_store.h"

#include "core/base/joined_path.h"
#include "core/base/visible_text.h"
#include "core/engine/dispatch.h"
#include "core/engine/expression.h"
#include "core/engine/outside.h"
#include "core/engine/shapes/cpu_fallback.h"
#include "core/pysrc/expression_names.h"

#include <ATen/ops/from_blob.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
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
    void* const start =
        ::mmap(nullptr, file.size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, descriptor, 0);
    ::close(descriptor);
    if (start == MAP_FAILED) return std::nullopt;
    const std::size_t size = file.size();
    return at::from_blob(
        start, {static_cast<std::int64_t>(size)}, [size](void* data) { ::munmap(data, size); },
        at::TensorOptions().dtype(at::kByte));
}

bool isConstant(const TensorRef& ref) { return ref.storage && ref.storage->isExpression(); }

/// The tensor that a read of an expression leads to, which may go on to attributes of it ("k.T"); null when there is
/// none.
TensorPtr tensorAt(const Module& module, std::string_view read) {
    for (std::size_t end = 0; end < read.size(); ++end) {
        end = std::min(read.find('.', end), read.size());
        const PathTarget target = resolvePath(module, read.substr(0, end));
        if (target.kind != PathTarget::Kind::Module) return target.tensor;
    }
    return nullptr;
}

std::set<std::string> readsOf(const std::string& source) {
    try {
        return py::namesIn(source).reads;
    } catch (const fx::Error& error) {
        throw runError(Message("engine.load_time_code", {{"reason", error.what()}, {"cause", error.message().code()}}));
    }
}

/// What files hold is made as it is, also where the operators of a graph are called for their shapes only: buffers for
/// its bytes would otherwise be on the meta device, which has no memory.
class WithValues {
public:
    WithValues() : m_outer(std::exchange(stackFilter(), nullptr)) {}
    ~WithValues() { stackFilter() = m_outer; }
    WithValues(const WithValues&) = delete;
    WithValues& operator=(const WithValues&) = delete;

private:
    StackFilter m_outer;
};

/// Tensors up to this size may be masks, positions and the like, whose values decide shapes; they are loaded also where
/// shapes are enough.
constexpr std::int64_t kSmallTensor = 4096;

at::Tensor emptyBytes(std::uint64_t bytes) {
    return callOperator("aten::empty.memory_format",
                        {{Value::list({static_cast<std::int64_t>(bytes)})}, {{"dtype", at::kByte}}})
        .tensor();
}

[[noreturn]] void refuse(const TensorRef& ref, const Message& why) {
    throw runError(
        Message("engine.tensor", {{"reason", why.text()}, {"cause", why.code()}, {"dtype", dtypeName(ref.dtype)}}));
}

} // namespace

const at::Tensor& TensorStore::tensor(const TensorPtr& ref) {
    const auto known = m_tensors.find(ref.get());
    if (known != m_tensors.end()) return known->second.second;
    const c10::InferenceMode ordinary(false);
    const bool plain = !ref->quantizer && ref->layout == "torch.strided";
    const bool shapeOnly =
        m_holds == Holds::Shapes && plain &&
        (InferenceOnly::active() || ref->isParameter || !ref->storage || ref->elementCount() > kSmallTensor);
    return keep(ref, shapeOnly ? withoutValues(*ref) : make(ref));
}

const at::Tensor& TensorStore::keep(const TensorPtr& ref, at::Tensor made) {
    // Nothing records gradients, but kernels choose their way by this flag (matmul folds a weight that requires them).
    if (ref->requiresGrad && (made.is_floating_point() || made.is_complex())) made.set_requires_grad(true);
    m_own.insert(made.unsafeGetTensorImpl());
    if (m_saved) save(ref.get(), made);
    return m_tensors.emplace(ref.get(), std::pair(ref, std::move(made))).first->second.second;
}

Value TensorStore::copy(const TensorPtr& ref) {
    if (!ref) return {};
    auto& [kept, made] = m_copies[ref.get()];
    kept = ref;
    if (!made.defined()) {
        const c10::InferenceMode ordinary(false);
        const at::Tensor given = make(ref);
        // clone() keeps the strides of dense tensors; others stay as they are.
        made = given.is_non_overlapping_and_dense() ? given.clone() : given;
    }
    return made;
}

const at::Tensor& TensorStore::state(const TensorPtr& ref) {
    const at::Tensor& now = tensor(ref);
    if (!m_states.insert(ref.get()).second) return now;
    const c10::InferenceMode ordinary(false);
    at::Tensor copy = now.clone();
    m_own.insert(copy.unsafeGetTensorImpl());
    return m_tensors.at(ref.get()).second = std::move(copy);
}

void TensorStore::replace(const TensorPtr& ref, at::Tensor value) {
    m_own.erase(tensor(ref).unsafeGetTensorImpl());
    m_own.insert(value.unsafeGetTensorImpl());
    m_tensors.at(ref.get()).second = std::move(value);
}

TensorStore& TensorStore::whole() {
    if (m_holds == Holds::All) return *this;
    if (!m_whole) (m_whole = std::make_unique<TensorStore>())->m_scopes = m_scopes;
    return *m_whole;
}

const c10::IValue& TensorStore::packed(const TensorPtr& key, std::string_view op,
                                       const std::function<c10::IValue()>& make) {
    auto& [kept, value] = m_packed[{key.get(), std::string(op)}];
    if (kept) return value;
    const c10::InferenceMode ordinary(false);
    const WithValues withValues;
    value = make(), kept = key;
    return value;
}

/// The bytes of a storage. They are aligned as PyTorch aligns its own: MKL's products of doubles differ in the last bit
/// with where their operands begin, and files of safetensors have tensors anywhere.
at::Tensor TensorStore::bytesOf(const std::shared_ptr<const Storage>& storage) {
    constexpr std::uint64_t kAlignment = 64;
    if (const auto known = m_storages.find(storage.get()); known != m_storages.end()) return known->second.second;
    at::Tensor bytes;
    if (const auto& file = storage->file();
        file && storage->fileOffset() % kAlignment == 0 && storage->byteCount() > 0) {
        if (!file->unchanged()) throw runError(Message("files.changed")).in(file->path());
        auto found = m_files.find(file.get());
        if (found == m_files.end())
            if (auto whole = mapped(*file)) found = m_files.emplace(file.get(), std::move(*whole)).first;
        if (found != m_files.end())
            bytes = found->second.slice(0, static_cast<std::int64_t>(storage->fileOffset()),
                                        static_cast<std::int64_t>(storage->fileOffset() + storage->byteCount()));
    }
    if (!bytes.defined()) {
        bytes = emptyBytes(storage->byteCount());
        storage->read(
            0, {static_cast<std::byte*>(bytes.mutable_data_ptr()), static_cast<std::size_t>(storage->byteCount())});
    }
    m_storages.emplace(storage.get(), std::pair(storage, bytes));
    return bytes;
}

at::Tensor TensorStore::withoutValues(const TensorRef& ref) const {
    const auto type = scalarType(dtypeName(ref.dtype));
    if (!type || ref.dtype == DType::Other) refuse(ref, Message("engine.tensor_type"));
    return metaTensor(ref.sizes, ref.strides, *type);
}

at::Tensor TensorStore::make(const TensorPtr& wanted) {
    const TensorRef& ref = *wanted;
    const auto type = scalarType(dtypeName(ref.dtype));
    if (!type || ref.dtype == DType::Other) refuse(ref, Message("engine.tensor_type"));
    const WithValues withValues;
    if (!ref.storage)
        refuse(ref, ref.device == "meta" ? Message("engine.meta_tensor") : Message("engine.tensor_without_values"));
    if (ref.layout != "torch.strided") refuse(ref, Message("files.tensor_layout", {{"layout", ref.layout}}));
    if (ref.storage->isExpression()) return compute(wanted);
    if (ref.quantizer) return quantized(ref);
    const at::Tensor bytes = bytesOf(ref.storage);
    char* const start =
        static_cast<char*>(bytes.mutable_data_ptr()) + static_cast<std::size_t>(ref.offset) * elementSize(ref.dtype);
    at::Tensor out = at::from_blob(
        start, ref.sizes, ref.strides, [bytes](void*) {}, at::TensorOptions().dtype(*type));
    if (ref.conjugate) out = callOperator("aten::_conj", {{out}, {}}).tensor();
    if (ref.negative) out = callOperator("aten::_neg_view", {{out}, {}}).tensor();
    return out;
}

void TensorStore::addModel(const std::shared_ptr<const GraphModule>& model) {
    std::unordered_map<std::string, std::shared_ptr<const Scopes>> scopes; // by module path
    const auto scopeAround = [&](const std::string& path) -> std::shared_ptr<const Scopes> {
        const auto found = path.empty() ? scopes.end() : scopes.find(std::string(parentPath(path)));
        return found == scopes.end() ? nullptr : found->second;
    };
    forEachModule(*model->root, [&](const std::string& path, const Module& module) {
        std::shared_ptr<const Scopes> scope = scopeAround(path);
        if (!scope || module.graphModule) {
            Scopes inner{std::shared_ptr<const Module>(model, &module)};
            if (scope) inner.insert(inner.end(), scope->begin(), scope->end());
            scope = std::make_shared<const Scopes>(std::move(inner));
        }
        scopes.emplace(path, scope);
        forEachOwnTensor(module, [&](const std::string&, const TensorPtr& tensor) {
            if (isConstant(*tensor)) m_scopes.emplace(tensor.get(), scope);
        });
    });
    if (m_whole) m_whole->addModel(model);
}

/// The innermost module that has any of the tensors which an expression reads; null when none is known to.
std::shared_ptr<const Module> TensorStore::scopeOf(const TensorRef& ref, const std::set<std::string>& reads) const {
    const auto scopes = m_scopes.find(&ref);
    if (scopes == m_scopes.end()) return nullptr;
    for (const auto& scope : *scopes->second)
        if (std::any_of(reads.begin(), reads.end(),
                        [&](const std::string& read) { return tensorAt(*scope, read) != nullptr; }))
            return scope; // evaluating tells what is missing
    return scopes->second->front();
}

/// Constants may be made from other constants, those are computed first. Without recursion: a file may have thousands
/// in a row.
at::Tensor TensorStore::compute(const TensorPtr& wanted) {
    InferenceOnly::refuse("code that computes constants");
    if (m_holds == Holds::Shapes) return whole().tensor(wanted);
    const ExpressionScope plain{nullptr, [this](const TensorPtr& tensor) {
                                    if (isConstant(*tensor) && !m_tensors.contains(tensor.get()))
                                        throw runError(Message("engine.constant_reads"));
                                    return value(tensor);
                                }};
    std::vector<TensorPtr> open{wanted};
    std::unordered_set<const TensorRef*> begun;
    while (true) {
        const TensorPtr ref = open.back();
        const std::string& source = ref->storage->expressionSource();
        ExpressionScope scope = plain;
        const auto reads = readsOf(source);
        if (!reads.empty()) scope.self = scopeOf(*ref, reads);
        const bool isFirst = begun.insert(ref.get()).second;
        const std::size_t depth = open.size();
        for (const std::string& read : reads) {
            const TensorPtr need = isFirst && scope.self ? tensorAt(*scope.self, read) : nullptr;
            if (!need || !isConstant(*need) || m_tensors.contains(need.get())) continue;
            if (begun.contains(need.get()))
                throw runError(Message("engine.constant_circle")).quoting(visibleExcerpt(source));
            open.push_back(need);
        }
        if (open.size() > depth) continue;
        const Value made = m_tensors.contains(ref.get()) ? Value(tensor(ref)) : evaluateExpression(source, scope);
        if (!made.isTensor()) throw runError(Message("engine.constant_not_tensor")).quoting(visibleExcerpt(source));
        open.pop_back();
        if (open.empty()) return made.tensor();
        keep(ref, made.tensor());
    }
}

at::Tensor TensorStore::quantized(const TensorRef& ref) {
    const Quantizer& q = *ref.quantizer;
    Arguments call{{Value::list(Values(ref.sizes.begin(), ref.sizes.end()))},
                   {{"dtype", *scalarType(dtypeName(ref.dtype))}}};
    if (q.perChannel) {
        call.named.insert(
            call.named.end(),
            {{"scales", whole().value(q.scales)}, {"zero_points", whole().value(q.zeroPoints)}, {"axis", q.axis}});
    } else {
        call.named.insert(call.named.end(), {{"scale", q.scale}, {"zero_point", q.zeroPoint}});
    }
    const at::Tensor out =
        callOperator(q.perChannel ? "aten::_empty_per_channel_affine_quantized" : "aten::_empty_affine_quantized",
                     std::move(call))
            .tensor();
    if (ref.elementCount() == 0) return out;
    // Some machines' kernels keep the weights of convolutions channels last.
    std::int64_t last = 0;
    for (std::size_t i = 0; i < ref.sizes.size(); ++i) last += (ref.sizes[i] - 1) * ref.strides[i];
    const std::size_t size = elementSize(ref.dtype);
    if (elementsPerByte(ref.dtype) > 1) { // contiguous, and PyTorch may have more memory than the elements need
        ref.storage->read(0, {static_cast<std::byte*>(out.data_ptr()), static_cast<std::size_t>(ref.byteCount())});
        return out;
    }
    const at::Tensor bytes = emptyBytes(static_cast<std::uint64_t>(last + 1) * size);
    ref.storage->read(static_cast<std::uint64_t>(ref.offset) * size,
                      {static_cast<std::byte*>(bytes.mutable_data_ptr()), static_cast<std::size_t>(bytes.nbytes())});
    out.unsafeGetTensorImpl()->set_storage_keep_dtype(bytes.storage());
    out.unsafeGetTensorImpl()->set_sizes_and_strides(ref.sizes, ref.strides);
    return out;
}

/// How a quantised tensor maps integers to reals.
static Quantizer quantizerOf(const at::Tensor& tensor) {
    Quantizer out;
    const at::QScheme scheme = tensor.qscheme();
    if (scheme == at::kPerTensorAffine || scheme == at::kPerTensorSymmetric) {
        out.scale = tensor.q_scale(), out.zeroPoint = tensor.q_zero_point();
        return out;
    }
    out.perChannel = true;
    out.axis = tensor.q_per_channel_axis();
    out.scales = toTensorRef(tensor.q_per_channel_scales());
    out.zeroPoints = toTensorRef(tensor.q_per_channel_zero_points());
    return out;
}

TensorPtr toTensorRef(const at::Tensor& tensor) {
    TensorRef out;
    const auto type = dtypeFromName(scalarTypeName(tensor.scalar_type()));
    if (!type) throw runError(Message("engine.result_type", {{"type", c10::toString(tensor.scalar_type())}}));
    if (tensor.layout() != at::kStrided) throw runError(Message("engine.result_layout"));
    if (tensor.is_quantized()) out.quantizer = quantizerOf(tensor);
    // PyTorch's integers of elements that share a byte have other sizes than the tensor, and its storage is the longer.
    const bool shares = elementsPerByte(*type) > 1;
    const at::Tensor plain = shares                  ? tensor
                             : tensor.is_quantized() ? tensor.int_repr().contiguous()
                                                     : tensor.cpu().resolve_conj().resolve_neg().contiguous();
    std::vector<std::byte> bytes(shares ? plain.storage().nbytes() : static_cast<std::size_t>(plain.nbytes()));
    if (!bytes.empty()) std::memcpy(bytes.data(), plain.const_data_ptr(), bytes.size());
    out.dtype = *type;
    out.sizes = plain.sizes().vec();
    out.strides = plain.strides().vec();
    out.storage = Storage::inMemory(std::move(bytes));
    return std::make_shared<const TensorRef>(std::move(out));
}

} // namespace fx::engine
