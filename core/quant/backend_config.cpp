// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/backend_config.h"

#include <algorithm>

namespace fx::quant {
namespace {

std::string_view lastName(std::string_view path) { return path.substr(path.rfind('.') + 1); }

} // namespace

std::size_t Pattern::size() const {
    std::size_t count = 1;
    for (const Pattern& part : arguments) count += part.size();
    return count;
}

std::string Pattern::text() const {
    const std::string head = kind == Kind::Any ? "*" : kind == Kind::Method ? "." + name : std::string(lastName(name));
    if (arguments.empty()) return head;
    std::string out = "(" + head;
    for (const Pattern& part : arguments) out += ", " + part.text();
    return out + ")";
}

std::optional<Observation> PatternConfig::observationFor(std::int64_t tensors) const {
    if (observationByTensors.empty()) return observation;
    for (const auto& [count, kind] : observationByTensors)
        if (count == tensors) return kind;
    return {};
}

std::string BackendConfig::headKey(Pattern::Kind kind, std::string_view name) {
    constexpr std::string_view kLetters = "MFS*";
    return kLetters[static_cast<std::size_t>(kind)] + std::string(name);
}

void BackendConfig::index() {
    // torch.ao sorts patterns by their length, the longest first; a pattern that is no tuple has the key 1, so that all
    // of those come last, in the order of the configuration.
    std::vector<std::uint32_t> order(m_patterns.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        const auto key = [&](std::uint32_t i) {
            const Pattern& pattern = m_patterns[i].pattern;
            return pattern.arguments.empty() ? 1 : -static_cast<std::int64_t>(pattern.size());
        };
        return key(a) < key(b);
    });
    for (const std::uint32_t i : order) {
        const PatternConfig& entry = m_patterns[i];
        const std::string key = headKey(entry.pattern.kind, entry.pattern.name);
        m_candidates[key].push_back(i);
        if (entry.isFusion) m_fusions[key].push_back(i);
        if (entry.pattern.arguments.empty()) m_single.emplace(key, i);
    }
    for (const PatternConfig& entry : m_patterns) {
        if (!entry.rootModule.empty() && !entry.referenceModule.empty())
            m_references.insert_or_assign(entry.rootModule, entry.referenceModule);
        if (!entry.qatModule.empty()) {
            m_qatModules[entry.qatModule] = true;
            if (entry.pattern.arguments.empty()) m_qat.insert_or_assign(entry.pattern.name, entry.qatModule);
        }
        if (!entry.fusedModule.empty()) m_fusedModules[entry.fusedModule] = true;
    }
}

const std::vector<std::uint32_t>& BackendConfig::candidates(std::string_view key) const {
    static const std::vector<std::uint32_t> kNone;
    const auto found = m_candidates.find(std::string(key));
    return found == m_candidates.end() ? kNone : found->second;
}

const std::vector<std::uint32_t>& BackendConfig::fusions(std::string_view key) const {
    static const std::vector<std::uint32_t> kNone;
    const auto found = m_fusions.find(std::string(key));
    return found == m_fusions.end() ? kNone : found->second;
}

const PatternConfig* BackendConfig::single(std::string_view key) const {
    const auto found = m_single.find(std::string(key));
    return found == m_single.end() ? nullptr : &m_patterns[found->second];
}

std::string_view BackendConfig::referenceOf(std::string_view rootModule) const {
    const auto found = m_references.find(std::string(rootModule));
    return found == m_references.end() ? std::string_view() : found->second;
}

std::string_view BackendConfig::qatOf(std::string_view floatModule) const {
    const auto found = m_qat.find(std::string(floatModule));
    return found == m_qat.end() ? std::string_view() : found->second;
}

bool BackendConfig::isQatModule(std::string_view type) const { return m_qatModules.contains(std::string(type)); }
bool BackendConfig::isFusedModule(std::string_view type) const { return m_fusedModules.contains(std::string(type)); }

} // namespace fx::quant
