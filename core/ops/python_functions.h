// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/ops/parameter_list.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

/// What Lancet knows of the Python names that code for torch.fx can use: `torch.*`, `torch.nn.functional.*`,
/// `torch.Tensor.*`, `operator.*`, `math.*`, `builtins.*`, ... How each is named and printed, and how a call of it with
/// proxies behaves while torch.fx traces. The data is core/ops/python_functions.tsv, written by
/// tools/python_functions.py from PyTorch 2.13.0 and checked there against torch.fx itself.
///
///     const auto relu = fx::ops::findFunction("torch.nn.functional.relu");
///     relu->behaviour();   // Rewrite
///     relu->parameters();  // input; inplace = False
///     relu->layout();      // input, inplace=inplace
namespace fx::ops {

/// A name's meaning; a handle, cheap to copy. Every text lives as long as the program.
class PythonFunction {
public:
    enum class Kind {
        CFunction,
        Function,
        Class,
        Method,   ///< a method of torch.Tensor that is written in C
        Property, ///< of torch.Tensor
        Operator, ///< a higher-order operator
        Module,
        Constant
    };
    enum class ConstantKind { None, Dtype, Layout, MemoryFormat, QScheme, Number, Text, Bool, NoneType, Ellipsis };
    /// What a call does while torch.fx traces.
    enum class Behaviour {
        /// call_function target() (mostly itself) with exactly the arguments given, if one of them is or holds a proxy;
        /// else it is run.
        Record,
        /// If one of relevant() is a proxy: call_function target() with the arguments laid out as in layout(). Else its
        /// body is run, which this table does not describe.
        Rewrite,
        /// One of two other functions is called with the same arguments: branches().
        Select,
        /// If one of relevant() is a proxy: call_method methodName(). With a layout() the arguments are laid out so; a
        /// method of torch.Tensor records exactly the arguments given.
        Method,
        /// Recorded with exactly the arguments given, if one of them is a proxy, since the tracer wraps it (math.*).
        Wrap,
        /// A function of `operator` or `builtins`: it acts on the values; outcomes() tells what becomes of proxies.
        Plain,
        /// A class: a call makes an object.
        Construct,
        /// Run as it is, never recorded.
        Run,
        /// Python code that this table does not describe; not a function at all for modules, constants, properties.
        Unknown
    };
    /// What gives size and dtype of a tensor that a factory function makes.
    enum class Factory {
        None,
        Sizes,    ///< sizes as integers or one sequence: zeros, ones, empty, rand, randn
        Full,     ///< full(size, value)
        Arange,   ///< arange([start,] end[, step])
        Range,    ///< range(start, end[, step]), end included
        Steps,    ///< linspace, logspace
        Eye,      ///< eye(n[, m])
        Tensor,   ///< tensor, as_tensor, asarray, scalar_tensor: from a literal
        Like,     ///< zeros_like, ...: as its first argument
        RandInt,  ///< randint([low,] high, size)
        RandPerm, ///< randperm(n)
        Strided,  ///< empty_strided(size, stride)
        Permuted, ///< empty_permuted(size, layout)
        Window,   ///< hann_window(length), ...
        Indices   ///< tril_indices, triu_indices(row, col)
    };

    explicit PythonFunction(std::uint32_t row) : m_row(row) {}

    /// The path by which Lancet calls it, one of those that lead to it. Two names are the same object if and only if
    /// their paths are equal.
    std::string_view path() const;
    Kind kind() const;
    ConstantKind constantKind() const;
    std::string_view name() const;          ///< `__name__`
    std::string_view module() const;        ///< `__module__`; empty when there is none
    std::string_view qualifiedName() const; ///< torch.fx `_get_qualified_name`: `torch._C._nn.linear`, `getattr`
    std::string_view repr() const;          ///< str() of the object, addresses as 0x0; a constant's repr()
    bool isFromTorch() const;               ///< torch.fx `_is_from_torch`

    Behaviour behaviour() const;
    /// Empty for C functions, which have no signature.
    std::vector<Parameter> parameters() const;
    /// Names of the parameters of which one must be a proxy itself (not a list that holds one).
    std::vector<std::string_view> relevant() const;
    /// The function that is recorded; mostly this one.
    PythonFunction target() const;
    std::string_view methodName() const;
    /// The arguments that are recorded, in terms of the parameters with their defaults applied.
    std::vector<CallArgument> layout() const;
    Factory factory() const;

    /// Behaviour::Select: `ifTrue` when the argument `name`, which stands at place `index`, is true.
    struct Branches {
        std::string_view name;
        std::size_t index;
        bool defaultValue;
        std::string_view ifTrue, ifFalse; ///< paths
    };
    Branches branches() const;

    /// `f(*tensors)` that is given one list or nothing instead of tensors.
    struct Listed {
        std::size_t before = 0;     ///< arguments before the list (einsum's equation)
        std::string_view target;    ///< path of what is recorded; empty: `error`, or not known
        bool expanded = false;      ///< the list's items are recorded as arguments; else the list
        std::string_view error;     ///< the exception's name
        std::string_view ofNothing; ///< what `f()` gives, as Python text; empty when that is a tensor or an error
    };
    /// nullopt for functions that are not of that form.
    std::optional<Listed> listed() const;

    /// Behaviour::Plain: what became of a call, for each place of a proxy that was tried.
    struct Outcome {
        std::string_view form;     ///< `p, v`: p a proxy (the same at each place), v and w integers
        std::string_view recorded; ///< `_operator.lt(p, v)`, `.__call__(p, v)`; empty when nothing
        /// Text of the exception; the frequent ones are `control_flow`, `iteration` and `len`.
        std::string_view error;
    };
    std::vector<Outcome> outcomes() const;

    bool operator==(const PythonFunction&) const = default;

private:
    std::string_view cell(std::size_t column) const;
    std::uint32_t m_row;
};

/// What a dotted path leads to, by any of the paths that do: `torch.relu`, `torch._VF.relu`. O(log n).
std::optional<PythonFunction> findFunction(std::string_view dottedPath);

/// How many objects there are, and each of them, in the order of their paths.
std::uint32_t functionCount();
inline PythonFunction functionAt(std::uint32_t index) { return PythonFunction(index); }

} // namespace fx::ops
