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
struct LazyAttribute;
struct ValueSequence;
struct ValueDict;
struct ValueSlice;
/// A submodule, or the root.
struct ModuleValue {
    const Module* module = nullptr;
};
/// A tensor that is not recorded yet: a buffer, a plain attribute, or a constant computed by the code.
struct TensorValue {
    TensorPtr tensor;
    bool shapeKnown = true;
    /// Python expression: of a tensor of the model, "self.pos", or that code makes, "torch.eye(3)"; null for others.
    std::shared_ptr<const std::string> read = {};
};
/// A function, class or operator by name.
struct FunctionValue {
    std::string path; ///< as referred to in code: "torch.relu"
    CallablePtr callable;
    std::optional<ops::PythonFunction> known; ///< its entry in Lancet's table
    bool wrapped = false;                     ///< torch.fx.wrap was called for it
};
/// A Python module: "torch.nn".
struct NamespaceValue {
    std::string path;
};
struct BoundMethod;
struct Construction;
struct SourceFunction;
struct SourceClass;
struct SuperValue;
struct LazyValues;

/// Any value of an expression while tracing. Cheap to copy; Argument holds scalars and
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

/// `proxy.name`, recorded as getattr only if it is not just called (torch.fx `Attribute`).
struct LazyAttribute {
    Value root; ///< a proxy, or in Mode::AsWritten the module without such a member
    std::string name;
    NodeId node = kNoNode; ///< once recorded
};
/// A tuple or list.
struct ValueSequence {
    bool list = false;
    Values items;
    std::vector<std::string> fields = {}; ///< of a named tuple that PyTorch returned: "values", "indices"
    bool isSize = false;                  ///< a torch.Size
};
/// A dict, with its items in the order of insertion.
struct ValueDict {
    std::vector<std::pair<Value, Value>> items;
};
/// A slice; parts that are left out are None.
struct ValueSlice {
    Value start, stop, step;
};
/// A method of a value that is not a proxy: `buffer.add`, `(1, 2).index`.
struct BoundMethod {
    Value self;
    std::string name;
};
/// An object of an unknown class, constructed in the code, such as a NamedTuple. Becomes a node when used.
struct Construction {
    CallablePtr type;
    Values args;
    std::vector<std::pair<std::string, Value>> kwargs;
};
/// A function or lambda of the source.
struct SourceFunction {
    std::string name;
    std::size_t head = 0;             ///< for a def: its statement
    const py::Expr* lambda = nullptr; ///< of a lambda
    std::span<const py::Parameter> parameters;
    std::vector<std::optional<Value>> defaults;  ///< by parameter
    std::shared_ptr<const LocalNames> closure;   ///< the enclosing names, or null
    std::shared_ptr<const Value> self;           ///< for a bound method
    std::shared_ptr<const SourceFunction> wraps; ///< functools.wraps: the function with its signature; null for itself
    bool isStatic = false;                       ///< @staticmethod: not bound
};
/// A class of the source.
struct SourceClass {
    std::string name;
    std::size_t head = 0;
    Value base; ///< None if it has none
    std::vector<std::pair<std::string, Value>> members;
    /// The member with this name, here or in a base class in the source, or null.
    const Value* find(std::string_view member) const;
};
/// `super()`.
struct SuperValue {
    Value self, base;
};
/// The values of a generator, map, zip or enumerate, produced one by one.
struct LazyValues {
    std::function<std::optional<Value>()> next; ///< nullopt at the end
};
using KeywordValues = std::vector<std::pair<std::string, Value>>;

template<class T> Value box(T value) { return {std::make_shared<const T>(std::move(value))}; }
inline Value none() { return {Argument()}; }
inline Value tupleOf(Values items) { return box(ValueSequence{false, std::move(items)}); }
inline Value listOf(Values items) { return box(ValueSequence{true, std::move(items)}); }

/// A module's attribute or another stored value as a Value; containers are converted.
Value fromArgument(const Argument& argument);

/// `a is b`, for values with a single object in Python: None, True, False, `...`, torch's constants, functions,
/// modules, and proxies.
bool isSameObject(const Value& a, const Value& b);

/// The value as Python text ("torch.zeros(3, 4)"), for values without proxies.
std::string textOf(const Value& value);

/// True if `value`, or one of the arguments, is a proxy or contains one.
bool holdsProxy(const Value& value);
bool anyProxy(const Values& args, const KeywordValues& kwargs);

/// Why the evaluator stopped.
class Stop : public std::runtime_error {
public:
    explicit Stop(Message message) : std::runtime_error(message.text()), m_message(std::move(message)) {}
    const Message& message() const { return m_message; }

private:
    Message m_message;
};
/// An exception that Python itself would raise while tracing; `what` starts with its name, unless `type` tells it.
class PythonError : public Stop {
public:
    using Stop::Stop;
    /// What Python says, where nothing decides by it.
    explicit PythonError(const std::string& text) : Stop(Message("python.raised", {{"text", text}})) {}
    explicit PythonError(const char* text) : PythonError(std::string(text)) {}
    /// What PyTorch raises when it computes: an exception of class `type` that says `text`; `what` is the worker's.
    PythonError(Message message, std::string type, std::string text)
        : Stop(std::move(message)), m_type(std::move(type)), m_text(std::move(text)) {}
    /// Empty: `what` starts with it.
    const std::string& type() const { return m_type; }
    const std::string& text() const { return m_text; }

private:
    std::string m_type, m_text;
};
/// The code does something that can only be determined by running it.
class CannotFollow : public Stop {
    using Stop::Stop;
};

} // namespace fx::trace
