// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace fx {

/// How the code of a graph with a pytree takes its inputs (torch.fx `_PyTreeCodeGen`):
///
///     def forward(self, primals, tangents):
///         primals_1, tangents_1, = fx_pytree.tree_flatten_spec([primals, tangents], self._in_spec)
///         ...
///         return pytree.tree_unflatten([mul], self._out_spec)
struct PytreeForm : Origin {
    bool isNested = false;               ///< false: the graph takes its inputs as they are
    std::vector<std::string> parameters; ///< of the function, without self
    bool bindsSelf = false;              ///< tracing a module gives `self` a place in the tree
    std::string binding;                 ///< the line that makes the placeholders, if it is known; else it is generated
    std::vector<std::string> inputs;     ///< targets of the placeholders: another number or order has another form
    bool unflattens = false;             ///< whether the result is nested as well
    /// `_in_spec` and `_out_spec` as attributes of a Module; None if they are not known.
    Argument inSpec = {}, outSpec = {};
};

} // namespace fx
