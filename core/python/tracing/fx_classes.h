// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"
#include "core/python/values/object.h"

namespace fx::python {

/// GraphModule, Graph, Node and Tracer of torch.fx as classes of one followed program.
class FxClasses {
public:
    virtual ~FxClasses() = default;
    /// The model that a GraphModule of the program is; null for other values.
    virtual std::shared_ptr<GraphModule> modelOf(const Value& value) = 0;
};

} // namespace fx::python
