// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/quant_engine.h"

#include <vector>

namespace fx::quant {

/// The nodes of a graph that depend on no input of the model: weights, and what is computed from them alone.
class ConstantNodes {
public:
    explicit ConstantNodes(const Graph& graph); ///< O(nodes)
    bool contains(NodeId id) const { return index(id) < m_constant.size() && m_constant[index(id)]; }

private:
    std::vector<bool> m_constant;
};

/// The value of a node that depends on no input: what computes it is run, observers too. Null if it is no tensor or
/// depends on an input. Throws as the engine does.
TensorPtr constantValue(const GraphModule& model, NodeId id, QuantEngine& engine);

} // namespace fx::quant
