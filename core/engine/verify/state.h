// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/verify/verify.h"

#include <map>

namespace fx::engine {

/// The difference of the values that runs leave in parameters, buffers and tensor attributes.
struct StateFinding {
    Message differs = {};                ///< the first tensor that differs, and how; empty if none does
    bool isEqual = true;                 ///< all tensors are equal bit for bit
    std::vector<std::string> onlyA = {}; ///< paths of tensors that A changed and B does not have
};

/// Compares the tensors that the runs since `TensorStore::keepState` have changed; requires at least one run. Pairs
/// tensors by path, and those that only one model has by value. Ignores the state of observers.
StateFinding compareStates(const VerifySide& a, const VerifySide& b, const Tolerances& tolerances);

/// A tensor that both models have at the same path.
struct SharedTensor {
    std::string path;   ///< of the tensor in the module tree
    TensorPtr ofA, ofB; ///< the tensor in each model
};
/// Returns the tensors, without parameters, that the last run of either model has changed since
/// `TensorStore::keepState`.
std::vector<SharedTensor> changedTensors(const VerifySide& a, const VerifySide& b);
/// Returns these tensors and those that a call of either model writes into.
std::vector<SharedTensor> writtenTensors(const VerifySide& a, const VerifySide& b);

/// Finds calls that write into a buffer which a later call overwrites, and calls whose results only such calls use. The
/// state after a run is better evidence than their results. Linear in the nodes.
class OverwrittenState {
public:
    /// Analyses both graphs.
    OverwrittenState(const VerifySide& a, const VerifySide& b)
        : m_a(overwrittenIn(*a.model)), m_b(overwrittenIn(*b.model)) {}
    /// True if both nodes only serve to write into buffers and at least one of them is overwritten.
    bool contains(const std::pair<NodeId, NodeId>& nodes) const;

private:
    /// Calls that only serve to write into buffers. The value is true if later calls overwrite all that they write.
    using Writers = std::map<NodeId, bool>;
    static Writers overwrittenIn(const GraphModule& model);
    Writers m_a, m_b;
};

/// True if the last run of a model changed one of its tensors since `TensorStore::keepState`.
bool changesState(const VerifySide& side);

/// Compares the user inputs, which runs may change in place. They must have been equal before. Pairs inputs by name,
/// else by position.
StateFinding compareInputs(const VerifySide& a, const VerifySide& b, const Tolerances& tolerances);

} // namespace fx::engine
