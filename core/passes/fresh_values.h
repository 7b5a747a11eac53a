// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"
#include "core/passes/tensor_engine.h"

#include <functional>

namespace fx {

/// True if a node that is not an input has a recorded value (`NodeMeta::values`).
bool recordsValues(const Graph& graph);

/// Brings the recorded values of `after` up to date: those of nodes that differ from `before`, and of their
/// dependents as far as values change. Does nothing if `before` records none.
///
///     before   x ── linear ── relu ── sum        relu: 2×5    sum: 2
///     after    x ── linear ── gt ─── sum         gt: 2×5 bool, sum: 2 int64
///
/// `engine` computes them. A value that it cannot compute stays as it was if the node is called with equal values as
/// before (an operator of another library); otherwise it becomes unknown (empty). Without an engine, or if it fails,
/// only a call like `relu` of a dense tensor of floats has a known value, and the others become unknown. Returns the
/// nodes that fail by themselves, with reasons. Throws Error{Cancelled}.
std::vector<ShapeFailure> refreshValues(const GraphModule& before, GraphModule& after, TensorEngine* engine);

/// Computes all values of a model from those of its inputs, likewise.
std::vector<ShapeFailure> recomputeValues(GraphModule& model, TensorEngine& engine);

/// Computes the values that are unknown, likewise. `asRead` returns the graph as its file describes it.
std::vector<ShapeFailure> computeUnknownValues(GraphModule& model, TensorEngine& engine,
                                               const std::function<Graph()>& asRead);

/// Returns a warning for each of the nodes whose value is unknown in `graph`.
Warnings unknownValueWarnings(const std::vector<ShapeFailure>& failures, const Graph& graph);

} // namespace fx
