// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/history.h"

#include "core/edit/steps.h"

namespace fx {

void History::edit(std::string name, std::string steps) {
    const auto document = JsonDocument::parse(steps);
    std::vector<JsonValue> list;
    for (const JsonValue step : document->root().needArray()) list.push_back(step);
    auto edited = std::make_shared<GraphModule>(*model());
    const EditEffect effect = applySteps(*edited, list);
    edited->warnings.insert(edited->warnings.end(), effect.warnings.begin(), effect.warnings.end());
    m_entries.resize(m_current + 1);
    m_entries.push_back({std::move(name), std::move(steps), std::chrono::system_clock::now(), std::move(edited)});
    ++m_current;
}

} // namespace fx
