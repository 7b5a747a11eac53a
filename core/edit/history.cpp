// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/history.h"

#include "core/edit/steps/step.h"

namespace fx {

namespace {

std::shared_ptr<GraphModule> versionAfter(const GraphModule& model, const std::string& steps, NewWeights weights,
                                          const Progress& progress) {
    const auto document = JsonDocument::parse(steps);
    std::vector<JsonValue> list;
    for (const JsonValue step : document->root().needArray()) list.push_back(step);
    auto result = std::make_shared<GraphModule>(model);
    const EditEffect effect = applyStepsNoting(*result, list, {}, progress, weights);
    result->warnings.insert(result->warnings.end(), effect.warnings.begin(), effect.warnings.end());
    return result;
}

/// The larger the model, the longer this would take: nothing was made unless the tree is another one.
std::uint64_t newWeightBytes(const GraphModule& before, const GraphModule& after) {
    std::uint64_t bytes = 0;
    if (before.root == after.root) return bytes;
    forEachModule(*after.root, [&](const std::string&, const Module& module) {
        for (const auto* slots : {&module.parameters, &module.buffers})
            for (const auto& slot : *slots)
                if (slot.tensor && isShapeOnly(*slot.tensor))
                    bytes += static_cast<std::uint64_t>(slot.tensor->byteCount());
    });
    return bytes;
}

} // namespace

std::shared_ptr<GraphModule> History::edited(const GraphModule& model, const std::string& steps,
                                             const Progress& progress) {
    return versionAfter(model, steps, NewWeights::Drawn, progress);
}

History::Trial History::tried(const GraphModule& model, const std::string& steps, const Progress& progress) {
    Trial trial{versionAfter(model, steps, NewWeights::ShapesOnly, progress), 0};
    trial.weightBytes = newWeightBytes(model, *trial.model);
    return trial;
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
