// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/quant/observers.h"

#include "core/make/observer_spec.h"

#include <ATen/ops/bucketize.h>
#include <ATen/ops/fake_quantize_per_channel_affine.h>
#include <ATen/ops/fake_quantize_per_tensor_affine.h>
#include <ATen/ops/fused_moving_avg_obs_fake_quant.h>
#include <ATen/ops/linspace.h>

#include <numeric>

namespace fx::engine {
namespace {

using quant::ObserverKind;
constexpr std::int64_t kUpsample = 16; ///< HistogramObserver.upsample_rate

bool isSame(const at::Tensor& a, const at::Tensor& b) { return numberOf(a) == numberOf(b); }

/// A buffer that the forward changes.
at::Tensor state(const ModuleCall& m, std::string_view name) {
    const Module::Slot* slot = m.module().buffer(name);
    if (!slot || !slot->tensor)
        throw runError(Message("engine.module_attribute", {{"class", m.module().qualifiedType()}, {"name", name}}));
    return m.tensors().state(slot->tensor);
}

void put(const at::Tensor& into, const at::Tensor& value) {
    if (into.sizes() != value.sizes()) into.resize_(value.sizes());
    into.copy_(value);
}

/// The tensor that an observer gets; null if it has no values, or if a probe took it.
std::optional<at::Tensor> given(const ModuleCall& m) {
    const Value input = m.input(0);
    if (!input.isTensor()) throw raised("AttributeError: an observer expects a Tensor, got " + typeText(input));
    at::Tensor x = input.tensor().detach();
    if (x.is_meta()) return std::nullopt;
    if (observerProbe()) {
        if (x.numel() != 0) observerProbe()(m.module(), x);
        return std::nullopt;
    }
    return x;
}

/// What an observer looks at: as `given`, and null for an empty tensor.
std::optional<at::Tensor> observed(const ModuleCall& m) {
    auto x = given(m);
    if (x && x->numel() == 0) return std::nullopt;
    return x;
}

/// The least and greatest values so far, given those of this tensor. `isFirst`: there are none yet.
void remember(const ModuleCall& m, const at::Tensor& least, const at::Tensor& greatest, bool isFirst, bool averages) {
    const at::Tensor low = state(m, "min_val"), high = state(m, "max_val");
    if (isFirst) return put(low, least), put(high, greatest);
    if (!averages) return put(low, least.min(low)), put(high, greatest.max(high));
    const double constant = m.real("averaging_constant");
    put(low, low.add(least.sub(low).mul(constant)));
    put(high, high.add(greatest.sub(high).mul(constant)));
}

template<bool kAverages> Value perTensor(const ModuleCall& m) {
    if (const auto x = observed(m)) {
        const at::Tensor low = state(m, "min_val"), high = state(m, "max_val");
        const auto [least, greatest] = x->to(low.scalar_type()).aminmax();
        remember(m, least, greatest, kAverages && numberOf(low) == kInfinity && numberOf(high) == -kInfinity,
                 kAverages);
    }
    return m.input(0);
}

template<bool kAverages> Value perChannel(const ModuleCall& m) {
    if (const auto x = observed(m)) {
        const at::Tensor low = state(m, "min_val"), high = state(m, "max_val");
        std::vector<std::int64_t> order(static_cast<std::size_t>(x->dim()));
        std::iota(order.begin(), order.end(), 0);
        const std::int64_t axis = m.integer("ch_axis"), place = axis < 0 ? axis + x->dim() : axis;
        if (place < 0 || place >= x->dim()) throw raised("IndexError: list assignment index out of range");
        order[static_cast<std::size_t>(place)] = 0, order[0] = place;
        const at::Tensor rows = x->permute(order).to(low.scalar_type()).flatten(1);
        const auto [least, greatest] = rows.aminmax(1);
        remember(m, least, greatest, low.numel() == 0 || high.numel() == 0, kAverages);
    }
    return m.input(0);
}

// ── HistogramObserver ──

/// `_upscale_histogram`: an old histogram in the bins of a wider range.
at::Tensor upscaled(const at::Tensor& histogram, const at::Tensor& oldLow, const at::Tensor& oldHigh,
                    const at::Tensor& low, const at::Tensor& high) {
    const std::int64_t bins = histogram.size(0), fine = bins * kUpsample;
    const at::Tensor parts = histogram.repeat_interleave(kUpsample).div(kUpsample);
    const at::Tensor middles = at::linspace(oldLow.item(), oldHigh.item(), fine + 1)
                                   .slice(0, 0, -1)
                                   .add(oldHigh.sub(oldLow).div(fine).mul(0.5));
    const at::Tensor bounds = at::linspace(low.item(), high.item(), bins + 1);
    const at::Tensor places = at::bucketize(middles, bounds, false, true).sub(1).clamp(0, bins - 1);
    return places.bincount(parts, bins);
}

at::Tensor combined(const at::Tensor& old, const at::Tensor& oldLow, const at::Tensor& oldHigh, const at::Tensor& added,
                    const at::Tensor& low, const at::Tensor& high) {
    if (isSame(low, oldLow) && isSame(high, oldHigh)) return old.add(added);
    if (isSame(oldLow, oldHigh)) return oldLow.histc(old.size(0), low.item(), high.item()).mul(old.sum()).add(added);
    return added.add(upscaled(old, oldLow, oldHigh, low, high));
}

Value histogram(const ModuleCall& m) {
    auto x = observed(m);
    if (!x) return m.input(0);
    auto [least, greatest] = x->aminmax();
    if (numberOf(least) == -kInfinity || numberOf(greatest) == kInfinity) { // PyTorch leaves out infinite values
        x = x->masked_select(x->abs().ne(kInfinity));
        if (x->numel() == 0) return m.input(0);
        std::tie(least, greatest) = x->aminmax();
    }
    const at::Tensor low = state(m, "min_val"), high = state(m, "max_val"), counts = state(m, "histogram");
    const std::int64_t bins = m.integer("bins");
    if (numberOf(low) == kInfinity || numberOf(high) == -kInfinity) {
        put(low, least), put(high, greatest);
        put(counts, x->histc(bins, least.item(), greatest.item()));
        return m.input(0);
    }
    const at::Tensor newLow = low.min(least), newHigh = high.max(greatest);
    const at::Tensor added = x->histc(bins, newLow.item(), newHigh.item());
    put(counts, combined(counts, low, high, added, newLow, newHigh));
    put(low, newLow), put(high, newHigh);
    return m.input(0);
}

// ── the rest ──

Value passThrough(const ModuleCall& m) {
    observed(m); // for a probe
    return m.input(0);
}

bool isEnabled(const at::Tensor& flag) { return flag.select(0, 0).item().toLong() == 1; }

/// Of an empty tensor nothing is observed, but qparams are computed: per channel, those of an observer that has seen
/// nothing do not fit, and PyTorch raises.
Value fakeQuantize(const ModuleCall& m) {
    const auto x = given(m);
    if (!x) return m.input(0);
    const Module& observer = m.childModule("activation_post_process");
    const at::Tensor scale = state(m, "scale"), zeroPoint = state(m, "zero_point");
    if (isEnabled(m.tensor("observer_enabled"))) {
        callModule(observer, m.tensors(), Arguments{{*x}, {}});
        const Values qparams = iterate(calculateQParams(m.module(), m.tensors()));
        put(scale, qparams[0].tensor()), put(zeroPoint, qparams[1].tensor());
    }
    if (!isEnabled(m.tensor("fake_quant_enabled"))) return m.input(0);
    const std::int64_t low = m.integer("quant_min"), high = m.integer("quant_max");
    if (m.flag("is_per_channel"))
        return at::fake_quantize_per_channel_affine(*x, scale, zeroPoint, m.integer("ch_axis"), low, high);
    return at::fake_quantize_per_tensor_affine(*x, scale, zeroPoint, low, high);
}

Value fusedFakeQuantize(const ModuleCall& m) {
    const auto x = observed(m);
    if (!x) return m.input(0);
    const Arguments none;
    const ModuleCall observer(m.childModule("activation_post_process"), m.tensors(), none);
    at::Tensor low = state(observer, "min_val"), high = state(observer, "max_val"), scale = state(m, "scale"),
               zeroPoint = state(m, "zero_point");
    return at::fused_moving_avg_obs_fake_quant(
        *x, m.tensor("observer_enabled"), m.tensor("fake_quant_enabled"), low, high, scale, zeroPoint,
        observer.real("averaging_constant"), observer.integer("quant_min"), observer.integer("quant_max"),
        m.integer("ch_axis"), m.flag("is_per_channel"), m.flag("is_symmetric_quant"));
}

} // namespace

ObserverProbe& observerProbe() {
    thread_local ObserverProbe probe;
    return probe;
}

void ownState(const Module& observer, TensorStore& tensors) {
    for (const Module::Slot& slot : observer.buffers)
        if (slot.tensor) tensors.state(slot.tensor);
    if (const Module* inner = observer.child("activation_post_process"))
        for (const Module::Slot& slot : inner->buffers)
            if (slot.tensor) tensors.state(slot.tensor);
}

ModuleForm observerForm(const Module& module) {
    const auto kind = quant::observerKind(module.qualifiedType());
    if (!kind) return nullptr;
    switch (*kind) {
    case ObserverKind::MinMax: return perTensor<false>;
    case ObserverKind::MovingAverageMinMax: return perTensor<true>;
    case ObserverKind::PerChannelMinMax: return perChannel<false>;
    case ObserverKind::MovingAveragePerChannelMinMax: return perChannel<true>;
    case ObserverKind::Histogram: return histogram;
    case ObserverKind::FakeQuantize:
    case ObserverKind::FixedQParamsFakeQuantize: return fakeQuantize;
    case ObserverKind::FusedMovingAvgObsFakeQuantize: return fusedFakeQuantize;
    default: return passThrough; // RecordingObserver too: what it records is no state that is read
    }
}

} // namespace fx::engine
