// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/error.h"
#include "core/ir/argument.h"
#include "core/ir/callable.h"

#include <ATen/core/Tensor.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace fx {
struct Module;
}

namespace fx::engine {

class Value;
struct ScriptObject;
using Values = std::vector<Value>;

/// A tuple, list, torch.Size, or result with named fields (`torch.return_types.max`, a NamedTuple).
struct Items {
    enum class Kind : std::uint8_t { Tuple, List, Size, Named };
    Kind kind = Kind::Tuple;
    Values items;
    std::vector<std::string> fields; ///< Named only
    std::string typeName;            ///< Named only: "torch.return_types.max"
};
struct Mapping;
struct SliceOf;

/// A Python value during a run. Containers are shared, as in Python: a change to a list is visible through all
/// references. The accessors return null or nullopt for values of another type.
class Value {
public:
    using Variant =
        std::variant<std::monostate, EllipsisValue, bool, std::int64_t, double, at::Tensor, at::ScalarType, at::Layout,
                     at::MemoryFormat, at::Device, std::shared_ptr<const std::string>, std::shared_ptr<Items>,
                     std::shared_ptr<Mapping>, std::shared_ptr<const SliceOf>, std::shared_ptr<const Module>,
                     std::shared_ptr<const Argument>, std::shared_ptr<const ScriptObject>>;
    Value() = default; ///< None
    Value(bool value) : m_is(value) {}
    Value(std::int64_t value) : m_is(value) {}
    Value(int value) : m_is(std::int64_t{value}) {}
    Value(double value) : m_is(value) {}
    Value(at::Tensor value) : m_is(std::move(value)) {}
    Value(at::ScalarType value) : m_is(value) {}
    Value(at::Layout value) : m_is(value) {}
    Value(at::MemoryFormat value) : m_is(value) {}
    Value(at::Device value) : m_is(value) {}
    Value(EllipsisValue value) : m_is(value) {}
    Value(std::string text) : m_is(std::make_shared<const std::string>(std::move(text))) {}
    Value(const char* text) : Value(std::string(text)) {}
    Value(std::shared_ptr<Items> items) : m_is(std::move(items)) {}
    Value(std::shared_ptr<Mapping> mapping) : m_is(std::move(mapping)) {}
    Value(std::shared_ptr<const SliceOf> slice) : m_is(std::move(slice)) {}
    Value(std::shared_ptr<const Module> module) : m_is(std::move(module)) {}
    Value(std::shared_ptr<const ScriptObject> object) : m_is(std::move(object)) {}
    /// Wraps any other constant: complex numbers, big integers, bytes, ranges, enumerations, functions, opaque
    /// objects.
    static Value constant(Argument argument);
    static Value tuple(Values items) { return sequence(Items::Kind::Tuple, std::move(items)); }
    static Value list(Values items) { return sequence(Items::Kind::List, std::move(items)); }
    /// Returns a torch.Size.
    static Value size(at::IntArrayRef sizes);
    /// Returns a sequence of this kind.
    static Value sequence(Items::Kind kind, Values items);

    bool isNone() const { return std::holds_alternative<std::monostate>(m_is); }
    bool isTensor() const { return std::holds_alternative<at::Tensor>(m_is); }
    /// The tensor; throws std::bad_variant_access for other values.
    const at::Tensor& tensor() const { return std::get<at::Tensor>(m_is); }
    /// Returns the value if it is a T, else null.
    template<class T> const T* as() const { return std::get_if<T>(&m_is); }
    /// The tuple, list, torch.Size or named result.
    Items* items() const {
        const auto* box = std::get_if<std::shared_ptr<Items>>(&m_is);
        return box ? box->get() : nullptr;
    }
    /// The dict.
    Mapping* mapping() const {
        const auto* box = std::get_if<std::shared_ptr<Mapping>>(&m_is);
        return box ? box->get() : nullptr;
    }
    /// The slice.
    const SliceOf* slice() const {
        const auto* box = std::get_if<std::shared_ptr<const SliceOf>>(&m_is);
        return box ? box->get() : nullptr;
    }
    /// The string.
    const std::string* text() const {
        const auto* box = std::get_if<std::shared_ptr<const std::string>>(&m_is);
        return box ? box->get() : nullptr;
    }
    /// The module.
    const Module* module() const {
        const auto* box = std::get_if<std::shared_ptr<const Module>>(&m_is);
        return box ? box->get() : nullptr;
    }
    /// A constant from `constant(Argument)`.
    const Argument* constant() const {
        const auto* box = std::get_if<std::shared_ptr<const Argument>>(&m_is);
        return box ? box->get() : nullptr;
    }
    /// An object of a LibTorch class, such as packed weights.
    const ScriptObject* scriptObject() const {
        const auto* box = std::get_if<std::shared_ptr<const ScriptObject>>(&m_is);
        return box ? box->get() : nullptr;
    }
    /// The function, class or operator.
    const Callable* callable() const;
    /// An int that fits 64 bits, or a bool.
    std::optional<std::int64_t> integer() const;
    /// As `integer`; throws Python's OverflowError for a wider int and its TypeError for other values.
    std::int64_t needInteger() const;
    /// An int that does not fit 64 bits.
    const BigInt* wideInteger() const;
    /// An int, bool or float.
    std::optional<double> real() const;
    /// The variant, for visitors.
    const Variant& variant() const { return m_is; }

private:
    Variant m_is;
};

/// A Python dict, in insertion order.
struct Mapping {
    std::vector<std::pair<Value, Value>> items;
    std::string typeName = {}; ///< name of a subclass: "collections.OrderedDict"
};
/// A Python slice.
struct SliceOf {
    Value start, stop, step; ///< None if omitted
};

/// The arguments of a call.
struct Arguments {
    Values positional;
    std::vector<std::pair<std::string, Value>> named;

    /// Returns a keyword argument, or null.
    const Value* find(std::string_view name) const;
    /// Removes and returns a keyword argument; nullopt if it is not given.
    std::optional<Value> take(std::string_view name);
    /// Returns the argument at `index`, else the one named `name`, else null.
    const Value* at(std::size_t index, std::string_view name) const;
};

/// Converts a constant to a value; `node` returns the values of nodes in it.
Value toValue(const Argument& argument, const std::function<Value(NodeId)>& node);
/// Converts a value without tensors to an argument; nullopt if it contains a tensor.
std::optional<Argument> toArgument(const Value& value);
/// Returns the Python type of a value: "Tensor", "int", "tuple of (Tensor, int)".
std::string typeText(const Value& value);
/// Returns the types of the arguments of a call.
std::string typeText(const Arguments& arguments);

/// Returns an unsigned 64-bit number; nullopt if the int is negative or wider.
std::optional<std::uint64_t> unsignedOf(const BigInt& wide);

/// Returns an error of the model's run; a caller that knows the node adds it.
inline fx::Error runError(const Message& what) { return fx::Error(ErrorKind::Run, what); }
/// Returns the exception that Python or PyTorch would raise, with its text ("TypeError: ...") and the class as
/// "exception".
inline fx::Error raised(const std::string& text) {
    return runError(Message("engine.raised", {{"text", text}, {"exception", text.substr(0, text.find(':'))}}));
}

/// Returns the dtype with a name such as "torch.float32", or nullopt.
std::optional<at::ScalarType> scalarType(std::string_view torchName);
std::string_view scalarTypeName(at::ScalarType type); ///< "torch.float32"

} // namespace fx::engine
