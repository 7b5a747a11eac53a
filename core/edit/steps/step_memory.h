// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/json/json_document.h"
#include "core/module/child_lookup.h"
#include "core/module/graph_module.h"

namespace fx {

/// State that the steps of one run share. It makes a long run of steps that replace or delete modules cost as much as
/// these modules; without it, each step would scan the whole model.
class StepMemory {
public:
    ChildLookup children;           ///< cached look-ups of children by name
    std::vector<NodeId> typedCalls; ///< nodes whose target or arguments a step has set

    /// Returns true if the step replaces or deletes a module at a single path, with at most one caller and tensors
    /// used nowhere else: `warnOfSharedUse` then reports nothing. Returns false if this is unknown. Call `applied`
    /// after each step.
    bool changesOneModule(const GraphModule& before, const JsonValue& step);
    /// Updates the state after a step.
    void applied(const GraphModule& after, const JsonValue& step);

private:
    void learn(const GraphModule& model);
    std::vector<const void*> count(const Module& module, int by);

    std::size_t m_stepsInRow = 0; ///< consecutive steps that replaced or deleted modules
    bool m_isKnown = false;
    bool m_isOneModule = false;
    std::unordered_map<const Module*, int> m_places;
    std::unordered_map<const void*, int> m_tensors;
    std::unordered_map<std::string, int> m_calls; ///< by path
};

/// Returns a key that is equal for tensors with a common storage.
inline const void* identity(const TensorRef& tensor) {
    return tensor.storage ? static_cast<const void*>(tensor.storage.get()) : &tensor;
}

} // namespace fx
