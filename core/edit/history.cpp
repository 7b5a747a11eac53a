// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/history.h"

#include "core/edit/steps.h"

namespace fx {

std::shared_ptr<GraphModule> History::edited(const GraphModule& model, const std::string& steps,
                                             const Progress& progress) {
    const auto document = JsonDocument::parse(steps);
    std::vector<JsonValue> list;
    for (const JsonValue step : document->root().needArray()) list.push_back(step);
    auto result = std::make_shared<GraphModule>(model);
    const EditEffect effect = applySteps(*result, list, progress);
    result->warnings.insert(result->warnings.end(), effect.warnings.begin(), effect.warnings.end());
    return result;
}

void History::edit(std::string name, std::string steps) {
    auto model = edited(*this->model(), steps);
    push(std::move(name), std::move(steps), std::move(model));
}

void History::push(std::string name, std::string steps, std::shared_ptr<const GraphModule> model,
                   std::chrono::system_clock::time_point time) {
    m_entries.resize(m_current + 1);
    m_entries.push_back({std::move(name), std::move(steps), time, std::move(model)});
    ++m_current;
}

} // namespace fx
