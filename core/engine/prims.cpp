// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/prims.h"

#include "core/engine/dispatch.h"

namespace fx::engine {
namespace {
Value valueOrNone(const Value* value) { return value ? *value : Value(); }

/// `prims.iota(length, *, start, step, dtype, device, requires_grad)`
Value iotaPrim(const Arguments& arguments) {
    const std::int64_t length = valueOrNone(arguments.at(0, "length")).integer().value_or(0),
                       start = valueOrNone(arguments.find("start")).integer().value_or(0),
                       step = valueOrNone(arguments.find("step")).integer().value_or(1);
    return callOperator("aten::arange.start_step", {{start, start + length * step, step},
                                                    {{"dtype", valueOrNone(arguments.find("dtype"))},
                                                     {"device", valueOrNone(arguments.find("device"))}}});
}
} // namespace

std::optional<Value> callPrim(std::string_view name, const Arguments& arguments) {
    if (name == "torch.ops.prims.convert_element_type.default")
        return callOperator("aten::_to_copy",
                            {{valueOrNone(arguments.at(0, "a"))}, {{"dtype", valueOrNone(arguments.at(1, "dtype"))}}});
    if (name == "torch.ops.prims.iota.default") return iotaPrim(arguments);
    return std::nullopt;
}

} // namespace fx::engine
