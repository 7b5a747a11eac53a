// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <memory>
#include <string>

namespace fx {

/// A Python function, class or operator as the target of call_function or as a value. It holds names only, never the
/// object.
///
/// Callables are compared by `qualifiedName`. `callable()` in core/trace/callables.h creates known ones; fill in the
/// fields for an unknown one.
struct Callable {
    enum class Kind : std::uint8_t {
        Function,      ///< Python or C function
        Class,         ///< a class
        OpOverload,    ///< torch.ops.ns.name.overload
        OpPacket,      ///< torch.ops.ns.name
        HigherOrderOp, ///< torch.ops.higher_order.name
    };
    Kind kind = Kind::Function;
    std::string module;        ///< `__module__`: "torch", "_operator", "torch._ops.aten", "builtins"
    std::string name;          ///< `__name__`, used for node names
    std::string qualifiedName; ///< torch.fx `_get_qualified_name`: "torch.relu", "_operator.add", "getattr",
                               ///< "torch.ops.aten.add.Tensor"
    std::string repr;          ///< `str()` of the object, addresses as 0x0: `<built-in function add>`
    /// torch.fx `_is_from_torch`: code uses the qualified name of such callables, and imports others under an alias.
    bool fromTorch = false;
    bool opaque = false; ///< an unknown name, which is shown, kept and saved unchanged

    /// Returns the name in `str(graph)`: "operator.add", "builtins.getattr", else the qualified name.
    std::string prettyName() const;
    bool operator==(const Callable& other) const { return qualifiedName == other.qualifiedName; }
};
/// A callable, shared by nodes.
using CallablePtr = std::shared_ptr<const Callable>;

} // namespace fx
