// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/worker/observer_details.h"

#include "core/make/observer_spec.h"

#include <algorithm>
#include <cmath>

namespace app {
namespace {

using fx::engine::numberOf;

/// Bins over the chosen range, and how far the histogram reaches beyond it on either side.
constexpr std::int64_t kBins = 160;
constexpr double kMargin = 0.125;

} // namespace

ObserverDetails::ObserverDetails(const std::vector<const fx::Module*>& observers, fx::engine::TensorStore& tensors,
                                 std::vector<fx::remote::ObserverState>& states) {
    for (std::size_t i = 0; i < observers.size(); ++i) choose(*observers[i], tensors, states[i]);
    fx::engine::observerProbe() = [this](const fx::Module& observer, const at::Tensor& seen) {
        const auto state = m_states.find(&observer);
        if (state != m_states.end()) add(seen, *state->second);
    };
}

ObserverDetails::~ObserverDetails() { fx::engine::observerProbe() = nullptr; }

void ObserverDetails::choose(const fx::Module& observer, fx::engine::TensorStore& tensors,
                             fx::remote::ObserverState& state) {
    const fx::quant::ObserverTraits traits = fx::quant::traitsOf(observer);
    if (traits.isPerChannel() || !traits.quantMin || !traits.quantMax || traits.isDynamic ||
        traits.kind == fx::quant::ObserverKind::Placeholder)
        return;
    const fx::engine::Values qparams = fx::engine::iterate(fx::engine::calculateQParams(observer, tensors));
    const double scale = numberOf(qparams[0].tensor());
    state.scale = scale;
    state.zeroPoint = static_cast<std::int64_t>(numberOf(qparams[1].tensor()));
    state.low = static_cast<double>(*traits.quantMin - state.zeroPoint) * scale;
    state.high = static_cast<double>(*traits.quantMax - state.zeroPoint) * scale;
    const double margin = (state.high - state.low) * kMargin;
    state.histogramLow = state.low - margin, state.histogramHigh = state.high + margin;
    state.histogram.assign(static_cast<std::size_t>(kBins), 0);
    m_states.emplace(&observer, &state);
}

void ObserverDetails::add(const at::Tensor& seen, fx::remote::ObserverState& state) {
    const at::Tensor values = seen.to(at::kFloat).flatten();
    const auto [least, greatest] = values.aminmax();
    state.least = state.values ? std::min(state.least, numberOf(least)) : numberOf(least);
    state.greatest = state.values ? std::max(state.greatest, numberOf(greatest)) : numberOf(greatest);
    state.values += values.numel();
    const double half = *state.scale / 2; // what rounds to the ends of the range is not clamped
    state.saturated +=
        values.lt(state.low - half).sum().item().toLong() + values.gt(state.high + half).sum().item().toLong();
    const at::Tensor counts = values.clamp(state.histogramLow, state.histogramHigh)
                                  .histc(kBins, state.histogramLow, state.histogramHigh)
                                  .contiguous();
    const auto* count = counts.const_data_ptr<float>();
    for (std::size_t i = 0; i < state.histogram.size(); ++i) state.histogram[i] += std::llround(count[i]);
}

} // namespace app
