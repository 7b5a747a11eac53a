// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/module.h"

#include <memory>
#include <optional>
#include <string>

/// Quantisation as in torch.ao 2.13's FX mode: the placement of observers and their replacement.
///
/// `prepare` inserts observers into a model, the worker runs them on inputs, and `convert` creates the quantised
/// model. This folder handles data only; a QuantEngine (quant_engine.h) does all work that needs tensors.
namespace fx::quant {

struct ObserverSpec;
using ObserverPtr = std::shared_ptr<const ObserverSpec>; ///< null: not observed

/// The constructor call of an observer or FakeQuantize: a class and the arguments of `with_args`. Mirrors torch.ao's
/// `HistogramObserver.with_args(reduce_range=True)`.
struct ObserverSpec {
    std::string type;     ///< "torch.ao.quantization.observer.HistogramObserver"
    Kwargs settings;      ///< keyword arguments as given, without `observer`; a dtype is Argument::dtype("torch.qint8")
    ObserverPtr observer; ///< FakeQuantize's argument `observer`, or null

    bool operator==(const ObserverSpec& other) const;
    const Argument* setting(std::string_view name) const; ///< null if it is not given
};

/// The torch.ao classes that Lancet creates and runs.
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
/// Returns the kind of a class by any of its import paths, including torchao's for PT2E; nullopt for other classes.
std::optional<ObserverKind> observerKind(std::string_view type);
std::string_view observerType(ObserverKind kind); ///< "torch.ao.quantization.observer.MinMaxObserver"
/// True for the three kinds of FakeQuantize.
bool isFakeQuantize(ObserverKind kind);
/// Mirrors torch.ao's `_is_activation_post_process`: true for an observer or a FakeQuantize.
bool isObserver(const Module& module);

/// The attributes of an instance after its constructor that decide the placement of observers and the emitted calls.
struct ObserverTraits {
    ObserverKind kind = ObserverKind::Placeholder;
    std::string type;                    ///< the class path as given
    std::string dtype = "torch.float32"; ///< target dtype of the quantisation
    std::string qscheme;                 ///< "torch.per_tensor_affine"; empty if the class has none
    bool isDynamic = false;              ///< quantised at run time
    bool reduceRange = false;            ///< `reduce_range`: one bit less, against overflow of 8-bit products
    bool hasCustomRange = false;         ///< `quant_min` and `quant_max` were given
    std::optional<std::int64_t> quantMin, quantMax; ///< unset: the range of `dtype`
    std::optional<double> eps;                      ///< of the observer inside a FakeQuantize
    std::int64_t axis = -1;                         ///< `ch_axis`; per channel only
    double averagingConstant = 0.01;                ///< moving averages only
    std::int64_t bins = 2048;                       ///< histograms only
    double fixedScale = 1;                          ///< FixedQParams only
    std::int64_t fixedZeroPoint = 0;                ///< FixedQParams only
    std::shared_ptr<ObserverTraits> inner;          ///< FakeQuantize's `activation_post_process`

    /// True for the per-channel qschemes.
    bool isPerChannel() const;
};
/// Returns the traits of an instance. Throws Error{Refused} for an unknown class, settings unknown to the constructor,
/// and values that it refuses.
ObserverTraits traitsOf(const ObserverSpec& spec);

/// Creates the instance with class, buffers and attributes in PyTorch's order.
std::shared_ptr<Module> makeObserver(const ObserverSpec& spec);
/// As above, from traits.
std::shared_ptr<Module> makeObserver(const ObserverTraits& traits);
/// Reads the traits of an existing instance from its attributes.
ObserverTraits traitsOf(const Module& observer);

} // namespace fx::quant
