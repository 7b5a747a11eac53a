// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/make/module_maker.h"

#include "core/trace/callables.h"
#include "core/trace/value_source.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace fx::make {
namespace {

std::string listed(const std::vector<ops::Parameter>& parameters) {
    std::string text;
    for (const auto& parameter : parameters) text += (text.empty() ? "" : ", ") + std::string(parameter.name);
    return text;
}

Argument defaultOf(std::string_view source) {
    if (source.starts_with("torch.nn.functional.")) return CallableValue{resolveCallable(source)};
    // The catalogue has few different ones, and modules are made by the thousand.
    static thread_local std::unordered_map<std::string_view, Argument> known;
    const auto found = known.find(source);
    return found != known.end() ? found->second : known.emplace(source, valueFromSource(source)).first->second;
}

/// nn.init's fans: how many values flow into and out of each element, added.
double fans(const Sizes& sizes) {
    double field = 1;
    for (std::size_t i = 2; i < sizes.size(); ++i) field *= static_cast<double>(sizes[i]);
    return static_cast<double>(sizes[1]) * field + static_cast<double>(sizes[0]) * field;
}

} // namespace

Error refused(const Message& what) { return Error(ErrorKind::Refused, what); }

ModuleMaker::ModuleMaker(const ops::NnModule& type, const ModuleSettings& settings, TorchGenerator& random)
    : m_type(type), m_random(random) {
    m_module->setType(m_type.path());
    const auto parameters = m_type.parameters();
    const auto check = [&](const std::string& name) {
        if (std::none_of(parameters.begin(), parameters.end(),
                         [&, wanted = std::string_view(name)](const auto& p) { return p.name == wanted; }))
            throw refused(Message("make.unknown_setting",
                                  {{"type", m_type.publicPath()}, {"name", name}, {"known", listed(parameters)}}));
    };
    for (const auto& [name, value] : settings.values) check(name);
    for (const auto& [name, value] : settings.modules) check(name);
    m_settings.modules = settings.modules;
    for (const auto& parameter : parameters)
        m_settings.values.emplace_back(parameter.name, valueOf(parameter, settings));
}

Argument ModuleMaker::valueOf(const ops::Parameter& parameter, const ModuleSettings& settings) const {
    for (const auto& [name, value] : settings.values)
        if (name == parameter.name) return value;
    const bool isGiven = std::any_of(settings.modules.begin(), settings.modules.end(),
                                     [&](const auto& item) { return item.first == parameter.name; });
    if (isGiven || parameter.kind == ops::Parameter::Kind::VarPositional ||
        parameter.kind == ops::Parameter::Kind::VarKeyword)
        return {};
    if (parameter.defaultValue.empty())
        throw refused(Message("make.missing_setting", {{"type", m_type.publicPath()}, {"name", parameter.name}}));
    return defaultOf(parameter.defaultValue);
}

const Argument& ModuleMaker::setting(std::string_view name) const {
    static const Argument kNone;
    for (const auto& [key, value] : m_settings.values)
        if (key == name) return value;
    return kNone;
}

bool ModuleMaker::has(std::string_view name) const {
    return std::any_of(m_settings.values.begin(), m_settings.values.end(),
                       [&](const auto& item) { return item.first == name; });
}

std::shared_ptr<Module> ModuleMaker::module(std::string_view name) const {
    for (const auto& [key, value] : m_settings.modules)
        if (key == name) return value;
    return nullptr;
}

std::int64_t ModuleMaker::integer(std::string_view name) const {
    const auto* value = setting(name).as<std::int64_t>();
    if (!value || *value < 0)
        throw refused(Message("make.expected_count", {{"name", name}, {"type", m_type.publicPath()}}));
    constexpr std::int64_t kMost = std::int64_t{1} << 48; // what is computed from it fits in 64 bits
    if (*value > kMost)
        throw refused(
            Message("make.setting_too_large", {{"name", name}, {"type", m_type.publicPath()}, {"value", *value}}));
    return *value;
}

std::int64_t ModuleMaker::positive(std::string_view name) const {
    const std::int64_t value = integer(name);
    if (value == 0) throw refused(Message("make.expected_positive", {{"name", name}, {"type", m_type.publicPath()}}));
    return value;
}

std::int64_t ModuleMaker::layers(std::string_view name) const {
    constexpr std::int64_t kMost = 10'000;
    const std::int64_t count = integer(name);
    if (count > kMost)
        throw refused(Message("make.too_many_layers",
                              {{"name", name}, {"type", m_type.publicPath()}, {"limit", kMost}, {"value", count}}));
    return count;
}

double ModuleMaker::real(std::string_view name) const {
    if (const auto value = setting(name).number()) return *value;
    throw refused(Message("make.expected_number", {{"name", name}, {"type", m_type.publicPath()}}));
}

std::string ModuleMaker::text(std::string_view name) const {
    const auto* value = setting(name).as<std::string>();
    if (!value) throw refused(Message("make.expected_text", {{"name", name}, {"type", m_type.publicPath()}}));
    return *value;
}

bool ModuleMaker::flag(std::string_view name) const {
    if (const auto* value = setting(name).as<bool>()) return *value;
    if (const auto* value = setting(name).as<std::int64_t>()) return *value != 0;
    return !setting(name).isNone();
}

Sizes ModuleMaker::sizes(std::string_view name, std::size_t count, bool maybeOne) const {
    if (const auto* one = setting(name).as<std::int64_t>()) return Sizes(std::max<std::size_t>(count, 1), *one);
    const auto* several = setting(name).as<Sequence>();
    Sizes out;
    if (several)
        for (const auto& item : several->items)
            if (const auto* number = item.as<std::int64_t>()) out.push_back(*number);
    if (!several || out.size() != several->items.size() ||
        (count && out.size() != count && !(maybeOne && out.size() == 1)))
        throw refused(Message(
            "make.expected_sizes",
            {{"name", name}, {"type", m_type.publicPath()}, {"count", (count ? std::to_string(count) : "several")}}));
    return out;
}

void ModuleMaker::cannotMake(const Message& why) const {
    throw refused(Message("make.cannot_create", {{"type", m_type.publicPath()}, {"reason", why.text()}}));
}

void ModuleMaker::needNone(std::string_view name) const {
    if (!setting(name).isNone()) cannotMake(Message("make.tensor_setting", {{"name", name}}));
}

TensorPtr ModuleMaker::xavierUniform(const Sizes& sizes) {
    return within(sizes, std::sqrt(3.0) * std::sqrt(2.0 / fans(sizes)));
}
TensorPtr ModuleMaker::xavierNormal(const Sizes& sizes) {
    return m_random.normal(sizes, 0, std::sqrt(2.0 / fans(sizes)));
}

} // namespace fx::make
