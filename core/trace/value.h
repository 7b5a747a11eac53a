// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/message.h"
#include "core/module/module.h"
#include "core/ops/python_functions.h"

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace fx::trace {

struct Value;
using Values = std::vector<Value>;

/// The result of a recorded node.
struct Proxy {
    NodeId node = kNoNode; ///< the recorded node
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
    bool shapeKnown = true; ///< the sizes of `tensor` are valid
    /// The Python expression that reads a tensor of the model, "self.pos", or creates one, "torch.eye(3)"; else null.
    std::shared_ptr<const std::string> read = {};
    /// For `tensor.data`, the object that Python has: it has the bytes of `tensor`, and its own flags. Else null.
    TensorPtr data = {};
    /// The object whose flags Python sees: whether it is a parameter and requires gradients.
    const TensorRef& object() const { return data ? *data : *tensor; }
};
/// Returns `tensor.data`: neither a parameter nor with gradients.
TensorValue dataOf(const TensorValue& value);
/// Returns the object that Python has: `tensor`, or `data` after giving it the present bytes of `tensor`.
TensorPtr objectOf(const TensorValue& value);
/// A function, class or operator by name.
struct FunctionValue {
    std::string path; ///< the name used in the code: "torch.relu"
    CallablePtr callable;
    std::optional<ops::PythonFunction> known; ///< its entry in Lancet's table
    bool wrapped = false;                     ///< torch.fx.wrap was called for it
};
/// A Python module: "torch.nn".
struct NamespaceValue {
    std::string path; ///< dotted name
};
struct BoundMethod;
struct Construction;
struct LazyValues;

/// A value of an expression while tracing. Cheap to copy. Argument holds only scalars and constants; containers are
/// always ValueSequence, ValueDict and ValueSlice.
struct Value {
    template<class T> using Box = std::shared_ptr<const T>; ///< values share containers
    std::variant<Argument, Proxy, std::shared_ptr<LazyAttribute>, Box<ValueSequence>, Box<ValueDict>, Box<ValueSlice>,
                 ModuleValue, TensorValue, Box<FunctionValue>, Box<NamespaceValue>, Box<BoundMethod>, Box<Construction>,
                 Box<LazyValues>>
        is;

    /// Returns the value if it is a T, else null.
    template<class T> const T* as() const {
        if constexpr (std::is_same_v<T, Argument> || std::is_same_v<T, Proxy> || std::is_same_v<T, ModuleValue> ||
                      std::is_same_v<T, TensorValue>) {
            return std::get_if<T>(&is);
        } else {
            const auto* box = std::get_if<Box<T>>(&is);
            return box ? box->get() : nullptr;
        }
    }
    /// Returns the attribute of a proxy, else null.
    const std::shared_ptr<LazyAttribute>* asLazy() const { return std::get_if<std::shared_ptr<LazyAttribute>>(&is); }
    bool isProxy() const { return std::holds_alternative<Proxy>(is) || asLazy(); } ///< a node or an attribute of one
    bool isNone() const {
        const auto* argument = as<Argument>();
        return argument && argument->isNone();
    }
};

/// The result of `proxy.name`, recorded as getattr unless it is only called (torch.fx `Attribute`).
struct LazyAttribute {
    ~LazyAttribute();
    Value root;            ///< a proxy, or in Mode::AsWritten the module without such a member
    std::string name;      ///< name of the attribute
    NodeId node = kNoNode; ///< set once recorded
};
/// A tuple or list.
struct ValueSequence {
    bool list = false; ///< a list, not a tuple
    Values items;
    std::vector<std::string> fields = {}; ///< field names of a named tuple that PyTorch returned: "values", "indices"
    bool isSize = false;                  ///< a torch.Size
};
/// A dict in insertion order.
struct ValueDict {
    std::vector<std::pair<Value, Value>> items;
};
/// A slice; None stands for an omitted part.
struct ValueSlice {
    Value start, stop, step;
};
/// A method of a value that is not a proxy: `buffer.add`, `(1, 2).index`.
struct BoundMethod {
    Value self;
    std::string name;
};
/// An object of an unknown class that the code constructs, such as a NamedTuple. It becomes a node when used.
struct Construction {
    CallablePtr type;
    Values args;
    std::vector<std::pair<std::string, Value>> kwargs;
};
/// The values of a generator, produced on demand.
struct LazyValues {
    std::function<std::optional<Value>()> next; ///< nullopt at the end
};
/// Keyword arguments in order.
using KeywordValues = std::vector<std::pair<std::string, Value>>;

namespace detail {
/// Destroys values that contain others without recursion, however deep they are.
void letGo(Values& values);
void letGoParts(ValueSequence& value);
void letGoParts(ValueDict& value);
void letGoParts(BoundMethod& value);
void letGoParts(Construction& value);
template<class T> void letGoParts(T&) {}
template<class T> struct Boxed : T {
    explicit Boxed(T value) : T(std::move(value)) {}
    ~Boxed() { letGoParts(static_cast<T&>(*this)); }
};
} // namespace detail

/// Wraps a boxed kind as a Value.
template<class T> Value box(T value) {
    return {std::shared_ptr<const T>(std::make_shared<const detail::Boxed<T>>(std::move(value)))};
}
/// Returns None.
inline Value none() { return {Argument()}; }
/// Returns a tuple.
inline Value tupleOf(Values items) { return box(ValueSequence{false, std::move(items)}); }
/// Returns a list.
inline Value listOf(Values items) { return box(ValueSequence{true, std::move(items)}); }

/// Converts an attribute of a module or another stored value, including containers.
Value fromArgument(const Argument& argument);

/// Evaluates `a is b` for values that are single objects in Python: None, True, False, `...`, torch's constants,
/// functions, modules, and proxies.
bool isSameObject(const Value& a, const Value& b);

/// Returns a value without proxies as Python text ("torch.zeros(3, 4)").
std::string textOf(const Value& value);

/// Returns true if `value` is or contains a proxy.
bool holdsProxy(const Value& value);
/// Returns true if an argument is or contains a proxy.
bool anyProxy(const Values& args, const KeywordValues& kwargs);

/// Thrown when the evaluator stops; the base of PythonError and CannotFollow.
class Stop : public std::runtime_error {
public:
    explicit Stop(Message message) : std::runtime_error(message.text()), m_message(std::move(message)) {}
    /// The reason.
    const Message& message() const { return m_message; }

private:
    Message m_message;
};
/// An exception that Python itself raises while tracing. `what` starts with the name of its class, unless `type` is
/// set.
class PythonError : public Stop {
public:
    using Stop::Stop;
    /// Takes Python's text, for exceptions that no code distinguishes.
    explicit PythonError(const std::string& text) : Stop(Message("python.raised", {{"text", text}})) {}
    explicit PythonError(const char* text) : PythonError(std::string(text)) {}
    /// Takes an exception that PyTorch raises while computing: class `type` with the message `text`. `message` is the
    /// worker's.
    PythonError(Message message, std::string type, std::string text)
        : Stop(std::move(message)), m_type(std::move(type)), m_text(std::move(text)) {}
    /// The class of the exception; empty if `what` starts with it.
    const std::string& type() const { return m_type; }
    /// The message of the exception, if `type` is set.
    const std::string& text() const { return m_text; }

private:
    std::string m_type, m_text;
};
/// Thrown for code whose effect is only known at run time.
class CannotFollow : public Stop {
    using Stop::Stop;
};

} // namespace fx::trace
