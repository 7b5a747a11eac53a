// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/prims.h"

#include "core/engine/dispatch.h"

namespace fx::engine {
namespace {
Value primArgument(const Arguments& arguments, std::size_t place, std::string_view name) {
    const Value* value = arguments.at(place, name);
    return value ? *value : Value();
}

/// `prims.iota(length, *, start, step, dtype, device, requires_grad)`
Value iotaPrim(const Arguments& arguments) {
    const std::int64_t length = primArgument(arguments, 0, "length").integer().value_or(0),
                       start = primArgument(arguments, 99, "start").integer().value_or(0),
                       step = primArgument(arguments, 99, "step").integer().value_or(1);
    return callOperator("aten::arange.start_step", {{start, start + length * step, step},
                                                    {{"dtype", primArgument(arguments, 99, "dtype")},
                                                     {"device", primArgument(arguments, 99, "device")}}});
}
} // namespace

std::optional<Value> callPrim(std::string_view name, const Arguments& arguments) {
    if (name == "torch.ops.prims.convert_element_type.default")
        return callOperator("aten::_to_copy",
                            {{primArgument(arguments, 0, "a")}, {{"dtype", primArgument(arguments, 1, "dtype")}}});
    if (name == "torch.ops.prims.iota.default") return iotaPrim(arguments);
    return std::nullopt;
}

} // namespace fx::engine
