// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/value_sizes.h"

#include "core/passes/value_facts.h"

namespace fx {

std::optional<std::vector<std::int64_t>> ValueSizes::of(const Node& node) {
    if (auto known = knownSizes(node)) return known;
    if (!m_asked && m_run.engine) {
        m_asked = true;
        for (const auto& [name, values] : m_run.engine->shapes(m_run.model).nodes)
            if (values.size() == 1) m_told.emplace(name, values[0]);
    }
    const auto found = m_told.find(node.name());
    return found == m_told.end() ? std::nullopt : integerSizes(found->second);
}

} // namespace fx
