// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/steps/step_memory.h"

#include "core/edit/steps/step_list.h"

#include <algorithm>

namespace fx {
namespace {

constexpr std::size_t kWorthIt = 8; ///< steps in a row after which counting the whole model once pays off

} // namespace

/// Adds a place of a module, or takes it away, with all below it; returns its tensors. Like `warnOfSharedUse`, it
/// counts the tensors of leaves at each of their places and those of modules that hold others once.
std::vector<const void*> StepMemory::count(const Module& module, int by) {
    std::vector<const void*> tensors;
    std::vector<const Module*> open{&module};
    const auto add = [by](auto& counts, const auto& key) {
        const auto entry = counts.try_emplace(key, 0).first;
        const int now = entry->second += by;
        if (now <= 0) counts.erase(entry);
        return now;
    };
    while (!open.empty()) {
        const Module& each = *open.back();
        open.pop_back();
        const int places = add(m_places, &each);
        if (!each.children.empty() && places != (by > 0 ? 1 : 0)) continue;
        for (const auto* slots : {&each.parameters, &each.buffers})
            for (const Module::Slot& slot : *slots)
                if (slot.tensor) add(m_tensors, tensors.emplace_back(identity(*slot.tensor)));
        for (const Module::Child& child : each.children)
            if (child.module) open.push_back(child.module.get());
    }
    return tensors;
}

void StepMemory::learn(const GraphModule& model) {
    m_places.clear(), m_tensors.clear(), m_calls.clear();
    count(*model.root, 1);
    for (const Node& node : model.graph.nodes())
        if (node.op() == Op::CallModule) ++m_calls[node.target()];
    m_isKnown = true;
}

bool StepMemory::changesOneModule(const GraphModule& before, const JsonValue& step) {
    m_isOneModule = false;
    const std::string kind(textIn(step, "step")), path(textIn(step, "path"));
    m_stepsInRow = kind == "replace_module" || kind == "delete_module" ? m_stepsInRow + 1 : 0;
    if (m_stepsInRow < kWorthIt || path.empty()) return false;
    const Module* module = resolvePath(*before.root, path, children).module;
    if (!module) return false;
    if (!m_isKnown || !m_places.contains(module)) learn(before); // modules above an edited one are copied
    const auto calls = m_calls.find(path);
    if (m_places[module] != 1 || (calls != m_calls.end() && calls->second > 1)) return false;
    const auto tensors = count(*module, -1);
    m_isOneModule = std::none_of(tensors.begin(), tensors.end(), [&](const void* t) { return m_tensors.contains(t); });
    return m_isOneModule;
}

void StepMemory::applied(const GraphModule& after, const JsonValue& step) {
    if (!m_isKnown) return;
    if (!m_isOneModule) {
        m_isKnown = false;
        m_stepsInRow = 0;
        return;
    }
    if (const Module* fresh = resolvePath(*after.root, textIn(step, "path"), children).module) count(*fresh, 1);
}

} // namespace fx
