// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/function_calls.h"

#include "core/ops/python_signatures.h"
#include "core/trace/callables.h"
#include "core/trace/constants/constant_tensors.h"

#include <algorithm>
#include <cctype>

namespace fx::trace {
namespace {
using Behaviour = ops::PythonFunction::Behaviour;

/// A rewriting function's table row, read once: parameters with their defaults, and which of them go where.
struct Plan {
    struct Slot {
        std::string keyword; ///< empty: positional
        int parameter = -1;  ///< index, or -1 for `constant`
        bool starred = false;
        Value constant;
    };
    std::vector<ops::Parameter> parameters;
    std::vector<std::optional<Value>> defaults;
    std::vector<std::size_t> relevant;
    std::vector<Slot> layout;
    std::string method; ///< recorded as a method of that name
    CallablePtr target;
};

Plan readPlan(const ops::PythonFunction& function) {
    Plan plan;
    plan.parameters = function.parameters();
    const auto indexOf = [&](std::string_view name) {
        for (std::size_t i = 0; i < plan.parameters.size(); ++i)
            if (plan.parameters[i].name == name) return static_cast<int>(i);
        return -1;
    };
    for (const auto& parameter : plan.parameters)
        plan.defaults.push_back(parameter.defaultValue.empty() ? std::nullopt
                                                               : std::optional(literal(parameter.defaultValue)));
    for (const auto name : function.relevant())
        if (const int at = indexOf(name); at >= 0) plan.relevant.push_back(static_cast<std::size_t>(at));
    for (const auto& argument : function.layout()) {
        const int at = indexOf(argument.expression);
        plan.layout.push_back(
            {std::string(argument.keyword), at, argument.starred, at < 0 ? literal(argument.expression) : Value{}});
    }
    plan.method = function.methodName();
    plan.target = resolveCallable(function.target().path());
    return plan;
}

/// Plans are read once per thread and kept: the table never changes.
const Plan& planOf(const ops::PythonFunction& function) {
    thread_local std::unordered_map<const char*, Plan> plans; // a row's path has one place in memory
    const auto known = plans.find(function.path().data());
    return known != plans.end() ? known->second
                                : plans.emplace(function.path().data(), readPlan(function)).first->second;
}

/// How many of the first `most` parameters have no default.
std::size_t requiredOf(const Plan& plan, std::size_t most) {
    std::size_t least = most;
    while (least > 0 && plan.defaults[least - 1]) --least;
    return least;
}

/// Python's TypeError for parameters that got nothing: those by place first, all of a kind at once.
void requireBound(const Plan& plan, const std::string& name, const std::vector<std::optional<Value>>& bound) {
    using Kind = ops::Parameter::Kind;
    for (const bool isByName : {false, true}) {
        std::vector<std::string> names;
        for (std::size_t i = 0; i < bound.size(); ++i)
            if (!bound[i] && (plan.parameters[i].kind == Kind::KeywordOnly) == isByName)
                names.push_back("'" + std::string(plan.parameters[i].name) + "'");
        if (names.empty()) continue;
        std::string text = names[0];
        for (std::size_t i = 1; i < names.size(); ++i)
            text += (i + 1 < names.size() ? ", " : names.size() > 2 ? ", and " : " and ") + names[i];
        throw PythonError("TypeError: " + name + "() missing " + std::to_string(names.size()) + " required " +
                          (isByName ? "keyword-only" : "positional") + " argument" + (names.size() > 1 ? "s" : "") +
                          ": " + text);
    }
}

/// Python's binding of a call to a signature; unset entries are variadic parameters that got nothing.
std::vector<std::optional<Value>> bind(const Plan& plan, const std::string& name, const Values& args,
                                       const KeywordValues& kwargs) {
    using Kind = ops::Parameter::Kind;
    std::vector<std::optional<Value>> bound(plan.parameters.size());
    std::size_t at = 0;
    for (const auto& arg : args) {
        if (at == bound.size() || plan.parameters[at].kind == Kind::KeywordOnly)
            throw PythonError("TypeError: " + tooManyArguments(name, requiredOf(plan, at), at, args.size()));
        if (plan.parameters[at].kind == Kind::VarPositional) {
            bound[at] = tupleOf(Values(args.begin() + static_cast<std::ptrdiff_t>(at), args.end()));
            break;
        }
        bound[at++] = arg;
    }
    for (const auto& [key, value] : kwargs) {
        const auto found =
            std::find_if(plan.parameters.begin(), plan.parameters.end(),
                         [&, wanted = std::string_view(key)](const auto& p) { return p.name == wanted; });
        const auto place = static_cast<std::size_t>(found - plan.parameters.begin());
        if (found == plan.parameters.end())
            throw PythonError("TypeError: " + name + "() got an unexpected keyword argument '" + key + "'");
        if (bound[place]) throw PythonError("TypeError: " + name + "() got multiple values for argument '" + key + "'");
        bound[place] = value;
    }
    for (std::size_t i = 0; i < bound.size(); ++i) {
        if (bound[i]) continue;
        bound[i] = plan.defaults[i];
        if (!bound[i] && plan.parameters[i].kind == Kind::VarPositional) bound[i] = tupleOf({});
    }
    requireBound(plan, name, bound);
    return bound;
}

/// The table knows, or the name says so: classes start with a capital letter.
bool looksLikeClass(const FunctionValue& function) {
    const std::string& name = function.callable->name;
    if (function.known) return function.known->kind() == ops::PythonFunction::Kind::Class;
    return !name.empty() && std::isupper(static_cast<unsigned char>(name[0]));
}

/// torch's C functions take no modules for tensors; Python raises before anything is recorded.
void refuseModules(const FunctionValue& function, const Values& args) {
    for (const auto& arg : args)
        if (const auto* module = arg.as<ModuleValue>())
            throw PythonError("TypeError: " + function.callable->name + "(): argument must be Tensor, not " +
                              module->module->className);
}
/// `torch.zeros(proxy, 3)`: PyTorch takes sizes one by one only where the first is a number, else one list of them.
void refuseSizes(const FunctionValue& function, const Values& args) {
    if (args.size() < 2 || !args[0].isProxy() || function.known->factory() != ops::PythonFunction::Factory::Sizes)
        return;
    const std::string& name = function.callable->name;
    if (ops::pythonSignatures(function.path).size() > 1)
        throw PythonError("TypeError: " + name + "() received an invalid combination of arguments");
    throw PythonError("TypeError: " + tooManyArguments(name, 1, 1, args.size()));
}

/// An operator of torch.ops asks its arguments, and the items of lists up to the first that is no tensor, whether one
/// is a proxy: `zeros.default([4, proxy])` hides it, and the operator runs with a list that it does not take.
bool isSeenByOperator(const Value& value) {
    if (value.isProxy()) return true;
    const auto* sequence = value.as<ValueSequence>();
    if (!sequence) return false;
    for (const Value& item : sequence->items) {
        if (item.isProxy()) return true;
        if (item.as<Argument>() || item.as<ValueSequence>() || item.as<ValueDict>()) return false;
    }
    return false;
}

void refuseHiddenProxies(const FunctionValue& function, const Values& args, const KeywordValues& kwargs) {
    const auto kind = function.callable->kind;
    if (kind != Callable::Kind::OpOverload && kind != Callable::Kind::OpPacket) return;
    const bool seen =
        std::any_of(args.begin(), args.end(), isSeenByOperator) ||
        std::any_of(kwargs.begin(), kwargs.end(), [](const auto& named) { return isSeenByOperator(named.second); });
    if (!seen) throw PythonError(Message("python.hidden_proxy", {{"name", function.path}}));
}

} // namespace

std::string tooManyArguments(const std::string& function, std::size_t least, std::size_t most, std::size_t given) {
    return function + "() takes " + (least < most ? "from " + std::to_string(least) + " to " : "") +
           std::to_string(most) + " positional argument" + (most == 1 && least == most ? "" : "s") + " but " +
           std::to_string(given) + (given == 1 ? " was" : " were") + " given";
}

Value FunctionCalls::call(const FunctionValue& function, Values args, KeywordValues kwargs) {
    const bool proxied = anyProxy(args, kwargs);
    if (function.wrapped && proxied) return m_tracer.recordFunction(function.callable, args, kwargs, true);
    if (m_tracer.mode() == Tracer::Mode::AsWritten) {
        const bool makesValue = function.known && (function.known->behaviour() == Behaviour::Construct ||
                                                   function.known->kind() == ops::PythonFunction::Kind::Class);
        if (makesValue)
            if (auto value = callPlain(m_tracer, function, args, kwargs)) return *value;
        if (function.path == "torch.fx._pytree.tree_flatten_spec" ||
            function.path == "torch.utils._pytree.tree_unflatten")
            return *callPlain(m_tracer, function, args, kwargs);
        const auto* member = function.path == "builtins.getattr" && args.size() == 2 && args[0].as<ModuleValue>()
                                 ? args[1].as<Argument>()
                                 : nullptr;
        if (const auto* name = member ? member->as<std::string>() : nullptr)
            return m_tracer.attribute(args[0], *name); // getattr(self.layers, "0")
        if (!function.known && looksLikeClass(function))
            return box(Construction{function.callable, std::move(args), std::move(kwargs)});
        return function.known || function.path.starts_with("torch.ops.")
                   ? m_tracer.recordFunction(function.callable, args, kwargs)
                   : recordUnknown(function, args, kwargs);
    }
    if (function.path.starts_with("torch.ops.")) {
        if (!proxied) return m_tracer.computeFunction(function, args, kwargs);
        refuseHiddenProxies(function, args, kwargs);
        return m_tracer.recordFunction(function.callable, args, kwargs);
    }
    return function.known ? callKnown(function, std::move(args), std::move(kwargs))
                          : callUnknown(function, std::move(args), std::move(kwargs));
}

Value FunctionCalls::callKnown(const FunctionValue& function, Values args, KeywordValues kwargs) {
    const bool proxied = anyProxy(args, kwargs);
    switch (function.known->behaviour()) {
    case Behaviour::Record:
        if (auto value = ofList(function, args, kwargs)) return *value;
        refuseModules(function, args);
        if (!proxied) return m_tracer.computeFunction(function, args, kwargs);
        refuseSizes(function, args);
        if (const auto target = function.known->target(); target != *function.known)
            return m_tracer.recordFunction(resolveCallable(target.path()), args, kwargs);
        return m_tracer.recordFunction(function.callable, args, kwargs);
    case Behaviour::Wrap:
        if (proxied) return m_tracer.recordFunction(function.callable, args, kwargs, true);
        break;
    case Behaviour::Rewrite:
        if (auto value = ofList(function, args, kwargs)) return *value;
        return rewrite(function, args, kwargs);
    case Behaviour::Select: return select(function, std::move(args), std::move(kwargs));
    case Behaviour::Method:
        if (!function.known->layout().empty()) return rewrite(function, args, kwargs);
        if (proxied) return m_tracer.recordMethod(std::string(function.known->methodName()), args, kwargs);
        break;
    case Behaviour::Plain:
    case Behaviour::Construct:
    case Behaviour::Run:
    case Behaviour::Unknown: break;
    }
    if (auto value = callPlain(m_tracer, function, args, kwargs)) return *value;
    // torch's own functions of constants, run at once: torch.tensor(3), torch.manual_seed(0).
    if (!proxied && function.callable->fromTorch && function.callable->kind != Callable::Kind::Class)
        return m_tracer.computeFunction(function, args, kwargs);
    return callUnknown(function, std::move(args), std::move(kwargs));
}

Value FunctionCalls::rewrite(const FunctionValue& function, const Values& args, const KeywordValues& kwargs) {
    const Plan& plan = planOf(*function.known);
    const auto bound = bind(plan, function.callable->name, args, kwargs);
    const bool dispatches =
        plan.relevant.empty()
            ? anyProxy(args, kwargs)
            : std::any_of(plan.relevant.begin(), plan.relevant.end(), [&](auto at) {
                  const auto* sequence = bound[at]->template as<ValueSequence>(); // *tensors
                  return bound[at]->isProxy() ||
                         (sequence && plan.parameters[at].kind == ops::Parameter::Kind::VarPositional &&
                          holdsProxy(*bound[at]));
              });
    if (!dispatches) {
        if (!anyProxy(args, kwargs)) return m_tracer.computeFunction(function, args, kwargs);
        return runBody(function, args, kwargs, bound);
    }
    Values positional;
    KeywordValues keywords;
    for (const auto& slot : plan.layout) {
        const Value& value = slot.parameter < 0 ? slot.constant : *bound[static_cast<std::size_t>(slot.parameter)];
        const bool whole = slot.keyword.empty() && !slot.starred && slot.parameter >= 0;
        if (whole &&
            plan.parameters[static_cast<std::size_t>(slot.parameter)].kind == ops::Parameter::Kind::VarPositional) {
            positional.push_back(value); // what *args got, as one tuple
        } else if (slot.starred) {
            if (const auto* sequence = value.as<ValueSequence>())
                positional.insert(positional.end(), sequence->items.begin(), sequence->items.end());
        } else if (slot.keyword.empty()) {
            positional.push_back(value);
        } else {
            keywords.emplace_back(slot.keyword, value);
        }
    }
    if (!plan.method.empty()) return m_tracer.recordMethod(plan.method, positional, keywords);
    return m_tracer.recordFunction(plan.target, positional, keywords);
}

/// A function of Python whose tensors are constants, although another argument is traced.
Value FunctionCalls::runBody(const FunctionValue& function, Values args, KeywordValues kwargs,
                             const std::vector<std::optional<Value>>& bound) {
    if (function.known->path() == "torch.functional.split")
        return m_tracer.call(box(BoundMethod{*bound[0], "split"}), {*bound[1], *bound[2]}, {});
    return callUnknown(function, std::move(args), std::move(kwargs));
}

/// `f(*tensors)` of one list, or of nothing.
std::optional<Value> FunctionCalls::ofList(const FunctionValue& function, const Values& args,
                                           const KeywordValues& kwargs) {
    const auto listed = function.known->listed();
    if (!listed) return std::nullopt;
    if (args.size() < 2 && function.known->path() == "torch.functional.einsum")
        throw PythonError(
            "ValueError: einsum(): must specify the equation string and at least one operand, or at least "
            "one operand and its subscripts list");
    if (args.empty() && kwargs.empty() && !listed->ofNothing.empty()) return literal(listed->ofNothing);
    const auto* list = args.size() == listed->before + 1 ? args.back().as<ValueSequence>() : nullptr;
    const bool traced =
        list && std::any_of(list->items.begin(), list->items.end(), [](const Value& item) { return item.isProxy(); });
    if (!traced) return std::nullopt;
    if (!listed->error.empty())
        throw PythonError(std::string(listed->error) + ": " + function.callable->name +
                          "() takes tensors, not one list of them");
    Values given = args;
    if (listed->expanded) {
        given.pop_back();
        given.insert(given.end(), list->items.begin(), list->items.end());
    }
    KeywordValues named; // a keyword that is None is left out
    std::copy_if(kwargs.begin(), kwargs.end(), std::back_inserter(named),
                 [](const auto& item) { return !item.second.isNone(); });
    return m_tracer.recordFunction(resolveCallable(listed->target), given, named);
}

Value FunctionCalls::select(const FunctionValue& function, Values args, KeywordValues kwargs) {
    const auto branches = function.known->branches();
    bool flag = branches.defaultValue;
    const auto named =
        std::find_if(kwargs.begin(), kwargs.end(), [&](const auto& item) { return item.first == branches.name; });
    if (named != kwargs.end()) flag = m_tracer.truth(named->second);
    else if (branches.index < args.size()) flag = m_tracer.truth(args[branches.index]);
    const Value chosen = resolveName(std::string(flag ? branches.ifTrue : branches.ifFalse));
    const auto* target = chosen.as<FunctionValue>();
    if (!target) throw CannotFollow(Message("trace.unknown_overload", {{"value", textOf(chosen)}}));
    return call(*target, std::move(args), std::move(kwargs));
}

namespace {
/// PyTorch's own classes, which refuse proxies or keep them in objects that no graph holds: `torch.Event(x)`.
void refuseObject(const FunctionValue& function, const Values& args, const KeywordValues& kwargs) {
    constexpr std::string_view kTorch = "torch.";
    const bool isOfTorch = function.known && function.known->kind() == ops::PythonFunction::Kind::Class &&
                           function.path.starts_with(kTorch) &&
                           function.path.find('.', kTorch.size()) == std::string::npos;
    const bool isImported = function.path.starts_with("torch.nn.functional.") && looksLikeClass(function); // F.Tensor
    const bool isOwn = isOfTorch || isImported;
    if (!isOwn || !anyProxy(args, kwargs)) return;
    for (const std::string_view type : {"dtype", "layout", "memory_format", "qscheme"})
        if (function.callable->name == type)
            throw PythonError("TypeError: cannot create 'torch." + std::string(type) + "' instances");
    throw CannotFollow(Message("trace.runs_body", {{"function", function.callable->qualifiedName}}));
}
} // namespace

/// Python would run the body, which is not in the file: the call is kept as it stands.
Value FunctionCalls::callUnknown(const FunctionValue& function, Values args, KeywordValues kwargs) {
    if (m_tracer.runsBodies) refuseObject(function, args, kwargs);
    if (looksLikeClass(function)) return box(Construction{function.callable, std::move(args), std::move(kwargs)});
    const bool isDispatched = function.callable->qualifiedName == "torch.autograd.grad"; // by what its lists hold
    if (m_tracer.runsBodies && function.callable->fromTorch && !isDispatched)
        throw CannotFollow(Message("trace.runs_body", {{"function", function.callable->qualifiedName}}));
    return recordUnknown(function, args, kwargs);
}

Value FunctionCalls::recordUnknown(const FunctionValue& function, const Values& args, const KeywordValues& kwargs) {
    const Value value = m_tracer.recordFunction(function.callable, args, kwargs);
    m_tracer.warnings.push_back({Message("trace.call_kept", {{"function", function.callable->qualifiedName}}),
                                 m_tracer.graph().node(value.as<Proxy>()->node).name(),
                                 {},
                                 {}});
    return value;
}

} // namespace fx::trace
