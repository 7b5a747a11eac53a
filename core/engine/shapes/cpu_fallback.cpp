// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/shapes/cpu_fallback.h"

#include "core/engine/for_each_tensor.h"
#include "core/engine/machine.h"
#include "core/engine/shapes/meta_kernels.h"

#include <ATen/EmptyTensor.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/_empty_affine_quantized.h>
#include <ATen/ops/as_strided.h>

#include <algorithm>
#include <array>
#include <deque>

namespace fx::engine {
namespace {

constexpr std::string_view kValuesNeeded = "needs the values of a meta tensor";

/// Operators of LibTorch; those of other libraries may do anything.
bool isOwn(std::string_view name) {
    return name.starts_with("aten::") || name.starts_with("quantized::") || name.starts_with("onednn::");
}

/// Results whose shapes are in the values of the arguments.
bool dependsOnValues(std::string_view name) {
    static constexpr std::string_view kNames[] = {"nonzero",
                                                  "_local_scalar_dense",
                                                  "masked_select",
                                                  "equal",
                                                  "bincount",
                                                  "unique_dim",
                                                  "unique_consecutive",
                                                  "unique_dim_consecutive",
                                                  "_unique",
                                                  "_unique2",
                                                  "repeat_interleave",
                                                  "is_set_to",
                                                  "_linalg_check_errors",
                                                  "_assert_async",
                                                  "q_scale",
                                                  "q_zero_point",
                                                  "q_per_channel_scales",
                                                  "q_per_channel_zero_points"};
    std::string_view base = name.substr(name.find("::") + 2);
    base = base.substr(0, base.find('.'));
    return std::find(std::begin(kNames), std::end(kNames), base) != std::end(kNames);
}

/// A CPU tensor of that geometry. Ones suit more operators than zeros do (probabilities, divisors); as indices only
/// zeros are always right.
at::Tensor madeUp(const at::Tensor& meta) {
    std::int64_t elements = meta.numel() > 0 ? 1 : 0;
    for (std::int64_t d = 0; d < meta.dim() && elements > 0; ++d) elements += (meta.size(d) - 1) * meta.stride(d);
    if (at::isQIntType(meta.scalar_type()))
        return at::_empty_affine_quantized({elements}, at::TensorOptions(at::kCPU).dtype(meta.scalar_type()), 1, 0)
            .fill_(0)
            .as_strided(meta.sizes(), meta.strides());
    at::Tensor memory(at::detail::empty_cpu({elements}, meta.scalar_type(), false, std::nullopt));
    if (meta.is_floating_point() || meta.is_complex()) memory.fill_(1);
    else memory.zero_();
    return memory.as_strided(meta.sizes(), meta.strides());
}

/// The tensors that stand for meta tensors in one call.
class StandIns {
public:
    at::Tensor of(const at::Tensor& meta) {
        if (!meta.defined() || !meta.is_meta()) return meta;
        for (const auto& [original, made] : m_made)
            if (original.is_same(meta)) return made;
        m_made.emplace_back(meta, madeUp(meta));
        return m_made.back().second;
    }
    c10::IValue of(const c10::IValue& value) {
        if (value.isDevice() && value.toDevice().is_meta()) return at::Device(at::kCPU);
        return mapIValue(value, [&](const at::Tensor& tensor) { return of(tensor); });
    }
    /// Back on the meta device; arguments that were written in place as themselves.
    at::Tensor back(const at::Tensor& result) const {
        if (!result.defined()) return result;
        for (const auto& [original, made] : m_made) {
            if (!made.is_same(result)) continue;
            if (original.sizes() != result.sizes())
                original.unsafeGetTensorImpl()->set_sizes_and_strides(result.sizes(), result.strides());
            return original;
        }
        return metaTensor(result.sizes(), result.strides(), result.scalar_type());
    }
    c10::IValue back(const c10::IValue& value) const {
        return mapIValue(value, [&](const at::Tensor& tensor) { return back(tensor); });
    }

private:
    std::deque<std::pair<at::Tensor, at::Tensor>> m_made;
};

bool lacksMetaKernel(const c10::OperatorHandle& op) {
    using c10::DispatchKey;
    static constexpr std::array kCpu = {DispatchKey::CPU, DispatchKey::QuantizedCPU};
    static constexpr std::array kKeys = {DispatchKey::Meta, DispatchKey::CompositeExplicitAutograd,
                                         DispatchKey::CompositeImplicitAutograd,
                                         DispatchKey::CompositeExplicitAutogradNonFunctional};
    const auto has = [&](DispatchKey key) { return op.hasKernelForDispatchKey(key); };
    return std::any_of(kCpu.begin(), kCpu.end(), has) && std::none_of(kKeys.begin(), kKeys.end(), has);
}

} // namespace

at::Tensor metaTensor(at::IntArrayRef sizes, at::IntArrayRef strides, at::ScalarType type) {
    return at::Tensor(at::detail::empty_strided_meta(sizes, strides, type));
}

at::Tensor metaTwin(const at::Tensor& tensor) {
    at::Tensor out = metaTensor(tensor.sizes(), tensor.strides(), tensor.scalar_type());
    if (tensor.requires_grad()) out.set_requires_grad(true);
    return out;
}

bool runsOnPlaceholders(const c10::OperatorHandle& op) {
    const std::string& name = op.schema().name();
    return isOwn(name) && !dependsOnValues(name);
}

void runOnPlaceholders(const c10::OperatorHandle& op, std::vector<c10::IValue>* stack) {
    const at::AutoDispatchBelowADInplaceOrView guard;
    StandIns standIns;
    const std::size_t count = op.schema().arguments().size();
    c10::Stack call;
    for (auto entry = stack->end() - static_cast<std::ptrdiff_t>(count); entry != stack->end(); ++entry)
        call.push_back(standIns.of(*entry));
    try {
        op.callBoxed(call);
    } catch (const c10::Error& error) {
        if (complainsOfDtypes(error.what_without_backtrace())) throw;
        // The values may be at fault: only a run with real ones can tell.
        TORCH_CHECK_NOT_IMPLEMENTED(false, error.what_without_backtrace(), " (", kValuesNeeded, ")");
    }
    stack->resize(stack->size() - count);
    for (const c10::IValue& result : call) stack->push_back(standIns.back(result));
}

void registerMetaKernels() {
    static std::deque<c10::RegistrationHandleRAII> kept = ownMetaKernels();
    static bool done = false;
    if (std::exchange(done, true)) return;
    auto& dispatcher = c10::Dispatcher::singleton();
    for (const c10::OperatorName& name : dispatcher.getAllOpNames()) {
        if (!isOwn(name.name) || dependsOnValues(name.name)) continue;
        const auto op = dispatcher.findOp(name);
        if (!op || !op->hasSchema() || !lacksMetaKernel(*op)) continue;
        kept.push_back(dispatcher.registerImpl(name, c10::DispatchKey::Meta,
                                               c10::KernelFunction::makeFromBoxedFunction<&runOnPlaceholders>(),
                                               std::nullopt, nullptr, "lancet"));
    }
}

} // namespace fx::engine
