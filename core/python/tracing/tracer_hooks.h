// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/values/object.h"

#include <functional>
#include <string>
#include <string_view>

namespace fx::python {

/// Methods that a Tracer class of the program overrides, named after torch.fx's. An unset member means the behaviour of
/// torch.fx's Tracer.
struct TracerHooks {
    /// `is_leaf_module`.
    std::function<bool(Instance& module, const std::string& path)> isLeafModule;
    /// `call_module`; calling `forward` interprets the module.
    std::function<Value(Instance& module, const Value& forward, Values args, const Keywords& kwargs)> callModule;
    /// `getattr`; `value` is the parameter or buffer `name` of the module.
    std::function<Value(Instance& module, std::string_view name, const Value& value)> getAttribute;
    /// `create_arg` for an object that a node cannot hold; if unset, the object is refused.
    std::function<Value(const Value& object)> createArgument;
    /// `to_bool`.
    std::function<bool(const Value& proxy)> toBool;
    /// `iter`.
    std::function<Value(const Value& proxy)> iterate;
};

} // namespace fx::python
