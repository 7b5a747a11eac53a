// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/base/file_object.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace fx {

/// Identity of a node in its Graph: stable across edits, never reused, dense from 0.
enum class NodeId : std::uint32_t {};
inline constexpr NodeId kNoNode = static_cast<NodeId>(0xFFFFFFFFu);
constexpr std::uint32_t index(NodeId id) { return static_cast<std::uint32_t>(id); }

class Argument;
struct Callable;

/// `...` as a value.
struct EllipsisValue {
    bool operator==(const EllipsisValue&) const = default;
};
/// An int beyond 64 bits: decimal digits with sign.
struct BigInt {
    std::string digits;
};
/// Python's complex.
struct Complex {
    double re = 0, im = 0;
};
/// Python `bytes`.
struct Bytes {
    std::string data;
};
/// tuple, list or NamedTuple. A NamedTuple has its class.
struct Sequence {
    enum class Kind : std::uint8_t { Tuple, List, NamedTuple };
    Kind kind = Kind::Tuple;
    std::vector<Argument> items;
    std::shared_ptr<const Callable> type; ///< the class, for NamedTuple only
};
/// dict, in insertion order; keys may be any literal.
struct Dict {
    std::vector<std::pair<Argument, Argument>> items;
};
/// slice(start, stop, step)
struct Slice;
/// range(start, stop, step): plain integers
struct Range {
    std::int64_t start = 0, stop = 0, step = 1;
};
/// torch.device
struct Device {
    std::string type;
    int index = -1; ///< -1 if none
};
/// A constant object of torch that prints its dotted name: dtype, layout, memory_format, qscheme.
struct TorchConstant {
    enum class Kind : std::uint8_t { Dtype, Layout, MemoryFormat, QScheme };
    Kind kind = Kind::Dtype;
    std::string name; ///< as Python prints it: "torch.float32", "torch.channels_last"
};
/// A symbolic size, boolean or float: its expression as Python prints it (`s77`, `2*s0 + 1`).
struct Symbolic {
    std::string expression;
};
/// A member of a Python Enum.
struct EnumMember {
    std::shared_ptr<const Callable> type;
    std::string member;
    std::string repr; ///< `<Color.RED: 1>`, the result of repr()
    std::string str;  ///< the result of str() where it is not "Color.RED": `1` of an IntEnum
};
/// A function, class or operator used as a value.
struct CallableValue {
    std::shared_ptr<const Callable> callable;
};
/// Any other Python object, kept by its qualified type name and its printed form, never resolved.
struct OpaqueObject {
    std::string typeName; ///< "mypkg.Config"
    std::string repr;     ///< shown as str() and repr()
    FileObject origin;
};

/// A value in a node's args or kwargs, in a module's settings or in metadata: torch.fx's `Argument`.
///
/// Immutable; containers and strings are shared between copies, so copies are cheap. Equality is deep and distinguishes
/// kinds (1, 1.0 and True differ; nan equals nan).
class Argument {
public:
    template<class T> using Box = std::shared_ptr<const T>;
    using Variant =
        std::variant<std::monostate, EllipsisValue, bool, std::int64_t, double, NodeId, Box<std::string>, Box<BigInt>,
                     Box<Complex>, Box<Bytes>, Box<Sequence>, Box<Dict>, Box<Slice>, Box<Range>, Box<Device>,
                     Box<TorchConstant>, Box<Symbolic>, Box<EnumMember>, Box<CallableValue>, Box<OpaqueObject>>;

    Argument() = default; ///< None
    Argument(bool value) : m_value(value) {}
    Argument(std::int64_t value) : m_value(value) {}
    Argument(int value) : m_value(std::int64_t{value}) {}
    Argument(double value) : m_value(value) {}
    Argument(NodeId node) : m_value(node) {}
    Argument(EllipsisValue value) : m_value(value) {}
    Argument(std::string text) : m_value(std::make_shared<const std::string>(std::move(text))) {}
    Argument(std::string_view text) : Argument(std::string(text)) {}
    Argument(const char* text) : Argument(std::string(text)) {}
    /// Any of the boxed kinds: `Argument(Complex{1, 2})`.
    template<class T>
    requires std::is_constructible_v<Variant, Box<T>> Argument(T value)
        : m_value(std::make_shared<const T>(std::move(value))) {}

    static Argument tuple(std::vector<Argument> items);
    static Argument list(std::vector<Argument> items);
    static Argument dict(std::vector<std::pair<Argument, Argument>> items);
    static Argument slice(Argument start, Argument stop, Argument step);
    static Argument dtype(std::string_view torchName); ///< "torch.float32"

    bool isNone() const { return std::holds_alternative<std::monostate>(m_value); }
    bool isNode() const { return std::holds_alternative<NodeId>(m_value); }
    NodeId node() const { return std::get<NodeId>(m_value); }

    /// The value if it is a T, else null: scalars (`bool`, `std::int64_t`, `double`, `NodeId`), `std::string` and all
    /// boxed kinds.
    template<class T> const T* as() const {
        if constexpr (std::is_constructible_v<Variant, Box<T>> && !std::is_scalar_v<T>) {
            const auto* box = std::get_if<Box<T>>(&m_value);
            return box ? box->get() : nullptr;
        } else {
            return std::get_if<T>(&m_value);
        }
    }
    /// The sequence if it is one of `kind`, else null.
    const Sequence* asTuple() const;
    const Sequence* asList() const;

    const Variant& value() const { return m_value; }
    bool operator==(const Argument& other) const;

private:
    Variant m_value;
};

/// slice(start, stop, step); None for omitted parts.
struct Slice {
    Argument start, stop, step;
};

/// Keyword arguments in order.
using Kwargs = std::vector<std::pair<std::string, Argument>>;

/// Calls `visit` for every node reference inside `argument`, depth first, in order (torch.fx `map_arg`). Iterative.
void forEachNode(const Argument& argument, const std::function<void(NodeId)>& visit);

/// A copy of `argument` with every node reference replaced by `map(node)`; shares unchanged parts.
Argument mapNodes(const Argument& argument, const std::function<Argument(NodeId)>& map);

/// Nesting depth of containers: 0 for a leaf. Readers refuse more than kMaxArgumentDepth.
inline constexpr int kMaxArgumentDepth = 200;

} // namespace fx
