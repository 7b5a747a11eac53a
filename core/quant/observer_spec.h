// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/module.h"

#include <memory>
#include <optional>
#include <string>

/// Quantisation as torch.ao 2.13 does it in FX mode: which observer stands where, and what becomes of it.
///
/// `prepare` puts observers into a model, the worker runs them on inputs, `convert` makes the quantised model. All of
/// it is data here; what needs tensors is asked of a QuantEngine (quant_engine.h).
namespace fx::quant {

struct ObserverSpec;
using ObserverPtr = std::shared_ptr<const ObserverSpec>;

/// How an observer or FakeQuantize is made: a class and the arguments of `with_args`. Mirrors torch.ao's constructors
/// (`HistogramObserver.with_args(reduce_range=True)`).
struct ObserverSpec {
    std::string type;     ///< "torch.ao.quantization.observer.HistogramObserver"
    Kwargs settings;      ///< keyword arguments as given, without `observer`; a dtype is Argument::dtype("torch.qint8")
    ObserverPtr observer; ///< FakeQuantize's argument `observer`, or null

    bool operator==(const ObserverSpec& other) const;
    const Argument* setting(std::string_view name) const; ///< null if it is not given
};

/// The classes of torch.ao that Lancet makes and runs.
enum class ObserverKind : std::uint8_t {
    MinMax,
    MovingAverageMinMax,
    PerChannelMinMax,
    MovingAveragePerChannelMinMax,
    Histogram,
    FixedQParams,
    Placeholder,
    Recording,
    Noop,
    ReuseInput,
    FakeQuantize,
    FixedQParamsFakeQuantize,
    FusedMovingAvgObsFakeQuantize,
};
/// The kind of a class by any of the paths that lead to it, torchao's for PT2E too, or nothing.
std::optional<ObserverKind> observerKind(std::string_view type);
std::string_view observerType(ObserverKind kind); ///< "torch.ao.quantization.observer.MinMaxObserver"
bool isFakeQuantize(ObserverKind kind);
/// torch.ao `_is_activation_post_process`: whether a module is an observer or a FakeQuantize.
bool isObserver(const Module& module);

/// What an instance has after its constructor: the attributes that decide where observers go and what is emitted.
struct ObserverTraits {
    ObserverKind kind = ObserverKind::Placeholder;
    std::string type; ///< the class path as given
    std::string dtype = "torch.float32";
    std::string qscheme; ///< "torch.per_tensor_affine"; empty if the class has none
    bool isDynamic = false;
    bool reduceRange = false;
    bool hasCustomRange = false; ///< quant_min and quant_max were given
    std::optional<std::int64_t> quantMin, quantMax;
    std::optional<double> eps;             ///< of the observer inside a FakeQuantize
    std::int64_t axis = -1;                ///< ch_axis, per channel only
    double averagingConstant = 0.01;       ///< of moving averages
    std::int64_t bins = 2048;              ///< of histograms
    double fixedScale = 1;                 ///< of FixedQParams
    std::int64_t fixedZeroPoint = 0;       ///< of FixedQParams
    std::shared_ptr<ObserverTraits> inner; ///< FakeQuantize's `activation_post_process`

    bool isPerChannel() const;
};
/// Throws Error{Refused} for an unknown class, for settings that the constructor does not take, and for values that it
/// refuses.
ObserverTraits traitsOf(const ObserverSpec& spec);

/// The instance that the constructor makes: class, buffers and attributes in PyTorch's order.
std::shared_ptr<Module> makeObserver(const ObserverSpec& spec);
std::shared_ptr<Module> makeObserver(const ObserverTraits& traits);
/// The traits of an existing instance, from its attributes.
ObserverTraits traitsOf(const Module& observer);

} // namespace fx::quant
