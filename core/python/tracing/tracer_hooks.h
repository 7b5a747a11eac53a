// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/values/object.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace fx::python {

/// What a Tracer of the program does in its own way, by the names of its methods in torch.fx. What is unset is done as
/// torch.fx's Tracer does it.
struct TracerHooks {
    std::function<bool(Instance& module, const std::string& path)> isLeafModule;
    /// `forward` follows the module.
    std::function<Value(Instance& module, const Value& forward, Values args, const Keywords& kwargs)> callModule;
    /// `getattr`; `value`: the parameter or buffer `name` of the module.
    std::function<Value(Instance& module, std::string_view name, const Value& value)> getAttribute;
    /// `create_arg` of an object that a node cannot hold; unset: it is refused.
    std::function<Value(const Value& object)> createArgument;
    std::function<bool(const Value& proxy)> toBool;
    std::function<Value(const Value& proxy)> iterate;
};

} // namespace fx::python
