// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ops/parameter_list.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

/// The Python names that code for torch.fx can use: `torch.*`, `torch.nn.functional.*`, `torch.Tensor.*`, `operator.*`,
/// `math.*`, `builtins.*`, ... The table has their names and printed forms, and how torch.fx traces a call of each with
/// proxies. tools/python_functions.py writes the data, core/ops/python_functions.tsv, from PyTorch 2.13.0 and checks it
/// against torch.fx.
///
///     const auto relu = fx::ops::findFunction("torch.nn.functional.relu");
///     relu->behaviour();   // Rewrite
///     relu->parameters();  // input; inplace = False
///     relu->layout();      // input, inplace=inplace
namespace fx::ops {

/// An object that a Python name stands for: a handle, cheap to copy. All texts have static lifetime.
class PythonFunction {
public:
    /// The kind of object.
    enum class Kind {
        CFunction,
        Function,
        Class,
        Method,   ///< a method of torch.Tensor that is written in C
        Property, ///< a property of torch.Tensor
        Operator, ///< a higher-order operator
        Module,
        Constant
    };
    /// The kind of a constant; None for other objects.
    enum class ConstantKind { None, Dtype, Layout, MemoryFormat, QScheme, Number, Text, Bool, NoneType, Ellipsis };
    /// The effect of a call while torch.fx traces.
    enum class Behaviour {
        /// Records call_function target() (usually itself) with exactly the given arguments if one of them is or
        /// contains a proxy; otherwise runs.
        Record,
        /// Records call_function target() with the arguments of layout() if one of relevant() is a proxy. Otherwise
        /// runs its body, which this table does not describe.
        Rewrite,
        /// Calls one of two other functions with the same arguments: branches().
        Select,
        /// Records call_method methodName() if one of relevant() is a proxy, with the arguments of layout(). A method
        /// of torch.Tensor, which has no layout(), records exactly the given arguments.
        Method,
        /// Records exactly the given arguments if one of them is a proxy, because the tracer wraps the function
        /// (math.*).
        Wrap,
        /// Computes with the values: a function of `operator` or `builtins`. outcomes() lists the effect of proxies.
        Plain,
        /// Creates an object: a class.
        Construct,
        /// Runs and is never recorded.
        Run,
        /// Python code that this table does not describe, or an object that is not callable (module, constant,
        /// property).
        Unknown
    };
    /// The arguments that determine size and dtype of the tensor that a factory function creates.
    enum class Factory {
        None,
        Sizes,    ///< sizes as integers or one sequence: zeros, ones, empty, rand, randn
        Full,     ///< full(size, value)
        Arange,   ///< arange([start,] end[, step])
        Range,    ///< range(start, end[, step]), end included
        Steps,    ///< linspace, logspace
        Eye,      ///< eye(n[, m])
        Tensor,   ///< tensor, as_tensor, asarray, scalar_tensor: from a literal
        Like,     ///< zeros_like, ...: from its first argument
        RandInt,  ///< randint([low,] high, size)
        RandPerm, ///< randperm(n)
        Strided,  ///< empty_strided(size, stride)
        Permuted, ///< empty_permuted(size, layout)
        Window,   ///< hann_window(length), ...
        Indices   ///< tril_indices, triu_indices(row, col)
    };

    explicit PythonFunction(std::uint32_t row) : m_row(row) {}

    /// The path that Lancet uses for the object. Two names are the same object if and only if their paths are equal.
    std::string_view path() const;
    Kind kind() const;
    /// The kind of a constant.
    ConstantKind constantKind() const;
    std::string_view name() const;          ///< `__name__`
    std::string_view module() const;        ///< `__module__`; may be empty
    std::string_view qualifiedName() const; ///< torch.fx `_get_qualified_name`: `torch._C._nn.linear`, `getattr`
    std::string_view repr() const;          ///< str() of the object, addresses as 0x0; repr() for constants
    bool isFromTorch() const;               ///< torch.fx `_is_from_torch`

    /// The effect of a call while torch.fx traces.
    Behaviour behaviour() const;
    /// The parameters; empty for C functions, which have no signature.
    std::vector<Parameter> parameters() const;
    /// The names of the parameters of which one must be a proxy itself, not a list that contains one.
    std::vector<std::string_view> relevant() const;
    /// The function that is recorded; usually this one.
    PythonFunction target() const;
    /// The method that Behaviour::Method records.
    std::string_view methodName() const;
    /// The recorded arguments, in terms of the parameters with defaults applied.
    std::vector<CallArgument> layout() const;
    /// The kind of factory function.
    Factory factory() const;

    /// The alternatives of Behaviour::Select: `ifTrue` applies if the argument `name`, at position `index`, is true.
    struct Branches {
        std::string_view name; ///< name of the deciding parameter
        std::size_t index;
        bool defaultValue;                ///< the value of the parameter if the call omits it
        std::string_view ifTrue, ifFalse; ///< paths of the functions to call
    };
    /// The alternatives of Behaviour::Select.
    Branches branches() const;

    /// The effect of passing one list, or nothing, to a function `f(*tensors)`.
    struct Listed {
        std::size_t before = 0;     ///< number of arguments before the list (einsum's equation)
        std::string_view target;    ///< path of the recorded function; empty for an `error` or if unknown
        bool expanded = false;      ///< records the items of the list as arguments instead of the list
        std::string_view error;     ///< name of the exception
        std::string_view ofNothing; ///< result of `f()` as Python text; empty if it is a tensor or an error
    };
    /// The effect for functions of the form `f(*tensors)`; nullopt for others.
    std::optional<Listed> listed() const;

    /// The result of one call of a Behaviour::Plain function, per position of the proxy.
    struct Outcome {
        std::string_view form;     ///< the call: `p, v`; p is a proxy (the same at each position), v and w are integers
        std::string_view recorded; ///< recorded call: `_operator.lt(p, v)`, `.__call__(p, v)`; may be empty
        /// Text of the exception; `control_flow`, `iteration` and `len` abbreviate frequent ones.
        std::string_view error;
    };
    /// The results of Behaviour::Plain.
    std::vector<Outcome> outcomes() const;

    bool operator==(const PythonFunction&) const = default;

private:
    std::string_view cell(std::size_t column) const;
    std::uint32_t m_row;
};

/// Finds an object by any dotted path that leads to it: `torch.relu`, `torch._VF.relu`. O(log n).
std::optional<PythonFunction> findFunction(std::string_view dottedPath);

/// The number of objects.
std::uint32_t functionCount();
/// Returns the object at an index below functionCount(); objects are sorted by path.
inline PythonFunction functionAt(std::uint32_t index) { return PythonFunction(index); }

} // namespace fx::ops
