// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/message.h"
#include "core/module/module.h"
#include "core/ops/python_functions.h"
#include "core/pysrc/syntax.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace fx::trace {

class LocalNames;
struct Value;
using Values = std::vector<Value>;

/// The result of a recorded node.
struct Proxy {
    NodeId node = kNoNode;
};
/// `proxy.name`, recorded as getattr only when it is used other than by being called (torch.fx `Attribute`).
struct LazyAttribute;
/// tuple or list.
struct ValueSequence;
struct ValueDict;
struct ValueSlice;
/// A submodule, or the root.
struct ModuleValue {
    const Module* module = nullptr;
};
/// A tensor that is not recorded yet: a buffer, a plain attribute, or a constant that the code would compute.
struct TensorValue {
    TensorPtr tensor;
    bool shapeKnown = true;
    std::shared_ptr<const std::string> read =
        {}; ///< how Python reads one of the model's: "self.pos"; null: another, or not known
};
/// A function, class or operator by name.
struct FunctionValue {
    std::string path; ///< as the code can reach it: "torch.relu"
    CallablePtr callable;
    std::optional<ops::PythonFunction> known; ///< what Lancet's table says of it
    bool wrapped = false;                     ///< torch.fx.wrap was called for it
};
/// A Python module: "torch.nn".
struct NamespaceValue {
    std::string path;
};
/// A method of something that is not a proxy: `buffer.add`, `(1, 2).index`.
struct BoundMethod;
/// An object of a class that Lancet does not know, made in the code: a NamedTuple or the like. Becomes a node when
/// used.
struct Construction;

/// A function or lambda of the source that is followed, and a class of it.
struct SourceFunction;
struct SourceClass;
/// `super()`.
struct SuperValue;
/// What a generator, map, zip or enumerate gives, drawn one by one.
struct LazyValues;

/// Anything that an expression can evaluate to while code is traced. Cheap to copy; Argument holds scalars and
/// constants only, containers are always ValueSequence, ValueDict and ValueSlice.
struct Value {
    template<class T> using Box = std::shared_ptr<const T>;
    std::variant<Argument, Proxy, std::shared_ptr<LazyAttribute>, Box<ValueSequence>, Box<ValueDict>, Box<ValueSlice>,
                 ModuleValue, TensorValue, Box<FunctionValue>, Box<NamespaceValue>, Box<BoundMethod>, Box<Construction>,
                 Box<SourceFunction>, Box<SourceClass>, Box<SuperValue>, Box<LazyValues>>
        is;

    template<class T> const T* as() const {
        if constexpr (std::is_same_v<T, Argument> || std::is_same_v<T, Proxy> || std::is_same_v<T, ModuleValue> ||
                      std::is_same_v<T, TensorValue>) {
            return std::get_if<T>(&is);
        } else {
            const auto* box = std::get_if<Box<T>>(&is);
            return box ? box->get() : nullptr;
        }
    }
    const std::shared_ptr<LazyAttribute>* asLazy() const { return std::get_if<std::shared_ptr<LazyAttribute>>(&is); }
    bool isProxy() const { return std::holds_alternative<Proxy>(is) || asLazy(); }
    bool isNone() const {
        const auto* argument = as<Argument>();
        return argument && argument->isNone();
    }
};

struct LazyAttribute {
    Value root; ///< a proxy; or, as written, the module that has no such member
    std::string name;
    NodeId node = kNoNode; ///< once recorded
};
struct ValueSequence {
    bool list = false;
    Values items;
};
struct ValueDict {
    std::vector<std::pair<Value, Value>> items;
};
struct ValueSlice {
    Value start, stop, step;
};
struct BoundMethod {
    Value self;
    std::string name;
};
struct Construction {
    CallablePtr type;
    Values args;
    std::vector<std::pair<std::string, Value>> kwargs;
};
struct SourceFunction {
    std::string name;
    std::size_t head = 0;             ///< of a def: its statement
    const py::Expr* lambda = nullptr; ///< of a lambda
    std::span<const py::Parameter> parameters;
    std::vector<std::optional<Value>> defaults; ///< by parameter
    std::shared_ptr<const LocalNames> closure;  ///< the names around it; null: none
    std::shared_ptr<const Value> self;          ///< of a method that is bound
    std::shared_ptr<const SourceFunction>
        wraps;             ///< functools.wraps: the function that stands for its signature; null: itself
    bool isStatic = false; ///< @staticmethod: is not bound
};
struct SourceClass {
    std::string name;
    std::size_t head = 0;
    Value base; ///< None when it has none
    std::vector<std::pair<std::string, Value>> members;
    /// The member of that name here or in a base of the source; null: none.
    const Value* find(std::string_view member) const;
};
struct SuperValue {
    Value self, base;
};
struct LazyValues {
    std::function<std::optional<Value>()> next; ///< nullopt: no more
};
using KeywordValues = std::vector<std::pair<std::string, Value>>;

template<class T> Value box(T value) { return {std::make_shared<const T>(std::move(value))}; }
inline Value none() { return {Argument()}; }
inline Value tupleOf(Values items) { return box(ValueSequence{false, std::move(items)}); }
inline Value listOf(Values items) { return box(ValueSequence{true, std::move(items)}); }

/// A module's attribute or another stored value as a Value; containers are taken apart.
Value fromArgument(const Argument& argument);

/// `a is b`, for the values of which Python has one object: None, True, False, `...`, torch's constants, functions,
/// modules, and proxies.
bool isSameObject(const Value& a, const Value& b);

/// The value as Python text ("torch.zeros(3, 4)"), for values without proxies.
std::string textOf(const Value& value);

/// True if `value` is a proxy or holds one.
bool holdsProxy(const Value& value);

/// Why the evaluator stopped.
class Stop : public std::runtime_error {
public:
    explicit Stop(Message message) : std::runtime_error(message.text()), m_message(std::move(message)) {}
    const Message& message() const { return m_message; }

private:
    Message m_message;
};
/// Python itself would raise this while it traces; `what` starts with the exception's name.
class PythonError : public Stop {
public:
    using Stop::Stop;
    /// What Python says, where nothing decides by it.
    explicit PythonError(const std::string& text) : Stop(Message("python.raised", {{"text", text}})) {}
    explicit PythonError(const char* text) : PythonError(std::string(text)) {}
};
/// The code does something that can only be known by running it.
class CannotFollow : public Stop {
    using Stop::Stop;
};

} // namespace fx::trace
