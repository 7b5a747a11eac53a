// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/base/file_object.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace fx {

/// Identifies a node in its Graph: stable across edits, never reused, dense from 0.
enum class NodeId : std::uint32_t {};
/// Stands for "no node".
inline constexpr NodeId kNoNode = static_cast<NodeId>(0xFFFFFFFFu);
/// The id as an array index.
constexpr std::uint32_t index(NodeId id) { return static_cast<std::uint32_t>(id); }

class Argument;
struct Callable;

/// The value `...`.
struct EllipsisValue {
    bool operator==(const EllipsisValue&) const = default;
};
/// An int outside of 64 bits: decimal digits with sign.
struct BigInt {
    std::string digits; ///< decimal, with `-` for negative numbers
};
/// A Python complex.
struct Complex {
    double re = 0, im = 0;
};
/// A Python `bytes`.
struct Bytes {
    std::string data; ///< raw bytes, not text
};
/// A tuple, list or NamedTuple.
struct Sequence {
    enum class Kind : std::uint8_t { Tuple, List, NamedTuple };
    Kind kind = Kind::Tuple;
    std::vector<Argument> items;
    std::shared_ptr<const Callable> type; ///< the class, for NamedTuple only
};
/// A dict in insertion order; keys may be any literal.
struct Dict {
    std::vector<std::pair<Argument, Argument>> items;
};
/// A slice(start, stop, step).
struct Slice;
/// A range(start, stop, step) of plain integers.
struct Range {
    std::int64_t start = 0, stop = 0, step = 1;
};
/// A torch.device.
struct Device {
    std::string type; ///< "cpu", "cuda"
    int index = -1;   ///< -1 if the device has no index
};
/// A constant object of torch that prints its dotted name: dtype, layout, memory_format, qscheme.
struct TorchConstant {
    enum class Kind : std::uint8_t { Dtype, Layout, MemoryFormat, QScheme };
    Kind kind = Kind::Dtype;
    std::string name; ///< as Python prints it: "torch.float32", "torch.channels_last"
};
/// A symbolic size, boolean or float, as the expression that Python prints (`s77`, `2*s0 + 1`).
struct Symbolic {
    std::string expression;
};
/// A member of a Python Enum.
struct EnumMember {
    std::shared_ptr<const Callable> type; ///< the class of the enum
    std::string member;                   ///< "RED"
    std::string repr;                     ///< `<Color.RED: 1>`, the result of repr()
    std::string str;                      ///< the result of str() unless it is "Color.RED": `1` for an IntEnum
};
/// A function, class or operator used as a value.
struct CallableValue {
    std::shared_ptr<const Callable> callable;
};
/// Any other Python object. It is kept by its qualified type name and its printed form, and never resolved.
struct OpaqueObject {
    std::string typeName; ///< "mypkg.Config"
    std::string repr;     ///< shown as str() and repr()
    /// The pickled object that it was read from.
    FileObject origin;
};

/// A value in a node's args or kwargs, in a module's settings or in metadata: torch.fx's `Argument`.
///
/// Immutable. Copies share containers and strings, so copying is cheap. Equality is deep and distinguishes kinds: 1,
/// 1.0 and True differ, and nan equals nan.
class Argument {
public:
    template<class T> using Box = std::shared_ptr<const T>; ///< holds strings and containers, which copies share
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
    /// Takes any of the boxed kinds: `Argument(Complex{1, 2})`.
    template<class T>
    requires std::is_constructible_v<Variant, Box<T>> Argument(T value)
        : m_value(std::make_shared<const T>(std::move(value))) {}

    /// Creates a tuple.
    static Argument tuple(std::vector<Argument> items);
    /// Creates a list.
    static Argument list(std::vector<Argument> items);
    /// Creates a dict.
    static Argument dict(std::vector<std::pair<Argument, Argument>> items);
    /// Creates a slice; None stands for an omitted part.
    static Argument slice(Argument start, Argument stop, Argument step);
    static Argument dtype(std::string_view torchName); ///< takes "torch.float32"

    bool isNone() const { return std::holds_alternative<std::monostate>(m_value); } ///< true for None
    bool isNode() const { return std::holds_alternative<NodeId>(m_value); }         ///< true for a reference to a node
    /// The node; the argument must be one.
    NodeId node() const { return std::get<NodeId>(m_value); }

    /// Returns the value if it is a T, else null. T is a scalar (`bool`, `std::int64_t`, `double`, `NodeId`),
    /// `std::string` or a boxed kind.
    template<class T> const T* as() const {
        if constexpr (std::is_constructible_v<Variant, Box<T>> && !std::is_scalar_v<T>) {
            const auto* box = std::get_if<Box<T>>(&m_value);
            return box ? box->get() : nullptr;
        } else {
            return std::get_if<T>(&m_value);
        }
    }
    /// Returns an int or a float as a double; nullopt for other kinds, also for a bool.
    std::optional<double> number() const {
        if (const auto* integer = as<std::int64_t>()) return static_cast<double>(*integer);
        const auto* real = as<double>();
        return real ? std::optional(*real) : std::nullopt;
    }
    /// Returns the sequence if it is a tuple or NamedTuple, else null.
    const Sequence* asTuple() const;
    /// Returns the sequence if it is a list, else null.
    const Sequence* asList() const;

    /// The value, for std::visit.
    const Variant& value() const { return m_value; }
    bool operator==(const Argument& other) const;

private:
    Variant m_value;
};

/// A slice(start, stop, step); None stands for an omitted part.
struct Slice {
    Argument start, stop, step;
};

/// Keyword arguments in order.
using Kwargs = std::vector<std::pair<std::string, Argument>>;

/// Calls `visit` for every node reference inside `argument`, depth first, in order (torch.fx `map_arg`). Iterative.
void forEachNode(const Argument& argument, const std::function<void(NodeId)>& visit);
/// Returns true if an argument is a node, or contains one.
bool holdsNode(const Argument& argument);

/// Returns a copy of `argument` with every node reference replaced by `map(node)`. Unchanged parts are shared.
Argument mapNodes(const Argument& argument, const std::function<Argument(NodeId)>& map);
/// Returns the same of all arguments.
std::vector<Argument> mapNodes(const std::vector<Argument>& arguments, const std::function<Argument(NodeId)>& map);
Kwargs mapNodes(const Kwargs& arguments, const std::function<Argument(NodeId)>& map);

/// The greatest nesting depth of containers that readers accept; a leaf has depth 0.
inline constexpr int kMaxArgumentDepth = 200;

} // namespace fx
