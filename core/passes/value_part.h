// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"
#include "core/passes/tensor_engine.h"
#include "core/passes/value_symbols.h"

#include <unordered_map>

namespace fx {

/// Computes the values of some nodes of a graph from the recorded values of the others.
///
///     x ── linear ── gelu ── softmax      wanted: gelu, softmax
///     the part: linear (a placeholder) ── gelu ── softmax
///
/// The part is a separate graph, whose placeholders stand for known values. Its symbolic sizes become numbers, for
/// several values of the symbols; the sizes found are fitted (`SizeFit`).
class ValuePart {
public:
    /// The values of each node; a node without values has an empty list, an unknown one is missing.
    using Found = std::unordered_map<NodeId, std::vector<ValueInfo>>;

    /// `wanted` are nodes of the model. The model must outlive this object.
    ValuePart(const GraphModule& model, const std::vector<NodeId>& wanted);
    /// Computes the values. `failures` receives the nodes that fail by themselves, with reasons. Throws the errors of
    /// the engine.
    Found compute(TensorEngine& engine, std::vector<ShapeFailure>& failures) const;

private:
    void include(const std::vector<NodeId>& wanted);
    bool isInput(const Node& node) const;
    void dropUnknown();
    void findSymbols();
    std::vector<SymbolNumbers> samples(std::size_t count) const;
    GraphModule asGraph(const SymbolNumbers& numbers, std::unordered_map<std::string, NodeId>& names) const;
    Found run(TensorEngine& engine, const SymbolNumbers& numbers, std::vector<ShapeFailure>& failures) const;
    Found fitted(const std::vector<SymbolNumbers>& samples, const std::vector<Found>& found) const;
    std::string deviceOf(const Node& node, const Found& found) const;
    void setDevices(Found& found) const;

    const GraphModule& m_model;
    std::unordered_map<NodeId, bool> m_nodes;             ///< the part; true: an input
    std::vector<NodeId> m_order;                          ///< the same, in graph order
    std::map<std::string, std::int64_t> m_leastOfSymbols; ///< of the symbols of the inputs
    bool m_gradients = false;
};

} // namespace fx
