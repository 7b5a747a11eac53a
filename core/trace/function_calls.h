// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/trace/tracer.h"

namespace fx::trace {

/// Calls named functions while tracing: selects the calls to record and their form, and computes the others
/// immediately.
class FunctionCalls {
public:
    explicit FunctionCalls(Tracer& tracer) : m_tracer(tracer) {}
    /// Calls a function with values.
    Value call(const FunctionValue& function, Values args, KeywordValues kwargs);

private:
    Value callKnown(const FunctionValue& function, Values args, KeywordValues kwargs);
    Value callUnknown(const FunctionValue& function, Values args, KeywordValues kwargs);
    Value rewrite(const FunctionValue& function, const Values& args, const KeywordValues& kwargs);
    Value runBody(const FunctionValue& function, Values args, KeywordValues kwargs,
                  const std::vector<std::optional<Value>>& bound);
    std::optional<Value> ofList(const FunctionValue& function, const Values& args, const KeywordValues& kwargs);
    Value select(const FunctionValue& function, Values args, KeywordValues kwargs);
    /// Records a call of a function that is not PyTorch's, with a warning.
    Value recordUnknown(const FunctionValue& function, const Values& args, const KeywordValues& kwargs);

    Tracer& m_tracer;
};

/// Returns Python's message for too many positional arguments to a function that takes `least` to `most`.
std::string tooManyArguments(const std::string& function, std::size_t least, std::size_t most, std::size_t given);

/// Computes functions of `operator` and `builtins`, `slice`, `torch.device`, `torch.Size`, pytree helpers and similar
/// immediately; nullopt for other functions.
std::optional<Value> callPlain(Tracer& tracer, const FunctionValue& function, const Values& args,
                               const KeywordValues& kwargs);

/// Computes `torch.fx._pytree.tree_flatten_spec(tree, spec)`: the leaves. Proxies are subscripted where the spec has
/// containers.
Value treeFlattenSpec(Tracer& tracer, const Value& tree, const Value& spec);
/// Computes `torch.utils._pytree.tree_unflatten(leaves, spec)`.
Value treeUnflatten(const Value& leaves, const Value& spec);

/// Evaluates a Python literal, such as the default of a parameter in the table of functions.
Value literal(std::string_view text);

} // namespace fx::trace
