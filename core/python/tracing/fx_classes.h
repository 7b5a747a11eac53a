// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"
#include "core/python/values/object.h"

namespace fx::python {

/// torch.fx's GraphModule, Graph, Node and Tracer as classes for one interpreted program.
class FxClasses {
public:
    virtual ~FxClasses() = default;
    /// Returns the model of a GraphModule object of the program; null for other values.
    virtual std::shared_ptr<GraphModule> modelOf(const Value& value) = 0;
};

} // namespace fx::python
