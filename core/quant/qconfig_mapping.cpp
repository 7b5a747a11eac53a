// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/qconfig_mapping.h"

#include "core/ops/nn_modules.h"
#include "core/ops/python_functions.h"
#include "core/quant/qconfig_table.h"

#include <algorithm>
#include <array>

namespace fx::quant {
namespace {

constexpr std::array<std::string_view, 4> kBackends{"x86", "onednn", "fbgemm", "qnnpack"};

/// Sets a rule: an earlier one of the same key keeps its place, as in an OrderedDict.
void set(QConfigMapping::Rules& rules, std::string key, QConfigPtr qconfig) {
    const auto known = std::find_if(rules.begin(), rules.end(), [&](const auto& rule) { return rule.first == key; });
    if (known != rules.end()) known->second = std::move(qconfig);
    else rules.emplace_back(std::move(key), std::move(qconfig));
}

} // namespace

QConfigMapping& QConfigMapping::setGlobal(QConfigPtr qconfig) { return m_global = std::move(qconfig), *this; }

QConfigMapping& QConfigMapping::setObjectType(std::string_view objectType, QConfigPtr qconfig) {
    set(m_objectTypes, canonicalObjectType(objectType), std::move(qconfig));
    return *this;
}

QConfigMapping& QConfigMapping::setModuleNameRegex(std::string_view regex, QConfigPtr qconfig) {
    set(m_regexes, std::string(regex), std::move(qconfig));
    return *this;
}

QConfigMapping& QConfigMapping::setModuleName(std::string_view name, QConfigPtr qconfig) {
    set(m_names, std::string(name), std::move(qconfig));
    return *this;
}

QConfigMapping& QConfigMapping::setModuleNameObjectTypeOrder(std::string_view name, std::string_view objectType,
                                                             std::int64_t index, QConfigPtr qconfig) {
    std::string type = canonicalObjectType(objectType);
    for (Order& order : m_orders)
        if (order.module == name && order.objectType == type && order.index == index) {
            order.qconfig = std::move(qconfig);
            return *this;
        }
    m_orders.push_back({std::string(name), std::move(type), index, std::move(qconfig)});
    return *this;
}

std::string canonicalObjectType(std::string_view name) {
    if (name.find('.') == name.npos) return std::string(name); // a method, or a builtin such as getattr
    if (const auto module = ops::findModule(name)) return std::string(module->path());
    if (const auto function = ops::findFunction(name)) return std::string(function->qualifiedName());
    return std::string(name);
}

std::string_view backendName(Backend backend) { return kBackends[static_cast<std::size_t>(backend)]; }

std::optional<Backend> backendFromName(std::string_view name) {
    const auto found = std::find(kBackends.begin(), kBackends.end(), name);
    if (found == kBackends.end()) return {};
    return static_cast<Backend>(found - kBackends.begin());
}

QConfigMapping defaultMapping(Backend backend, bool isQat) {
    QConfigMapping mapping;
    for (DefaultRule& rule : defaultRules("mapping/" + std::string(backendName(backend)) + (isQat ? "/qat" : "/ptq")))
        if (rule.objectType.empty()) mapping.setGlobal(std::move(rule.qconfig));
        else mapping.setObjectType(rule.objectType, std::move(rule.qconfig));
    return mapping;
}

} // namespace fx::quant
