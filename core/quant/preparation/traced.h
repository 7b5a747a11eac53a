// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/prepare.h"

namespace fx::quant {

/// A graph as traced by torch.ao's QuantizationTracer, and the scopes of its nodes.
struct TracedModel {
    GraphModule model;
    std::unordered_map<std::string, Scope> scopes; ///< by node name
    Warnings warnings;
    std::vector<LinearFold> linearFolds = {};
};

/// Traces a model again, as the first step of prepare_fx: enters torch.nn.Sequential and nested GraphModules, drops
/// the types of calls, derives names from targets, and replaces FloatFunctional by FXFloatFunctional. Models traced
/// from a source keep the scopes of their functions; models read from a file have none. `custom` lists modules of a
/// file that are not entered; for a source, they were left out during the trace. Throws Error{Refused}.
TracedModel traceForQuantisation(const GraphModule& model, const CustomConfig& custom = {});

} // namespace fx::quant
