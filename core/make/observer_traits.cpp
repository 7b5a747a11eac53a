// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/make/observer_spec.h"

#include "core/diag/error.h"
#include "core/ir/print.h"

#include <algorithm>
#include <tuple>

namespace fx::quant {
namespace {

constexpr double kEpsilon = 1.1920928955078125e-07; // torch.finfo(torch.float32).eps

[[noreturn]] void refuse(const ObserverSpec& spec, const std::string& name, const std::string& value) {
    throw Error(ErrorKind::Refused,
                Message("quant.observer_setting", {{"type", spec.type}, {"setting", name}, {"value", value}}));
}

[[noreturn]] void refuseGiven(const ObserverSpec& spec, std::string_view name, const Argument& given) {
    refuse(spec, std::string(name), reprOf(Graph(), given));
}

/// The settings of one constructor: each is taken once; what is left is unknown.
class Settings {
public:
    explicit Settings(const ObserverSpec& spec) : m_spec(spec) {}

    std::string constant(std::string_view name, std::string byDefault) {
        const Argument* given = take(name);
        if (!given || given->isNone()) return byDefault;
        const auto* constant = given->as<TorchConstant>();
        if (!constant) refuseGiven(m_spec, name, *given);
        return constant->name;
    }
    bool flag(std::string_view name) {
        const Argument* given = take(name);
        if (!given) return false;
        const bool* value = given->as<bool>();
        if (!value) refuseGiven(m_spec, name, *given);
        return *value;
    }
    std::optional<std::int64_t> integer(std::string_view name) {
        const Argument* given = take(name);
        if (!given || given->isNone()) return {};
        const auto* value = given->as<std::int64_t>();
        if (!value) refuseGiven(m_spec, name, *given);
        return *value;
    }
    std::optional<double> number(std::string_view name) {
        const Argument* given = take(name);
        if (!given || given->isNone()) return {};
        const auto value = given->number();
        if (!value) refuseGiven(m_spec, name, *given);
        return value;
    }
    void ignore(std::string_view name) { take(name); }
    void finish() const {
        for (const auto& [name, value] : m_spec.settings)
            if (std::find(m_taken.begin(), m_taken.end(), name) == m_taken.end())
                throw Error(ErrorKind::Refused,
                            Message("quant.unknown_setting", {{"type", m_spec.type}, {"setting", name}}));
    }

private:
    const Argument* take(std::string_view name) {
        m_taken.emplace_back(name);
        return m_spec.setting(name);
    }
    const ObserverSpec& m_spec;
    std::vector<std::string_view> m_taken;
};

std::int64_t floorHalf(std::int64_t value) { return (value - (value % 2 != 0 && value < 0 ? 1 : 0)) / 2; }

/// What a dtype of quantised tensors holds; nothing for others.
std::optional<std::pair<std::int64_t, std::int64_t>> valuesOf(std::string_view dtype) {
    using Row = std::pair<std::string_view, std::pair<std::int64_t, std::int64_t>>;
    static constexpr Row kRows[] = {
        {"torch.qint8", {-128, 127}},
        {"torch.int8", {-128, 127}},
        {"torch.quint8", {0, 255}},
        {"torch.uint8", {0, 255}},
        {"torch.int16", {-32768, 32767}},
        {"torch.uint16", {0, 65535}},
        {"torch.qint32", {-2147483648LL, 2147483647LL}},
        {"torch.int32", {-2147483648LL, 2147483647LL}},
        {"torch.quint4x2", {0, 15}},
        {"torch.quint2x4", {0, 3}},
    };
    for (const auto& [name, values] : kRows)
        if (name == dtype) return values;
    return {};
}

/// torch.ao `calculate_qmin_qmax`.
void setRange(ObserverTraits& traits) {
    if (!traits.hasCustomRange) {
        // Dtypes that torch.ao has no branch for get four bits there, torch.quint2x4 among them.
        const auto values = traits.dtype == "torch.quint2x4" ? std::nullopt : valuesOf(traits.dtype);
        std::tie(traits.quantMin, traits.quantMax) = values.value_or(std::pair<std::int64_t, std::int64_t>(0, 15));
        if (*traits.quantMax - *traits.quantMin != 255) return; // it reduces ranges of eight bits only
    }
    if (traits.reduceRange)
        traits.quantMin = floorHalf(*traits.quantMin), traits.quantMax = floorHalf(*traits.quantMax);
}

/// "min" or "max": the bound of the range that the dtype does not hold; null for a range within it.
const char* boundBeyond(const ObserverTraits& traits) {
    const auto values = valuesOf(traits.dtype);
    if (!values || !traits.hasCustomRange) return nullptr;
    return *traits.quantMin < values->first ? "min" : *traits.quantMax > values->second ? "max" : nullptr;
}

/// torch.ao refuses some of the ranges that do not fit the dtype. Of the others, those of more values than it has give
/// models that no kernel runs.
void requireInDtype(const ObserverTraits& traits, const ObserverSpec& spec) {
    const std::int64_t low = *traits.quantMin, high = *traits.quantMax;
    if ((traits.dtype == "torch.qint8" || traits.dtype == "torch.int8") && high - low >= 256)
        throw Error(ErrorKind::Refused,
                    Message("quant.torch_refuses", {{"type", spec.type},
                                                    {"reason", "quantization range should be positive and not exceed "
                                                               "the maximum bit range (=256)"}}));
    const auto values = valuesOf(traits.dtype);
    if (!values || high - low <= values->second - values->first) return;
    throw Error(ErrorKind::Refused, Message("quant.range_dtype", {{"type", spec.type},
                                                                  {"low", low},
                                                                  {"high", high},
                                                                  {"dtype", traits.dtype},
                                                                  {"least", values->first},
                                                                  {"greatest", values->second},
                                                                  {"bound", low < values->first ? "min" : "max"}}));
}

void readRange(Settings& settings, ObserverTraits& traits, const ObserverSpec& spec) {
    traits.quantMin = settings.integer("quant_min"), traits.quantMax = settings.integer("quant_max");
    traits.hasCustomRange = traits.quantMin && traits.quantMax;
    if (!traits.hasCustomRange) return;
    // torch.ao `validate_qmin_qmax`
    if (*traits.quantMin > 0 || *traits.quantMax < 0) refuse(spec, "quant_min", std::to_string(*traits.quantMin));
    if (*traits.quantMin >= *traits.quantMax) refuse(spec, "quant_max", std::to_string(*traits.quantMax));
    requireInDtype(traits, spec);
}

ObserverTraits uniform(const ObserverSpec& spec, ObserverKind kind) {
    Settings settings(spec);
    ObserverTraits traits;
    traits.kind = kind;
    const bool perChannel =
        kind == ObserverKind::PerChannelMinMax || kind == ObserverKind::MovingAveragePerChannelMinMax;
    traits.dtype = settings.constant("dtype", "torch.quint8");
    traits.qscheme = settings.constant("qscheme", perChannel ? "torch.per_channel_affine" : "torch.per_tensor_affine");
    if (perChannel != traits.isPerChannel()) refuse(spec, "qscheme", traits.qscheme);
    traits.reduceRange = settings.flag("reduce_range");
    traits.isDynamic = settings.flag("is_dynamic");
    traits.eps = settings.number("eps").value_or(kEpsilon);
    settings.ignore("factory_kwargs");
    readRange(settings, traits, spec);
    if (perChannel) traits.axis = settings.integer("ch_axis").value_or(0);
    if (kind == ObserverKind::MovingAverageMinMax || kind == ObserverKind::MovingAveragePerChannelMinMax)
        traits.averagingConstant = settings.number("averaging_constant").value_or(0.01);
    if (kind == ObserverKind::Histogram) {
        traits.bins = settings.integer("bins").value_or(2048);
        if (traits.bins < 1 || traits.bins > 1 << 24) refuse(spec, "bins", std::to_string(traits.bins));
        if (traits.isDynamic) refuse(spec, "is_dynamic", "True");
    }
    settings.finish();
    setRange(traits);
    return traits;
}

/// Observers that look at nothing.
ObserverTraits plain(const ObserverSpec& spec, ObserverKind kind) {
    Settings settings(spec);
    ObserverTraits traits;
    traits.kind = kind;
    if (kind == ObserverKind::ReuseInput) {
        traits.dtype = "torch.quint8";
    } else if (kind == ObserverKind::Recording) {
        traits.dtype = settings.constant("dtype", "torch.quint8");
    } else if (kind == ObserverKind::Noop) {
        traits.dtype = settings.constant("dtype", "torch.float16");
        settings.ignore("custom_op_name");
    } else {
        traits.dtype = settings.constant("dtype", "torch.float32");
        traits.qscheme = settings.constant("qscheme", "torch.per_tensor_affine");
        traits.isDynamic = settings.flag("is_dynamic");
        traits.eps = settings.number("eps").value_or(kEpsilon);
        traits.quantMin = settings.integer("quant_min"), traits.quantMax = settings.integer("quant_max");
        settings.ignore("custom_op_name"), settings.ignore("compute_dtype");
    }
    settings.finish();
    return traits;
}

ObserverTraits fixed(const ObserverSpec& spec) {
    Settings settings(spec);
    ObserverTraits traits;
    traits.kind = ObserverKind::FixedQParams;
    const auto scale = settings.number("scale");
    const auto zeroPoint = settings.integer("zero_point");
    if (!scale || !zeroPoint) refuse(spec, scale ? "zero_point" : "scale", "");
    traits.fixedScale = *scale, traits.fixedZeroPoint = *zeroPoint;
    traits.dtype = settings.constant("dtype", "torch.quint8");
    traits.qscheme = settings.constant("qscheme", "torch.per_tensor_affine");
    traits.quantMin = settings.integer("quant_min").value_or(0),
    traits.quantMax = settings.integer("quant_max").value_or(255);
    traits.isDynamic = settings.flag("is_dynamic");
    settings.finish();
    return traits;
}

/// The observer inside a FakeQuantize: its own settings, then those that the FakeQuantize hands on.
ObserverSpec innerSpec(const ObserverSpec& spec, ObserverKind kind) {
    ObserverSpec inner;
    if (spec.observer) inner = *spec.observer;
    else
        inner.type = observerType(kind == ObserverKind::FixedQParamsFakeQuantize ? ObserverKind::FixedQParams
                                                                                 : ObserverKind::MovingAverageMinMax);
    if (kind == ObserverKind::FixedQParamsFakeQuantize) return inner;
    const auto put = [&](const std::string& name, const Argument& value) {
        for (auto& [known, old] : inner.settings)
            if (known == name) {
                old = value;
                return;
            }
        inner.settings.emplace_back(name, value);
    };
    const Argument *low = spec.setting("quant_min"), *high = spec.setting("quant_max");
    const bool hasRange = low && high && !low->isNone() && !high->isNone();
    for (const auto& [name, value] : spec.settings)
        if (hasRange || (name != "quant_min" && name != "quant_max")) put(name, value);
    if (!spec.setting("is_dynamic")) put("is_dynamic", false);
    if (kind == ObserverKind::FusedMovingAvgObsFakeQuantize) { // has defaults of its own
        if (!low) put("quant_min", 0);
        if (!high) put("quant_max", 255);
    }
    return inner;
}

} // namespace

namespace {

/// The observer inside a FakeQuantize, whose constructor looks at the range first.
ObserverTraits innerTraits(const ObserverSpec& spec, ObserverKind kind) {
    const auto refuse = [&](const std::string& bound) {
        throw Error(ErrorKind::Refused, Message("quant.torch_refuses",
                                                {{"type", spec.type}, {"reason", "quant_" + bound + " out of bound"}}));
    };
    try {
        ObserverTraits traits = traitsOf(innerSpec(spec, kind));
        if (const char* bound = boundBeyond(traits)) refuse(bound);
        return traits;
    } catch (const Error& error) {
        if (error.message().is("quant.range_dtype")) refuse(error.message().argument("bound"));
        throw;
    }
}

ObserverTraits traitsOfKind(const ObserverSpec& spec, ObserverKind known) {
    switch (known) {
    case ObserverKind::Placeholder:
    case ObserverKind::Recording:
    case ObserverKind::Noop:
    case ObserverKind::ReuseInput: return plain(spec, known);
    case ObserverKind::FixedQParams: return fixed(spec);
    case ObserverKind::FakeQuantize:
    case ObserverKind::FixedQParamsFakeQuantize:
    case ObserverKind::FusedMovingAvgObsFakeQuantize: {
        const auto inner = std::make_shared<ObserverTraits>(innerTraits(spec, known));
        ObserverTraits traits = *inner; // a FakeQuantize shows its observer's attributes
        traits.kind = known;
        traits.inner = inner;
        return traits;
    }
    default: return uniform(spec, known);
    }
}

} // namespace

ObserverTraits traitsOf(const ObserverSpec& spec) {
    const auto kind = observerKind(spec.type);
    if (!kind) throw Error(ErrorKind::Refused, Message("quant.unknown_observer", {{"type", spec.type}}));
    ObserverTraits traits = traitsOfKind(spec, *kind);
    traits.type = spec.type;
    return traits;
}

ObserverTraits traitsOf(const Module& observer) {
    ObserverTraits traits;
    const auto kind = observerKind(observer.qualifiedType());
    if (!kind) throw Error(ErrorKind::Refused, Message("quant.unknown_observer", {{"type", observer.qualifiedType()}}));
    traits.kind = *kind, traits.type = observer.qualifiedType();
    const auto value = [&](std::string_view name) -> const Argument* { return observer.setting(name); };
    const auto constant = [&](std::string_view name, std::string& into) {
        const Argument* given = value(name);
        if (const auto* found = given ? given->as<TorchConstant>() : nullptr) into = found->name;
    };
    const auto flag = [&](std::string_view name) {
        const Argument* given = value(name);
        const bool* found = given ? given->as<bool>() : nullptr;
        return found && *found;
    };
    const auto integer = [&](std::string_view name) -> std::optional<std::int64_t> {
        const Argument* given = value(name);
        const auto* found = given ? given->as<std::int64_t>() : nullptr;
        return found ? std::optional(*found) : std::nullopt;
    };
    constant("dtype", traits.dtype), constant("qscheme", traits.qscheme);
    traits.isDynamic = flag("is_dynamic"), traits.reduceRange = flag("reduce_range");
    traits.hasCustomRange = flag("has_customized_qrange");
    traits.quantMin = integer("quant_min"), traits.quantMax = integer("quant_max");
    traits.axis = integer("ch_axis").value_or(-1), traits.bins = integer("bins").value_or(2048);
    if (const Module* inner = observer.child("activation_post_process"))
        traits.inner = std::make_shared<ObserverTraits>(traitsOf(*inner));
    return traits;
}

} // namespace fx::quant
