// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/quant_engine.h"

#include <vector>

namespace fx::quant {

/// The set of nodes in a graph that depend on no model input: weights and values computed from weights alone.
class ConstantNodes {
public:
    explicit ConstantNodes(const Graph& graph); ///< O(nodes)
    /// True if the node depends on no placeholder.
    bool contains(NodeId id) const { return index(id) < m_constant.size() && m_constant[index(id)]; }

private:
    std::vector<bool> m_constant;
};

/// Runs the nodes, observers included, that compute a constant node and returns its value. Returns null if the value
/// is not a tensor or depends on an input. Throws the errors of QuantEngine.
TensorPtr constantValue(const GraphModule& model, NodeId id, QuantEngine& engine);

} // namespace fx::quant
