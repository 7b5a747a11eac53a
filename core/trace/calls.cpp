// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/one_of.h"
#include "core/ops/python_operators.h"
#include "core/trace/callables.h"
#include "core/trace/constants/constant_tensors.h"
#include "core/trace/function_calls.h"

#include <algorithm>

namespace fx::trace {
/// Operators that torch.fx does not record when it traces: they run what they are given, or refuse proxies.
std::optional<Value> Tracer::higherOrderCall(const Callable& callable, const Values& args,
                                             const KeywordValues& kwargs) {
    struct Runs {
        std::string_view name;
        std::size_t function; ///< place of what it calls with the arguments behind it
    };
    constexpr Runs kRuns[] = {{"wrap", 0}, {"wrap_with_set_grad_enabled", 1}, {"wrap_with_autocast", 4}};
    for (const auto& [name, function] : kRuns)
        if (callable.name == name && function < args.size())
            return call(args[function], {args.begin() + static_cast<std::ptrdiff_t>(function) + 1, args.end()}, kwargs);
    for (const std::string_view name : {"cond", "while_loop", "invoke_subgraph"})
        if (callable.name == name && anyProxy(args, kwargs))
            throw PythonError(Message("python.higher_order_operands", {{"name", name}}));
    return std::nullopt;
}

/// The scans make the list of their last operand a tuple before torch.fx sees them.
static void makeTuple(const Callable& callable, Values& args) {
    const std::size_t place = callable.name == "scan" ? 3 : callable.name == "associative_scan" ? 2 : args.size();
    const auto* sequence = place < args.size() ? args[place].as<ValueSequence>() : nullptr;
    if (sequence && std::any_of(sequence->items.begin(), sequence->items.end(), holdsProxy))
        throw PythonError("AssertionError: the additional inputs of torch.ops.higher_order." + callable.name +
                          " can only be tensors and integers, and tracing gives it proxies");
    if (sequence) args[place] = tupleOf(sequence->items);
}

Value Tracer::call(const Value& callee, Values args, KeywordValues kwargs) {
    if (const auto* function = callee.as<FunctionValue>();
        function && m_mode == Mode::AsPython && function->callable->kind == Callable::Kind::HigherOrderOp) {
        makeTuple(*function->callable, args);
        if (auto result = higherOrderCall(*function->callable, args, kwargs)) return *result;
    }
    if (const auto* function = callee.as<FunctionValue>(); function && m_mode == Mode::AsPython)
        return FunctionCalls(*this).call(*function, std::move(args), std::move(kwargs));
    if (const auto* function = callee.as<FunctionValue>())
        return evaluateOrRecord([&] { return FunctionCalls(*this).call(*function, args, kwargs); },
                                [&] { return recordFunction(function->callable, args, kwargs, function->wrapped); });
    if (const auto* module = callee.as<ModuleValue>()) return callModule(*module, args, kwargs);
    if (const auto* lazy = callee.asLazy()) {
        if (const auto path = missingPath(**lazy)) return recordModule(*path, args, kwargs);
        args.insert(args.begin(), (*lazy)->root);
        return callMethod((*lazy)->name, args, kwargs);
    }
    if (callee.isProxy()) {
        args.insert(args.begin(), callee);
        return recordMethod("__call__", args, kwargs);
    }
    if (const auto* method = callee.as<BoundMethod>())
        return evaluateOrRecord([&] { return methodOnTensor(*method, args, kwargs); },
                                [&] {
                                    Values all = args;
                                    all.insert(all.begin(), method->self);
                                    return recordMethod(method->name, all, kwargs);
                                });
    const auto* argument = callee.as<Argument>();
    if (const auto* member =
            argument ? argument->as<EnumMember>() : nullptr) { // a function of an unknown module after all
        const std::string path = member->type->qualifiedName + "." + member->member;
        return FunctionCalls(*this).call({path, resolveCallable(path), std::nullopt, false}, std::move(args),
                                         std::move(kwargs));
    }
    throw PythonError("TypeError: '" + textOf(callee) + "' is not callable");
}

Value Tracer::callMethod(std::string_view name, const Values& args, const KeywordValues& kwargs) {
    // `x.__add__(y)` calls the proxy's own operator.
    const std::string_view own =
        m_mode == Mode::AsPython && name.starts_with("__") ? ops::methodOperator(name) : std::string_view{};
    return own.empty() ? recordMethod(std::string(name), args, kwargs)
                       : recordFunction(operatorCallable(own), args, kwargs);
}

Value Tracer::computeFunction(const FunctionValue& function, const Values& args, const KeywordValues& kwargs) {
    return computed({operationName(*function.callable), &function, args, kwargs, ConstantCall::Kind::Function},
                    [&] { return constantFromFunction(function, args, kwargs); });
}

Value Tracer::computeMethod(const TensorValue& self, const std::string& name, const Values& args,
                            const KeywordValues& kwargs) {
    Values operands = args;
    operands.insert(operands.begin(), Value{self});
    return computed({name, nullptr, operands, kwargs}, [&] { return constantFromMethod(self, name, args, kwargs); });
}

static bool holdsTensor(const Value& value) {
    const auto* sequence = value.as<ValueSequence>();
    return value.as<TensorValue>() ||
           (sequence && std::any_of(sequence->items.begin(), sequence->items.end(), holdsTensor));
}

/// A call of constants that is made again each time. `guess` is what it gives; without tensors that is always the same.
Value Tracer::recordedConstant(const ConstantCall& call, const Value& guess) {
    const ConstantEffect effect = effectOf(call);
    if (effect.writesFirst || effect.writesElsewhere) throw CannotFollow(Message("call.writes_constant"));
    if (!holdsTensor(guess)) {
        if (effect.draws) throw CannotFollow(Message("call.not_proven", {{"name", call.name}}));
        return guess;
    }
    switch (call.kind) {
    case ConstantCall::Kind::Function: return recordFunction(call.function->callable, call.operands, call.kwargs);
    case ConstantCall::Kind::Method: return recordMethod(std::string(call.name), call.operands, call.kwargs);
    case ConstantCall::Kind::Operator: return recordFunction(operatorCallable(call.spelled), call.operands, {});
    case ConstantCall::Kind::Attribute: break;
    }
    return recordFunction(resolveCallable("builtins.getattr"),
                          {call.operands[0], {Argument(std::string(call.spelled))}}, {});
}

/// Methods that torch.overrides ignores: torch.fx records the function `torch.Tensor.new_zeros`.
static bool isIgnoredMethod(std::string_view name) {
    static constexpr std::string_view kNames[] = {
        "as_subclass", "new_empty",        "new_empty_strided", "new_full",      "new_ones",      "new_zeros",
        "stride",      "to_padded_tensor", "to_sparse_bsc",     "to_sparse_bsr", "to_sparse_csc", "to_sparse_csr"};
    return fx::isOneOf(name, kNames);
}

/// A method of a constant tensor with a proxy among the arguments. Those that Python defines look for proxies only in
/// `self`, and run; the methods that they call are recorded.
Value Tracer::recordOnConstant(const std::string& name, const Values& args, const KeywordValues& kwargs) {
    const std::string path = "torch.Tensor." + name;
    if (isIgnoredMethod(name)) return recordFunction(resolveCallable(path), args, kwargs);
    const auto known = ops::findFunction(path);
    if (!known || known->kind() != ops::PythonFunction::Kind::Function || name.starts_with("__") || name == "resize_as")
        return recordMethod(name, args, kwargs);
    const auto at = [&](std::size_t place, std::string_view word) {
        return place < args.size() ? &args[place] : keywordOf(kwargs, word);
    };
    if (name == "split" && args.size() + kwargs.size() <= 3)
        if (const Value* size = at(1, "split_size")) {
            const Value* dim = at(2, "dim");
            const auto* number = size->as<Argument>();
            const bool isNumber = number && number->as<std::int64_t>();
            return recordFunction(resolveCallable(isNumber ? "torch._VF.split" : "torch._VF.split_with_sizes"),
                                  {args[0], *size, dim ? *dim : Value{Argument(0)}}, {});
        }
    if (name == "unflatten" && args.size() == 3 && args[2].as<ValueSequence>() &&
        !args[2].as<ValueSequence>()->items.empty())
        return recordFunction(resolveCallable(path), args, kwargs);
    throw CannotFollow(Message("trace.runs_body", {{"function", path}}));
}

Value Tracer::methodOnTensor(const BoundMethod& method, Values args, KeywordValues kwargs) {
    const bool proxied = anyProxy(args, kwargs);
    if (const auto* tensor = method.self.as<TensorValue>()) {
        if (runsBodies && method.name == "numpy") // an array, which no graph holds
            throw CannotFollow(Message("trace.not_computed", {{"function", "torch.Tensor.numpy"}}));
        if (!proxied && m_mode == Mode::AsPython) return computeMethod(*tensor, method.name, args, kwargs);
        args.insert(args.begin(), method.self);
        return m_mode == Mode::AsPython ? recordOnConstant(method.name, args, kwargs)
                                        : recordMethod(method.name, args, kwargs);
    }
    if (m_mode == Mode::AsWritten) { // `2.add(x)` and the like: shown as it was written
        args.insert(args.begin(), method.self);
        return recordMethod(method.name, args, kwargs);
    }
    if (const auto* dict = method.self.as<ValueDict>(); dict && args.empty()) {
        Values out;
        for (const auto& [key, value] : dict->items)
            out.push_back(method.name == "keys" ? key : method.name == "values" ? value : tupleOf({key, value}));
        if (method.name == "keys" || method.name == "values" || method.name == "items") return listOf(std::move(out));
    }
    if (const auto* dict = method.self.as<ValueDict>();
        dict && method.name == "get" && (args.size() == 1 || args.size() == 2)) {
        for (const auto& [key, value] : dict->items)
            if (isSameObject(key, args[0]) || truth(binary("eq", key, args[0]))) return value;
        return args.size() == 2 ? args[1] : none();
    }
    if (const auto* sequence = method.self.as<ValueSequence>();
        sequence && sequence->isSize && method.name == "numel" && args.empty() && kwargs.empty()) {
        Value count{Argument(1)};
        for (const Value& size : sequence->items) count = binary("mul", count, size);
        return count;
    }
    throw CannotFollow(Message("trace.unknown_method", {{"method", method.name}, {"value", textOf(method.self)}}));
}

} // namespace fx::trace
