// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace fx {

/// The form of the generated code of a graph with pytree inputs (torch.fx `_PyTreeCodeGen`):
///
///     def forward(self, primals, tangents):
///         primals_1, tangents_1, = fx_pytree.tree_flatten_spec([primals, tangents], self._in_spec)
///         ...
///         return pytree.tree_unflatten([mul], self._out_spec)
struct PytreeForm : Origin {
    bool isNested = false;               ///< false if the graph takes its inputs unchanged
    std::vector<std::string> parameters; ///< parameters of the function, without self
    bool bindsSelf = false;              ///< `self` is a leaf of the tree, as after tracing a module
    std::string binding;                 ///< the line that creates the placeholders, or empty to generate it
    std::vector<std::string> inputs;     ///< targets of the placeholders; the form does not apply to a different list
    bool unflattens = false;             ///< the result is nested as well
    /// `_in_spec` and `_out_spec` as attributes of a Module; None if unknown.
    Argument inSpec = {}, outSpec = {};
};

} // namespace fx
