// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/make/observer_spec.h"

#include "core/diag/error.h"

#include <algorithm>
#include <array>

namespace fx::quant {
namespace {

constexpr std::string_view kObserverModule = "torch.ao.quantization.observer.",
                           kFakeModule = "torch.ao.quantization.fake_quantize.";
constexpr std::array<std::string_view, 13> kTypes{
    "torch.ao.quantization.observer.MinMaxObserver",
    "torch.ao.quantization.observer.MovingAverageMinMaxObserver",
    "torch.ao.quantization.observer.PerChannelMinMaxObserver",
    "torch.ao.quantization.observer.MovingAveragePerChannelMinMaxObserver",
    "torch.ao.quantization.observer.HistogramObserver",
    "torch.ao.quantization.observer.FixedQParamsObserver",
    "torch.ao.quantization.observer.PlaceholderObserver",
    "torch.ao.quantization.observer.RecordingObserver",
    "torch.ao.quantization.observer.NoopObserver",
    "torch.ao.quantization.observer.ReuseInputObserver",
    "torch.ao.quantization.fake_quantize.FakeQuantize",
    "torch.ao.quantization.fake_quantize.FixedQParamsFakeQuantize",
    "torch.ao.quantization.fake_quantize.FusedMovingAvgObsFakeQuantize",
};

} // namespace

bool ObserverSpec::operator==(const ObserverSpec& other) const {
    if (type != other.type || settings.size() != other.settings.size()) return false;
    for (const auto& [name, value] : settings) {
        const Argument* theirs = other.setting(name);
        if (!theirs || !(*theirs == value)) return false;
    }
    if (!observer || !other.observer) return observer == other.observer;
    return *observer == *other.observer;
}

const Argument* ObserverSpec::setting(std::string_view name) const {
    const auto found =
        std::find_if(settings.begin(), settings.end(), [&](const auto& each) { return each.first == name; });
    return found == settings.end() ? nullptr : &found->second;
}

std::optional<ObserverKind> observerKind(std::string_view type) {
    const auto found = std::find(kTypes.begin(), kTypes.end(), type);
    if (found != kTypes.end()) return static_cast<ObserverKind>(found - kTypes.begin());
    // Both packages export their classes: torch.ao.quantization.MinMaxObserver, torch.quantization.observer.….
    const std::string_view name = type.substr(type.rfind('.') + 1);
    if (!type.starts_with("torch.ao.quantization.") && !type.starts_with("torch.quantization.") &&
        !type.starts_with("torchao.quantization.pt2e.") && type != name)
        return {};
    for (std::size_t i = 0; i < kTypes.size(); ++i)
        if (kTypes[i].substr(kTypes[i].rfind('.') + 1) == name) return static_cast<ObserverKind>(i);
    return {};
}

std::string_view observerType(ObserverKind kind) { return kTypes[static_cast<std::size_t>(kind)]; }

bool isFakeQuantize(ObserverKind kind) { return kind >= ObserverKind::FakeQuantize; }

bool isObserver(const Module& module) {
    if (module.classModule.empty()) return false;
    const std::string type = module.qualifiedType();
    return std::find(kTypes.begin(), kTypes.end(), type) != kTypes.end() ||
           (type.starts_with(kObserverModule) && type.ends_with("Observer")) ||
           (type.starts_with(kFakeModule) && type.ends_with("FakeQuantize")) ||
           (type.starts_with("torchao.quantization.pt2e.") && observerKind(type));
}

bool ObserverTraits::isPerChannel() const { return qscheme.starts_with("torch.per_channel"); }

} // namespace fx::quant
