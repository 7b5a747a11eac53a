// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/conversion/reference_modules.h"

#include "core/make/observer_tensors.h"
#include "core/quant/module_values.h"
#include "core/tensor/elements.h"

#include <algorithm>
#include <cmath>

namespace fx::quant {
namespace {

Argument qschemeArgument(const std::string& name) {
    return name.empty() ? Argument() : Argument(TorchConstant{TorchConstant::Kind::QScheme, name});
}

bool isRecurrent(const Module& layer) { return layer.classModule == "torch.nn.modules.rnn"; }

/// The qscheme of the quantised tensor: there is no symmetric one.
std::string tensorScheme(const ObserverTraits& traits) {
    if (traits.kind == ObserverKind::Placeholder || traits.qscheme.empty()) return {};
    if (!traits.isPerChannel()) return "torch.per_tensor_affine";
    return traits.qscheme == "torch.per_channel_symmetric" ? "torch.per_channel_affine" : traits.qscheme;
}

bool isFinite(const TensorRef& scale) {
    const std::vector<double> values = elementValues(scale);
    return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

} // namespace

QParams plainQParams(const ObserverTraits& traits, const TensorPtr& weight) {
    std::int64_t channels = 1;
    if (traits.isPerChannel() && weight && traits.axis >= 0 &&
        static_cast<std::size_t>(traits.axis) < weight->sizes.size())
        channels = weight->sizes[static_cast<std::size_t>(traits.axis)];
    const auto count = static_cast<std::size_t>(channels);
    const TensorPtr scale = floatTensor(std::vector<double>(count, 1.0), {channels});
    if (traits.qscheme == "torch.per_channel_affine_float_qparams")
        return {scale, floatTensor(std::vector<double>(count), {channels})};
    return {scale, intTensor(std::vector<std::int64_t>(count), {channels}, DType::Int64)};
}

void ReferenceModules::addWeight(const std::shared_ptr<Module>& module, const std::string& name, const QConfig& qconfig,
                                 const std::shared_ptr<Module>& known, const std::string& path) {
    const std::shared_ptr<Module> observer = known ? known : makeObserver(*qconfig.weight);
    const ObserverTraits traits = known ? traitsOf(*known) : traitsOf(*qconfig.weight);
    const std::string scheme = tensorScheme(traits);
    module->attributes.emplace_back(name + "_qscheme", qschemeArgument(scheme));
    module->attributes.emplace_back(name + "_dtype", Argument::dtype(traits.dtype));
    const bool perChannel = scheme.starts_with("torch.per_channel");
    const std::int64_t axis = perChannel ? traits.axis : 0;
    if (isRecurrent(*module) || name == "weight") {
        if (name == "weight") module->attributes.emplace_back("is_decomposed", Argument(false));
        module->attributes.emplace_back(name + "_axis_int", Argument(axis));
    }
    if (name == "weight") {
        const auto bound = [&](const std::optional<std::int64_t>& value) {
            return value && !scheme.empty() ? Argument(*value) : Argument();
        };
        module->attributes.emplace_back("weight_quant_min", bound(traits.quantMin));
        module->attributes.emplace_back("weight_quant_max", bound(traits.quantMax));
    }
    const TensorPtr axisTensor = intTensor({axis}, {}, DType::Int32);
    if (scheme.empty()) {
        module->buffers.push_back({name + "_scale", floatTensor({1}, {}), true});
        module->buffers.push_back({name + "_zero_point", intTensor({0}, {}, DType::Int32), true});
        module->buffers.push_back({name + "_axis", axisTensor, true});
        return;
    }
    const TensorPtr weight = module->tensor(name);
    const QParams plain = plainQParams(traits, weight);
    module->buffers.push_back({name + "_scale", plain.scale, true});
    module->buffers.push_back({name + "_zero_point", plain.zeroPoint, true});
    module->buffers.push_back({name + "_axis", axisTensor, true});
    m_pending.push_back({module, name, observer, weight, path});
}

std::shared_ptr<Module> ReferenceModules::make(const Module& layer, const QConfig& qconfig,
                                               const std::shared_ptr<Module>& observer, const std::string& path) {
    const std::string_view type = m_backend.referenceOf(layer.qualifiedType());
    if (type.empty()) return {};
    auto made = emptyModule(type);
    made->attributes = layer.attributes;
    made->parameters = layer.parameters;
    std::vector<std::string> weights;
    for (const auto& slot : layer.parameters)
        if (slot.tensor && slot.name.starts_with("weight")) weights.push_back(slot.name);
    for (const std::string& name : weights) addWeight(made, name, qconfig, observer, path);
    return made;
}

Warnings ReferenceModules::finish(QuantEngine* engine) {
    Warnings warnings;
    if (!engine || m_pending.empty()) return warnings;
    std::vector<WeightJob> jobs;
    for (const PendingWeight& each : m_pending) jobs.push_back({each.observer, each.weight, 1, each.path});
    const std::vector<QParams> found = engine->observe(jobs);
    for (std::size_t i = 0; i < m_pending.size() && i < found.size(); ++i) {
        setTensor(*m_pending[i].module, m_pending[i].name + "_scale", found[i].scale);
        setTensor(*m_pending[i].module, m_pending[i].name + "_zero_point", found[i].zeroPoint);
        if (!isFinite(*found[i].scale))
            warnings.push_back(
                {Message("quant.weight_values", {{"module", m_pending[i].path}}), {}, m_pending[i].path, {}});
    }
    return warnings;
}

} // namespace fx::quant
