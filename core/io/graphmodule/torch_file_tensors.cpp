// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/graphmodule/torch_file.h"

#include <algorithm>
#include <array>

// How PyTorch pickles tensors: calls of torch._utils._rebuild_* with a storage, an offset, sizes and strides (2.13, and
// older forms that its torch.load still reads). Each function below reads the arguments of one of them.

namespace fx {

namespace {

constexpr int kMaxWrappers = 20; ///< a parameter around a subclass around a tensor ...

constexpr std::array<std::string_view, 18> kRebuilders{
    "torch._utils._rebuild_tensor",
    "torch._utils._rebuild_tensor_v2",
    "torch._utils._rebuild_tensor_v3",
    "torch._utils._rebuild_parameter",
    "torch._utils._rebuild_parameter_with_state",
    "torch._utils._rebuild_qtensor",
    "torch._utils._rebuild_sparse_tensor",
    "torch._utils._rebuild_sparse_csr_tensor",
    "torch._utils._rebuild_nested_tensor",
    "torch._utils._rebuild_meta_tensor_no_storage",
    "torch._utils._rebuild_wrapper_subclass",
    "torch._utils._rebuild_device_tensor_from_cpu_tensor",
    "torch._utils._rebuild_device_tensor_from_numpy",
    "torch._utils._rebuild_xla_tensor",
    "torch._tensor._rebuild_from_type",
    "torch._tensor._rebuild_from_type_v2",
    "torch.nn.parameter.UninitializedParameter",
    "torch.nn.parameter.UninitializedBuffer",
};

bool truth(const PickleArena& arena, PickleRef ref) { return arena.is(ref, PickleKind::Bool) && arena.boolean(ref); }

} // namespace

const TorchFile::Rebuilder& TorchFile::rebuilder(PickleRef callable) const {
    const auto [known, isNew] = m_rebuilders.try_emplace(callable);
    if (isNew) {
        const std::string name = m_arena.qualifiedName(callable);
        known->second = {name, std::find(kRebuilders.begin(), kRebuilders.end(), name) != kRebuilders.end()};
    }
    return known->second;
}

bool TorchFile::isTensor(PickleRef ref) const {
    return m_arena.is(ref, PickleKind::Reduce) && rebuilder(m_arena.callee(ref)).rebuildsTensors;
}

TensorPtr TorchFile::tensor(PickleRef ref) {
    if (!isTensor(ref)) return nullptr;
    if (const auto known = m_tensors.find(ref); known != m_tensors.end()) return known->second;
    TensorRef built = build(m_arena.callee(ref), few(m_arena.args(ref)));
    built.origin = placeOf(ref);
    if (const std::string problem = built.geometryProblem(); !problem.empty())
        fail(Message("graphmodule.tensor_geometry", {{"problem", problem}}));
    return m_tensors.emplace(ref, std::make_shared<const TensorRef>(std::move(built))).first->second;
}

TensorRef TorchFile::build(PickleRef callable, const std::vector<PickleRef>& args) {
    const std::string& name = rebuilder(callable).name;
    if (name.ends_with("._rebuild_tensor_v2") && args.size() >= 6) return strided(args, 0, 6);
    if (name.ends_with("._rebuild_tensor_v3") && args.size() >= 7) return strided(args, 6, 7);
    if (name.ends_with("._rebuild_tensor") && args.size() >= 4) return strided(args, 0, 0);
    if (name.ends_with("._rebuild_qtensor") && args.size() >= 6) return quantized(args);
    if (name.ends_with("._rebuild_meta_tensor_no_storage") && args.size() >= 4) return meta(args);
    if (name.ends_with("._rebuild_sparse_tensor") && args.size() >= 2) return sparse(args);
    if (name.ends_with("._rebuild_wrapper_subclass") && args.size() >= 8) return wrapper(args);
    if (name.starts_with("torch._tensor._rebuild_from_type") && args.size() >= 3) return subclass(args);
    if (name.starts_with("torch._utils._rebuild_parameter") && args.size() >= 2) {
        TensorRef parameter = inner(args[0]);
        parameter.isParameter = true;
        parameter.requiresGrad = truth(m_arena, args[1]);
        return parameter;
    }
    if (name == "torch._utils._rebuild_device_tensor_from_cpu_tensor" && args.size() >= 4) {
        TensorRef moved = inner(args[0]);
        if (m_arena.is(args[2], PickleKind::String) && m_arena.text(args[2]).size() <= kMostParts)
            moved.device = m_arena.text(args[2]);
        moved.requiresGrad = truth(m_arena, args[3]);
        return moved;
    }
    return opaque(name);
}

/// The tensor inside another one's arguments, by itself.
TensorRef TorchFile::inner(PickleRef wrapped) {
    if (m_depth >= kMaxWrappers) fail(Message("graphmodule.wrapped_in_itself"));
    if (!isTensor(wrapped)) return opaque("unknown tensor");
    const PickleRef callable = m_arena.callee(wrapped);
    // What a parameter usually holds is needed nowhere else; others are kept, since building them may take long.
    if (rebuilder(callable).name.ends_with("._rebuild_tensor_v2")) return build(callable, few(m_arena.args(wrapped)));
    ++m_depth;
    const TensorPtr found = tensor(wrapped);
    --m_depth;
    return *found;
}

/// What is kept but not read: named after the call that would build it.
TensorRef TorchFile::opaque(const std::string& name) const {
    TensorRef result;
    result.dtype = DType::Other;
    result.dtypeText = name;
    result.isParameter = name.ends_with("UninitializedParameter");
    result.sizes = {0};
    result.strides = {1};
    return result;
}

/// function, class, its arguments, state: a tensor of a subclass, read as what it is built from
TensorRef TorchFile::subclass(const std::vector<PickleRef>& args) {
    if (m_depth >= kMaxWrappers) fail(Message("graphmodule.wrapped_in_itself"));
    ++m_depth;
    TensorRef result = build(args[0], few(args[2]));
    --m_depth;
    const std::string type = m_arena.qualifiedName(args[1]);
    if (type == "torch.nn.parameter.Parameter") result.isParameter = true;
    else if (type != "torch.Tensor" && type != "torch.nn.parameter.Buffer")
        warnings.push_back({Message("graphmodule.subclass", {{"type", type}}), {}, {}, {}});
    return result;
}

/// class, dtype, size, stride, offset, layout, device, requires_grad: a subclass whose values are elsewhere
TensorRef TorchFile::wrapper(const std::vector<PickleRef>& args) {
    TensorRef result = meta({args[1], args[2], args[3], args[7]});
    warnings.push_back(
        {Message("graphmodule.unreadable_class", {{"type", m_arena.qualifiedName(args[0])}}), {}, {}, {}});
    return result;
}

/// storage, offset, size, stride[, requires_grad, hooks][, dtype][, metadata]
TensorRef TorchFile::strided(const std::vector<PickleRef>& args, std::size_t dtypeAt, std::size_t metadataAt) {
    TensorRef result;
    TypedStorage storage = typedStorage(args[0]);
    result.dtype = storage.dtype;
    result.storage = std::move(storage.storage);
    result.device = std::move(storage.device);
    result.offset = integer(args[1]);
    result.sizes = integers(args[2]);
    result.strides = integers(args[3]);
    result.requiresGrad = args.size() > 4 && truth(m_arena, args[4]);
    if (dtypeAt > 0) setDtype(result, args[dtypeAt]);
    if (metadataAt > 0 && args.size() > metadataAt && args[metadataAt] != kNoPickle) {
        if (m_arena.itemCount(args[metadataAt]) > kMostParts) fail(Message("graphmodule.too_many_parts"));
        result.conjugate = truth(m_arena, m_arena.find(args[metadataAt], "conj"));
        result.negative = truth(m_arena, m_arena.find(args[metadataAt], "neg"));
    }
    return result;
}

/// storage, offset, size, stride, (qscheme, scale(s), zero point(s)[, axis]), requires_grad, hooks
TensorRef TorchFile::quantized(const std::vector<PickleRef>& args) {
    TensorRef result = strided(args, 0, 0);
    result.requiresGrad = truth(m_arena, args[5]);
    const std::vector<PickleRef> scheme = few(args[4]);
    const std::string name = scheme.empty() ? std::string() : m_arena.qualifiedName(scheme[0]);
    Quantizer quantizer;
    if (name == "torch.per_tensor_affine" && scheme.size() >= 3) {
        if (!m_arena.is(scheme[1], PickleKind::Float)) fail(Message("graphmodule.no_scale"));
        quantizer.scale = m_arena.real(scheme[1]);
        quantizer.zeroPoint = integer(scheme[2]);
    } else if (name.starts_with("torch.per_channel_affine") && scheme.size() >= 4) {
        quantizer.perChannel = true;
        quantizer.scales = m_arena.is(scheme[1], PickleKind::List) ? numbers(scheme[1]) : tensor(scheme[1]);
        quantizer.zeroPoints = m_arena.is(scheme[2], PickleKind::List) ? numbers(scheme[2]) : tensor(scheme[2]);
        quantizer.axis = integer(scheme[3]);
    } else {
        fail(Message("graphmodule.unknown_scheme", {{"scheme", name}}));
    }
    result.quantizer = std::move(quantizer);
    return result;
}

/// A list of numbers as a tensor in memory: how old files keep scales and zero points.
TensorPtr TorchFile::numbers(PickleRef list) {
    if (const auto known = m_tensors.find(list); known != m_tensors.end()) return known->second; // many may share one
    std::vector<std::byte> bytes;
    for (const PickleRef item : m_arena.items(list)) {
        const double value =
            m_arena.is(item, PickleKind::Float) ? m_arena.real(item) : static_cast<double>(integer(item));
        const auto* raw = reinterpret_cast<const std::byte*>(&value);
        bytes.insert(bytes.end(), raw, raw + sizeof value);
    }
    TensorRef result;
    result.dtype = DType::Float64;
    result.sizes = {static_cast<std::int64_t>(bytes.size() / sizeof(double))};
    result.strides = {1};
    result.storage = Storage::inMemory(std::move(bytes));
    return m_tensors.emplace(list, std::make_shared<const TensorRef>(std::move(result))).first->second;
}

/// dtype, size, stride, requires_grad
TensorRef TorchFile::meta(const std::vector<PickleRef>& args) {
    TensorRef result;
    setDtype(result, args[0]);
    result.sizes = integers(args[1]);
    result.strides = integers(args[2]);
    result.requiresGrad = truth(m_arena, args[3]);
    result.device = "meta";
    return result;
}

/// layout, (indices, values, size[, coalesced]) or (compressed indices, plain indices, values, size)
TensorRef TorchFile::sparse(const std::vector<PickleRef>& args) {
    if (m_arena.is(args[0], PickleKind::Int)) return scriptSparse(args);
    TensorRef result;
    const std::vector<PickleRef> layout = m_arena.isCallOf(args[0], "torch.serialization._get_layout")
                                              ? few(m_arena.args(args[0]))
                                              : std::vector<PickleRef>{};
    if (layout.size() != 1 || !m_arena.is(layout[0], PickleKind::String)) fail(Message("graphmodule.sparse_layout"));
    result.layout = m_arena.text(layout[0]);
    const std::vector<PickleRef> data = few(args[1]);
    const std::size_t valuesAt = result.layout == "torch.sparse_coo" ? 1 : 2;
    if (data.size() < valuesAt + 2) fail(Message("graphmodule.sparse_values"));
    const TensorPtr values = tensor(data[valuesAt]);
    if (!values) fail(Message("graphmodule.sparse_values"));
    result.dtype = values->dtype;
    result.dtypeText = values->dtypeText;
    result.device = values->device;
    result.sizes = integers(data[valuesAt + 1]);
    result.strides.assign(result.sizes.size(), 0);
    return result;
}

/// As TorchScript writes them: number of the layout, size, requires_grad, one or two tensors of indices, values
TensorRef TorchFile::scriptSparse(const std::vector<PickleRef>& args) {
    constexpr std::int64_t kCoo = 1, kCsr = 2; // c10::Layout; it writes no others
    const std::int64_t layout = args.empty() ? 0 : integer(args[0]);
    if (layout != kCoo && layout != kCsr) fail(Message("graphmodule.sparse_layout"));
    if (args.size() < (layout == kCoo ? 5 : 6)) fail(Message("graphmodule.sparse_values"));
    const TensorPtr values = tensor(args[layout == kCoo ? 4 : 5]);
    if (!values) fail(Message("graphmodule.sparse_values"));
    TensorRef result;
    result.layout = layout == kCoo ? "torch.sparse_coo" : "torch.sparse_csr";
    result.dtype = values->dtype, result.dtypeText = values->dtypeText, result.device = values->device;
    result.requiresGrad = truth(m_arena, args[2]);
    result.sizes = integers(args[1]);
    result.strides.assign(result.sizes.size(), 0);
    return result;
}

} // namespace fx
