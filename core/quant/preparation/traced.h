// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/prepare.h"

namespace fx::quant {

/// A graph as torch.ao's QuantizationTracer makes it of a model, and where its nodes were called.
struct TracedModel {
    GraphModule model;
    std::unordered_map<std::string, Scope> scopes; ///< by node name
    Warnings warnings;
};

/// Traces a model again, as prepare_fx does first: torch.nn.Sequential and nested GraphModules are entered, types of
/// calls are dropped, names follow from targets, FloatFunctional becomes FXFloatFunctional. A source keeps the scopes
/// of its functions; a file has lost them. `custom`: modules of a file that are not entered; those of a source were
/// left out when it was traced. Throws Error{Refused}.
TracedModel traceForQuantisation(const GraphModule& model, const CustomConfig& custom = {});

} // namespace fx::quant
