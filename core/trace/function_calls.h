// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/trace/tracer.h"

namespace fx::trace {

/// Calls of named functions while tracing: decides what is recorded, in which form, and what is computed immediately.
class FunctionCalls {
public:
    explicit FunctionCalls(Tracer& tracer) : m_tracer(tracer) {}
    Value call(const FunctionValue& function, Values args, KeywordValues kwargs);

private:
    Value callKnown(const FunctionValue& function, Values args, KeywordValues kwargs);
    Value callUnknown(const FunctionValue& function, Values args, KeywordValues kwargs);
    Value rewrite(const FunctionValue& function, const Values& args, const KeywordValues& kwargs);
    std::optional<Value> ofList(const FunctionValue& function, const Values& args, const KeywordValues& kwargs);
    Value select(const FunctionValue& function, Values args, KeywordValues kwargs);

    Tracer& m_tracer;
};

/// Python's message for a call with too many positional arguments, of which it takes from `least` to `most`.
std::string tooManyArguments(const std::string& function, std::size_t least, std::size_t most, std::size_t given);

/// Functions of `operator` and `builtins`, `slice`, `torch.device`, `torch.Size`, pytree helpers and similar: called on
/// values immediately. nullopt if `path` is none of them.
std::optional<Value> callPlain(Tracer& tracer, const FunctionValue& function, const Values& args,
                               const KeywordValues& kwargs);

/// `torch.fx._pytree.tree_flatten_spec(tree, spec)`: the leaves, items taken from proxies where the spec says so.
Value treeFlattenSpec(Tracer& tracer, const Value& tree, const Value& spec);
/// `torch.utils._pytree.tree_unflatten(leaves, spec)`.
Value treeUnflatten(const Value& leaves, const Value& spec);

/// A Python literal given as text: a parameter's default in the table of functions.
Value literal(std::string_view text);

} // namespace fx::trace
