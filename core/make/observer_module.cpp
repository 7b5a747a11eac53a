// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/make/observer_spec.h"
#include "core/make/observer_tensors.h"

#include <limits>

namespace fx::quant {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Argument qscheme(const std::string& name) { return TorchConstant{TorchConstant::Kind::QScheme, name}; }
Argument orNone(const std::optional<std::int64_t>& value) { return value ? Argument(*value) : Argument(); }

/// Adds what the constructor of one class sets, in PyTorch's order.
class Maker {
public:
    explicit Maker(const ObserverTraits& traits) {
        const std::string_view type =
            traits.type.find('.') == std::string::npos ? observerType(traits.kind) : std::string_view(traits.type);
        const std::size_t dot = type.rfind('.');
        m_module->className = type.substr(dot + 1), m_module->classModule = type.substr(0, dot);
    }
    void set(std::string_view name, Argument value) { m_module->attributes.emplace_back(name, std::move(value)); }
    void buffer(std::string_view name, TensorPtr tensor) {
        m_module->buffers.push_back({std::string(name), std::move(tensor), true});
    }
    std::shared_ptr<Module> take() { return std::move(m_module); }
    Module& module() { return *m_module; }

private:
    std::shared_ptr<Module> m_module = std::make_shared<Module>();
};

std::shared_ptr<Module> uniform(const ObserverTraits& traits) {
    Maker maker(traits);
    if (traits.kind == ObserverKind::MovingAverageMinMax) maker.set("averaging_constant", traits.averagingConstant);
    maker.set("dtype", Argument::dtype(traits.dtype)), maker.set("is_dynamic", traits.isDynamic);
    maker.set("qscheme", qscheme(traits.qscheme)), maker.set("reduce_range", traits.reduceRange);
    maker.set("has_customized_qrange", traits.hasCustomRange);
    maker.set("quant_min", orNone(traits.quantMin)), maker.set("quant_max", orNone(traits.quantMax));
    maker.buffer("eps", floatTensor({traits.eps.value_or(0)}, {1}));
    const bool perChannel = traits.axis >= 0 || traits.isPerChannel();
    if (perChannel) maker.set("ch_axis", traits.axis);
    if (traits.kind == ObserverKind::MovingAveragePerChannelMinMax)
        maker.set("averaging_constant", traits.averagingConstant);
    if (traits.kind == ObserverKind::Histogram) {
        maker.set("bins", traits.bins), maker.set("dst_nbins", std::int64_t{256}), maker.set("upsample_rate", 16);
        maker.buffer("histogram", zeroTensor(traits.bins));
    }
    maker.buffer("min_val", perChannel ? floatTensor({}, {0}) : floatTensor({kInfinity}, {}));
    maker.buffer("max_val", perChannel ? floatTensor({}, {0}) : floatTensor({-kInfinity}, {}));
    return maker.take();
}

std::shared_ptr<Module> plain(const ObserverTraits& traits) {
    Maker maker(traits);
    maker.set("dtype", Argument::dtype(traits.dtype)), maker.set("is_dynamic", traits.isDynamic);
    if (traits.kind == ObserverKind::Placeholder) {
        maker.set("qscheme", qscheme(traits.qscheme));
        maker.set("quant_min", orNone(traits.quantMin)), maker.set("quant_max", orNone(traits.quantMax));
        maker.set("eps", traits.eps.value_or(0)), maker.set("custom_op", "");
    } else if (traits.kind == ObserverKind::Noop) {
        maker.set("custom_op", "");
    } else if (traits.kind == ObserverKind::Recording) {
        maker.set("tensor_val", Argument::list({}));
    }
    return maker.take();
}

std::shared_ptr<Module> fixed(const ObserverTraits& traits) {
    Maker maker(traits);
    maker.set("dtype", Argument::dtype(traits.dtype)), maker.set("is_dynamic", traits.isDynamic);
    maker.set("quant_min", orNone(traits.quantMin)), maker.set("quant_max", orNone(traits.quantMax));
    maker.set("qscheme", qscheme(traits.qscheme));
    maker.buffer("scale", floatTensor({traits.fixedScale}, {1}));
    maker.buffer("zero_point", intTensor({traits.fixedZeroPoint}, {1}, DType::Int32));
    return maker.take();
}

std::shared_ptr<Module> fromTraits(const ObserverTraits& traits);

std::shared_ptr<Module> fakeQuantize(const ObserverTraits& traits) {
    Maker maker(traits);
    const bool isFused = traits.kind == ObserverKind::FusedMovingAvgObsFakeQuantize,
               isFixed = traits.kind == ObserverKind::FixedQParamsFakeQuantize;
    const DType flag = isFused ? DType::Int64 : DType::UInt8;
    maker.buffer("fake_quant_enabled", intTensor({1}, {1}, flag));
    maker.buffer("observer_enabled", intTensor({1}, {1}, flag));
    maker.buffer("scale", floatTensor({isFixed ? traits.fixedScale : 1}, {1}));
    const bool floatZero = traits.qscheme == "torch.per_channel_affine_float_qparams";
    maker.buffer("zero_point", floatZero ? floatTensor({0}, {1})
                                         : intTensor({isFixed ? traits.fixedZeroPoint : 0}, {1}, DType::Int32));
    maker.set("quant_min", orNone(traits.quantMin)), maker.set("quant_max", orNone(traits.quantMax));
    maker.set("is_dynamic", traits.isDynamic), maker.set("dtype", Argument::dtype(traits.dtype));
    maker.set("qscheme", qscheme(traits.qscheme)), maker.set("ch_axis", traits.axis);
    maker.set("is_per_channel", traits.isPerChannel());
    if (isFused) maker.set("is_symmetric_quant", traits.qscheme.ends_with("symmetric"));
    maker.module().children.push_back({"activation_post_process", fromTraits(*traits.inner)});
    return maker.take();
}

std::shared_ptr<Module> fromTraits(const ObserverTraits& traits) {
    if (traits.inner) return fakeQuantize(traits);
    switch (traits.kind) {
    case ObserverKind::FixedQParams: return fixed(traits);
    case ObserverKind::Placeholder:
    case ObserverKind::Recording:
    case ObserverKind::Noop:
    case ObserverKind::ReuseInput: return plain(traits);
    default: return uniform(traits);
    }
}

} // namespace

std::shared_ptr<Module> makeObserver(const ObserverSpec& spec) { return fromTraits(traitsOf(spec)); }
std::shared_ptr<Module> makeObserver(const ObserverTraits& traits) { return fromTraits(traits); }

} // namespace fx::quant
