// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/json/json_document.h"
#include "core/module/child_lookup.h"
#include "core/module/graph_module.h"

namespace fx {

/// What the steps of one run know of the model from those before them, so that a long run of steps that replace or
/// delete modules costs what these modules cost, and not each time a look at the whole model.
class StepMemory {
public:
    ChildLookup children;
    std::vector<NodeId> typedCalls; ///< nodes of which steps gave the target or the arguments

    /// Whether the step replaces or deletes a module in one place that at most one node calls, and whose tensors are
    /// nowhere else: `warnOfSharedUse` has nothing to say of it. False also as long as that is not known. `applied`
    /// must be called after each step.
    bool changesOneModule(const GraphModule& before, const JsonValue& step);
    void applied(const GraphModule& after, const JsonValue& step);

private:
    void learn(const GraphModule& model);
    std::vector<const void*> count(const Module& module, int by);

    std::size_t m_stepsInRow = 0; ///< that replaced or deleted modules
    bool m_isKnown = false;
    bool m_isOneModule = false;
    std::unordered_map<const Module*, int> m_places;
    std::unordered_map<const void*, int> m_tensors;
    std::unordered_map<std::string, int> m_calls; ///< by path
};

/// What tensors that share their values have in common.
inline const void* identity(const TensorRef& tensor) {
    return tensor.storage ? static_cast<const void*>(tensor.storage.get()) : &tensor;
}

} // namespace fx
