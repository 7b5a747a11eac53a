// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/error.h"
#include "core/quant/pt2e/x86_quantizer.h"

#include <algorithm>
#include <array>

namespace fx::quant::pt2e {
namespace {

constexpr const char* kObservers = "torchao.quantization.pt2e.observer.";
constexpr const char* kFakes = "torchao.quantization.pt2e.fake_quantize.";

ObserverPtr observerOf(const char* name, Kwargs settings = {}) {
    return std::make_shared<const ObserverSpec>(ObserverSpec{kObservers + std::string(name), std::move(settings), {}});
}

ObserverSpec activationObserver(bool isQat, bool isDynamic) {
    const Kwargs eps{{"eps", 1.0 / 4096}};
    if (isQat && isDynamic)
        return {kFakes + std::string("FakeQuantize"), eps,
                observerOf("MovingAverageMinMaxObserver", {{"averaging_constant", 1}})};
    if (isQat) return {kFakes + std::string("FusedMovingAvgObsFakeQuantize"), eps, {}};
    return {kObservers + std::string(isDynamic ? "PlaceholderObserver" : "HistogramObserver"), eps, {}};
}

ObserverSpec weightObserver(bool isQat) {
    const Kwargs eps{{"eps", 1.0 / 4096}};
    if (isQat)
        return {kFakes + std::string("FusedMovingAvgObsFakeQuantize"), eps,
                observerOf("MovingAveragePerChannelMinMaxObserver")};
    return {kObservers + std::string("PerChannelMinMaxObserver"), eps, {}};
}

/// What torchao's `module_function_to_aten_operator_type` knows.
constexpr std::array<std::pair<const char*, const char*>, 15> kTypes{{
    {"torch.nn.functional.conv1d", "torch.ops.aten.conv1d.default"},
    {"torch.nn.Conv2d", "torch.ops.aten.conv2d.default"},
    {"torch.nn.functional.conv2d", "torch.ops.aten.conv2d.default"},
    {"torch.nn.Linear", "torch.ops.aten.linear.default"},
    {"torch.nn.functional.linear", "torch.ops.aten.linear.default"},
    {"torch.nn.MaxPool2d", "torch.ops.aten.max_pool2d.default"},
    {"torch.nn.functional.max_pool2d", "torch.ops.aten.max_pool2d.default"},
    {"torch.cat", "torch.ops.aten.cat.default"},
    {"torch.nn.AvgPool2d", "torch.ops.aten.avg_pool2d.default"},
    {"torch.nn.functional.avg_pool2d", "torch.ops.aten.avg_pool2d.default"},
    {"torch.nn.AdaptiveAvgPool2d", "torch.ops.aten.adaptive_avg_pool2d.default"},
    {"torch.nn.functional.adaptive_avg_pool2d", "torch.ops.aten.adaptive_avg_pool2d.default"},
    {"torch.flatten", "torch.ops.aten.flatten.using_ints"},
    {"torch.matmul", "torch.ops.aten.matmul.default"},
    {"torch.mul", "torch.ops.aten.mul.Tensor"},
}};

/// "torch.nn.Conv2d" of "torch.nn.modules.conv.Conv2d", and functions by the names that people know.
std::string publicName(const std::string& type) {
    constexpr std::string_view kModules = "torch.nn.modules.";
    if (type.starts_with(kModules)) return "torch.nn." + type.substr(type.rfind('.') + 1);
    if (type.starts_with("torch.conv")) return "torch.nn.functional." + type.substr(6);
    if (type.starts_with("torch._C._nn.")) return "torch.nn.functional." + type.substr(13);
    return type;
}

void setRule(std::vector<std::pair<std::string, X86ConfigPtr>>& rules, const std::string& key, X86ConfigPtr config) {
    const auto found = std::find_if(rules.begin(), rules.end(), [&](const auto& rule) { return rule.first == key; });
    if (found == rules.end()) rules.emplace_back(key, std::move(config));
    else found->second = std::move(config);
}

} // namespace

X86ConfigPtr defaultX86Config(bool isQat, bool isDynamic, bool reduceRange) {
    QuantizationSpec activation;
    activation.dtype = "torch.uint8";
    activation.quantMin = 0, activation.quantMax = reduceRange ? 127 : 255;
    activation.qscheme = "torch.per_tensor_affine";
    activation.isDynamic = isDynamic;
    activation.observer = activationObserver(isQat, isDynamic);
    QuantizationSpec weight;
    weight.dtype = "torch.int8";
    weight.quantMin = -128, weight.quantMax = 127;
    weight.qscheme = "torch.per_channel_symmetric";
    weight.axis = 0;
    weight.observer = weightObserver(isQat);
    X86Config config;
    config.input = config.output = std::make_shared<const QuantizationSpec>(std::move(activation));
    config.weight = std::make_shared<const QuantizationSpec>(std::move(weight));
    config.isQat = isQat;
    return std::make_shared<const X86Config>(std::move(config));
}

X86ConfigPtr linearFp16Config() {
    QuantizationSpec weight;
    weight.dtype = "torch.float16";
    weight.observer.type = kObservers + std::string("PlaceholderObserver");
    X86Config config;
    config.weight = std::make_shared<const QuantizationSpec>(std::move(weight));
    return std::make_shared<const X86Config>(std::move(config));
}

std::vector<X86ConfigPtr> X86Quantizer::configs() const {
    std::vector<X86ConfigPtr> all;
    for (const auto* rules : {&m_modules, &m_operators})
        for (const auto& [key, config] : *rules)
            if (config) all.push_back(config);
    if (m_global) all.push_back(m_global);
    return all;
}

bool X86Quantizer::isQat() const {
    const auto all = configs();
    return !all.empty() && all.front()->isQat;
}
bool X86Quantizer::isDynamic() const {
    const auto all = configs();
    return std::any_of(all.begin(), all.end(), [](const auto& each) { return each->input && each->input->isDynamic; });
}

bool X86Quantizer::mixes(const X86ConfigPtr& config, const std::string& name) {
    if (!config) return false;
    for (const X86ConfigPtr& other : configs()) {
        const bool isQatMixed = other->isQat != config->isQat;
        const bool isDynamicMixed =
            other->input && config->input && other->input->isDynamic != config->input->isDynamic;
        if (!isQatMixed && !isDynamicMixed) continue;
        m_warnings.push_back(
            {isQatMixed ? Message("pt2e.mixed_qat", {{"rule", name}}) : Message("pt2e.mixed_dynamic", {{"rule", name}}),
             {},
             {},
             {}});
        return true;
    }
    return false;
}

void X86Quantizer::setGlobal(X86ConfigPtr config) {
    if (!mixes(config, "global")) m_global = std::move(config);
}
void X86Quantizer::setModuleName(const std::string& path, X86ConfigPtr config) {
    if (!mixes(config, path)) setRule(m_modules, path, std::move(config));
}
void X86Quantizer::setType(const std::string& type, X86ConfigPtr config) {
    const std::string name = publicName(type);
    const auto found = std::find_if(kTypes.begin(), kTypes.end(), [&](const auto& each) {
        return name == each.first || name == each.second || "torch.ops." + name == each.second;
    });
    if (found == kTypes.end()) throw Error(ErrorKind::Refused, Message("pt2e.x86_type", {{"type", type}}));
    if (!mixes(config, type)) setRule(m_operators, found->second, std::move(config));
}

} // namespace fx::quant::pt2e
