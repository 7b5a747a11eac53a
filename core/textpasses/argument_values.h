// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/graph.h"
#include "core/python/python_interpreter.h"

#include <functional>
#include <unordered_map>

namespace fx::python {

struct TypeObject;

/// Converts arguments, targets and annotations of graphs to Python values and back. Equal targets and annotations give
/// the same object.
class ArgumentValues {
public:
    explicit ArgumentValues(Interpreter& in) : m_in(in) {} ///< `in` must outlive this object.
    ArgumentValues(const ArgumentValues&) = delete;
    ArgumentValues& operator=(const ArgumentValues&) = delete;

    using NodeValues = std::function<Value(NodeId)>; ///< returns the Python value of a node

    /// Converts a Python value to an argument of `graph`; raises a Python error for unsupported types, and for nodes of
    /// other graphs, which torch.fx's lint finds. Null accepts nodes of any graph.
    Argument toArgument(const Graph* graph, const Value& value, int depth = 0);
    /// Converts each item of a sequence.
    std::vector<Argument> toArguments(const Graph* graph, const Value& sequence);
    /// Converts a dict with string keys.
    Kwargs toKwargs(const Graph* graph, const Value& dict);
    /// Converts an argument to a Python value.
    Value fromArgument(const NodeValues& nodes, const Argument& argument);
    /// Returns positional arguments as a tuple.
    Value fromArguments(const NodeValues& nodes, const std::vector<Argument>& args);
    /// Returns keyword arguments as a dict.
    Value fromKwargs(const NodeValues& nodes, const Kwargs& kwargs);

    /// Returns the target that a Python function denotes.
    CallablePtr callableOf(const Value& function);
    /// Returns the Python function of a target; the inverse of `callableOf`.
    Value functionOf(const CallablePtr& callable);
    /// Returns the annotation that a Python value denotes; null without one.
    TypePtr typeOf(const Value& value);
    /// Returns the Python value of an annotation; the inverse of `typeOf`.
    Value fromType(const TypePtr& type);

private:
    Interpreter& m_in;
    std::unordered_map<CallablePtr, Value> m_functions; ///< Python functions of targets
    std::unordered_map<const TypeExpr*, TypeObject*> m_annotations;
    Class* m_annotation = nullptr; ///< class of annotations; created on first use
};

/// torch.fx `map_aggregate`: replaces all values in tuples, lists, dicts and slices.
Value mapAggregate(Interpreter& in, const Value& value, const std::function<Value(const Value&)>& leaf);

} // namespace fx::python
