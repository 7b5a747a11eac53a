// SPDX-License-Identifier: GPL-3.0-or-later
// Calls of functions, methods and classes.
#include "core/python/execution/frame_guard.h"
#include "core/python/execution/generator_run.h"
#include "core/python/interpreter.h"
#include "core/trace/function_calls.h"

#include <algorithm>

namespace fx::python {
using trace::CannotFollow;
using trace::PythonError;

Values Interpreter::defaultsOf(std::span<const py::Parameter> parameters, Scope& scope) {
    Values defaults;
    for (const auto& parameter : parameters)
        defaults.push_back(parameter.defaultValue ? evaluate(*parameter.defaultValue, scope) : Value());
    return defaults;
}

Value Interpreter::call(const Value& callee, Values args, Keywords kwargs) {
    if (auto* function = callee.as<Function>()) return callFunction(*function, std::move(args), std::move(kwargs));
    if (auto* native = callee.as<Native>()) return native->body(*this, args, kwargs);
    if (auto* method = callee.as<Method>()) {
        args.insert(args.begin(), method->self);
        return call(method->function, std::move(args), std::move(kwargs));
    }
    if (auto* type = callee.as<Class>()) return callClass(*type, std::move(args), std::move(kwargs));
    if (auto* instance = callee.as<Instance>()) {
        if (instance->module) {
            const Value* own = instance->type->find("__call__");
            if (own) return call(bound(*own, callee, instance->type), std::move(args), std::move(kwargs));
            return callModule(*instance, std::move(args), std::move(kwargs));
        }
        if (Value* member = instance->type->find("__call__"))
            return call(bound(*member, callee, instance->type), std::move(args), std::move(kwargs));
        raise("TypeError", "'" + instance->type->name + "' object is not callable");
    }
    if (auto* traced = callee.as<Traced>()) return callTorch(*traced, std::move(args), std::move(kwargs));
    if (auto* opaque = callee.as<Opaque>()) {
        if (m_frame && m_frame->file->isGenerated && m_traces)
            return callTorch(Traced(trace::resolveName(opaque->path)), std::move(args), std::move(kwargs));
        for (const Value& arg : args)
            if (isProxy(arg)) throw CannotFollow(unknownImport(opaque->path));
        return m_heap.make<Opaque>(opaque->path + "()");
    }
    if (auto* wrapper = callee.as<Wrapper>()) return call(wrapper->function, std::move(args), std::move(kwargs));
    raise("TypeError", "'" + str(attribute(typeOf(callee), "__name__")) + "' object is not callable");
}

namespace {

bool holdsProxy(const Value& value) {
    if (const auto* tuple = value.as<Tuple>()) return std::any_of(tuple->items.begin(), tuple->items.end(), holdsProxy);
    if (const auto* list = value.as<List>()) return std::any_of(list->items.begin(), list->items.end(), holdsProxy);
    return isProxy(value);
}

} // namespace

Scope* Interpreter::newScope(SourceFile* file, Scope* parent) {
    Scope* scope = m_freeScopes.empty() ? m_heap.make<Scope>() : m_freeScopes.back();
    if (!m_freeScopes.empty()) m_freeScopes.pop_back();
    scope->file = file;
    scope->parent = parent;
    return scope;
}

/// What a call has left can be used by the next one, unless a closure or generator refers to it.
void Interpreter::release(Scope* scope) {
    if (scope->isKept) return;
    scope->names.clear();
    scope->elsewhere.clear();
    m_freeScopes.push_back(scope);
}

Value Interpreter::callFunction(Function& function, Values args, Keywords kwargs) {
    const bool proxied =
        function.wrapped && m_traces &&
        (std::any_of(args.begin(), args.end(), holdsProxy) ||
         std::any_of(kwargs.begin(), kwargs.end(), [&](const auto& each) { return holdsProxy(each.second); }));
    if (proxied) {
        auto callable = std::make_shared<Callable>();
        callable->name = function.name;
        callable->module = function.file->name;
        callable->qualifiedName = callable->module + "." + function.name;
        callable->repr = "<function " + function.name + " at 0x0>";
        callable->opaque = true;
        trace::Values traceArgs;
        trace::KeywordValues traceKwargs;
        for (const Value& arg : args) traceArgs.push_back(toTrace(arg));
        for (const auto& [key, value] : kwargs) traceKwargs.emplace_back(key, toTrace(value));
        return fromTrace(m_tracer->recordFunction(callable, traceArgs, traceKwargs, true));
    }
    step(m_here.offset);
    if (function.lostDecorator) throw CannotFollow(*function.lostDecorator);
    if (scopes && function.owner && !args.empty()) noteOwnMember(function, args[0]);
    Frame frame;
    frame.file = function.file;
    frame.function = &function;
    frame.scope = newScope(function.file, function.closure);
    if (!args.empty()) frame.self = args[0];
    bindArguments(function, std::move(args), kwargs, *frame.scope);
    return runFunction(function, frame);
}

void Interpreter::autowrap(const Value& what, std::vector<Function*>& wrapped) {
    if (auto* file = what.as<SourceFile>()) {
        const auto names = run(*file).names.items();
        for (const auto& [name, value] : names)
            if (!name.starts_with('_') && value.as<Function>()) autowrap(value, wrapped);
        return;
    }
    auto* function = what.as<Function>();
    if (!function || function->wrapped) return;
    function->wrapped = true;
    wrapped.push_back(function);
}

Value Interpreter::callBound(Function& function, const Keywords& bindings) {
    if (function.lostDecorator) throw CannotFollow(*function.lostDecorator);
    Frame frame;
    frame.file = function.file;
    frame.function = &function;
    frame.scope = newScope(function.file, function.closure);
    for (const auto& [name, value] : bindings) frame.scope->names.set(name, value);
    if (!bindings.empty()) frame.self = bindings[0].second;
    return runFunction(function, frame);
}

Value Interpreter::runFunction(Function& function, Frame& frame) {
    if (keyMethods().owner != this) giveKeyMethods();
    if (function.file->path.empty() && function.name == "__init__") // of a class of torch.nn
        if (auto* self = frame.self.as<Instance>()) self->awaitsInit = false;
    if (function.yields) {
        frame.scope->keep();
        const auto run = std::make_shared<GeneratorRun>(*this, function, frame);
        Iterator* made = iterator([run] { return run->resume(); });
        made->run = run;
        m_generators.push_back(run);
        return made;
    }
    {
        const FrameGuard guard(*this, frame, function);
        m_here.file = function.file;
        frame.result = Value::none();
        if (function.lambda) frame.result = evaluateIn(*function.lambda->items[0]);
        else runBody(function.head);
    }
    release(frame.scope);
    return frame.result;
}

namespace {
/// "'a'", "'a' and 'b'", "'a', 'b', and 'c'", as Python lists missing arguments.
std::string listed(const std::vector<std::string_view>& names) {
    std::string out;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const bool isLast = i + 1 == names.size();
        if (i) out += names.size() == 2 ? " and " : isLast ? ", and " : ", ";
        out += "'" + std::string(names[i]) + "'";
    }
    return out;
}
} // namespace

void Interpreter::bindArguments(Function& function, Values args, Keywords& kwargs, Scope& scope) {
    using ParameterKind = py::Parameter::Kind;
    const auto name = [&] { return function.qualifiedName + "()"; };
    std::size_t next = 0;
    std::vector<std::string_view> missing;
    Value rest;
    const auto takeKeyword = [&](std::string_view wanted) {
        const auto found =
            std::find_if(kwargs.begin(), kwargs.end(), [&](const auto& each) { return each.first == wanted; });
        if (found == kwargs.end()) return Value();
        const Value value = found->second;
        kwargs.erase(found);
        return value;
    };
    std::size_t positional = 0, optional = 0;
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
        const auto& parameter = function.parameters[i];
        if (parameter.kind == ParameterKind::VarArgs) {
            scope.names.set(parameter.name,
                            tuple(Values(args.begin() + static_cast<std::ptrdiff_t>(next), args.end())));
            next = args.size();
            continue;
        }
        if (parameter.kind == ParameterKind::VarKeywords) {
            rest = m_heap.make<Dict>();
            scope.names.set(parameter.name, rest);
            continue;
        }
        Value value;
        if (parameter.kind == ParameterKind::Normal) {
            ++positional;
            optional += i < function.defaults.size() && function.defaults[i].isSet();
            if (next < args.size()) {
                value = args[next++];
                if (takeKeyword(parameter.name).isSet())
                    raise("TypeError",
                          name() + " got multiple values for argument '" + std::string(parameter.name) + "'");
            }
        }
        if (!value.isSet()) value = takeKeyword(parameter.name);
        if (!value.isSet() && i < function.defaults.size()) value = function.defaults[i];
        if (!value.isSet()) missing.push_back(parameter.name);
        else scope.names.set(parameter.name, value);
    }
    if (!kwargs.empty() && !rest.isSet())
        raise("TypeError", name() + " got an unexpected keyword argument '" + kwargs[0].first + "'");
    if (next < args.size())
        raise("TypeError",
              trace::tooManyArguments(function.qualifiedName, positional - optional, positional, args.size()));
    if (!missing.empty())
        raise("TypeError", name() + " missing " + std::to_string(missing.size()) + " required positional argument" +
                               (missing.size() > 1 ? "s" : "") + ": " + listed(missing));
    for (const auto& [key, value] : kwargs) rest.as<Dict>()->set(text(key), value);
}

Value Interpreter::callClass(Class& type, Values args, Keywords kwargs) {
    if (Value* construct = type.members.find("__lancet_call__"))
        return call(*construct, std::move(args), std::move(kwargs));
    if (type.isEnum && args.size() == 2 && args[0].as<Str>() && type.membersByValue.size() == 0)
        return enumOf(type, args[0].as<Str>()->text, args[1]);
    if (type.isEnum && args.size() == 1) {
        if (Instance* member = memberOf(type, args[0])) return member;
        if (Value* missing = type.find("_missing_"))
            if (const Value made = call(bound(*missing, {}, &type), {args[0]}); !made.isNone()) return made;
        raise("ValueError", repr(args[0]) + " is not a valid " + type.name);
    }
    if (Value* make = type.metaclass ? type.metaclass->find("__call__") : nullptr)
        return call(bound(*make, &type, type.metaclass), std::move(args), std::move(kwargs));
    return instantiate(&type, std::move(args), std::move(kwargs));
}

/// A function of the module operator on objects of the program; unset where the tracer does it.
Value Interpreter::callOperator(std::string_view name, const Values& args) {
    const auto isOwn = [](const Value& each) { return each.kind == Value::Kind::Object && !each.as<Traced>(); };
    if (args.empty() || args.size() > 2 || std::any_of(args.begin(), args.end(), isProxy) ||
        std::none_of(args.begin(), args.end(), isOwn))
        return {};
    static constexpr std::pair<std::string_view, std::string_view> kSigns[] = {
        {"eq", "=="}, {"ne", "!="}, {"lt", "<"},   {"le", "<="},
        {"gt", ">"},  {"ge", ">="}, {"is_", "is"}, {"is_not", "is not"}};
    static constexpr std::string_view kBinary[] = {"add",    "sub",  "mul", "truediv", "floordiv", "mod",   "pow",
                                                   "matmul", "and_", "or_", "xor",     "lshift",   "rshift"};
    if (args.size() == 1)
        return name == "not_" ? Value(!truth(args[0])) : name == "truth" ? Value(truth(args[0])) : Value();
    for (const auto& [each, sign] : kSigns)
        if (each == name) return compare(sign, args[0], args[1]);
    if (std::find(std::begin(kBinary), std::end(kBinary), name) != std::end(kBinary))
        return binary(name, args[0], args[1]);
    if (name == "getitem") return item(args[0], args[1]);
    return name == "contains" ? Value(contains(args[0], args[1])) : Value();
}

namespace {
/// Takes `generator=...` out of the arguments of a call; what draws with it, or nothing for None.
Value takeGenerator(Interpreter& in, Keywords& kwargs) {
    const auto given = std::find_if(kwargs.begin(), kwargs.end(), [](const auto& each) {
        const auto* object = each.second.template as<Instance>();
        return each.first == "generator" && object && !object->module;
    });
    if (given == kwargs.end()) return {};
    const Value generator = given->second;
    kwargs.erase(given);
    return in.softAttribute(generator, "_draw");
}
/// Where nothing is traced, what functions of numbers give are values and no nodes.
bool isOfNumbers(const Callable& function) { return function.module == "math" || function.module == "cmath"; }
} // namespace

Value Interpreter::callTorch(const Traced& callee, Values args, Keywords kwargs) {
    return isOnMeta(callee, args, kwargs) ? calledOnMeta(callee, std::move(args), std::move(kwargs))
                                          : calledByTracer(callee, std::move(args), std::move(kwargs));
}

Value Interpreter::calledByTracer(const Traced& callee, Values args, Keywords kwargs) {
    trace::Values traceArgs;
    trace::KeywordValues traceKwargs;
    const auto* function = callee.value.as<trace::FunctionValue>();
    if (function && function->callable->module == "_operator")
        if (const Value own = callOperator(function->callable->name, args); own.isSet()) return own;
    if (function) unwrapArray(function->path, args, kwargs);
    const bool records =
        callee.value.isProxy() || std::any_of(args.begin(), args.end(), isProxy) ||
        std::any_of(kwargs.begin(), kwargs.end(), [](const auto& each) { return isProxy(each.second); });
    if (const Value generator = records ? Value() : takeGenerator(*this, kwargs); generator.isSet())
        return call(generator,
                    {native("draw", [of = traced(callee.value), args, kwargs](Interpreter& in, Values&, Keywords&) {
                        return in.call(of, args, kwargs);
                    })});
    for (const Value& arg : args) traceArgs.push_back(toOperand(arg, records));
    for (const auto& [key, value] : kwargs) traceKwargs.emplace_back(key, toOperand(value, records));
    if (function && function->path.starts_with("torch.") && trace::anyProxy(traceArgs, {}) &&
        std::any_of(args.begin(), args.end(), [](const Value& arg) { return arg.as<Iterator>() != nullptr; }))
        raise("TypeError", function->callable->name + "(): expected a tuple or list of tensors, got a generator");
    if (function && !trace::anyProxy(traceArgs, traceKwargs))
        if (auto made = constructorTensor(*function, traceArgs, traceKwargs)) return *made;
    const auto* method = callee.value.as<trace::BoundMethod>();
    const bool hasProxy = trace::anyProxy(traceArgs, traceKwargs);
    const bool mustCompute = function && !m_traces && !hasProxy && isOfNumbers(*function->callable);
    const auto computed = [&](trace::Value made) {
        if (mustCompute && made.isProxy())
            throw CannotFollow(Message("trace.not_computed", {{"function", function->path}}));
        return made;
    };
    if (method && !m_traces && !hasProxy)
        if (auto filled = fillMethod(*method, args, kwargs)) return *filled;
    if ((!function && !method) || !traceKwargs.empty() || hasProxy)
        return fromTrace(computed(m_tracer->call(callee.value, std::move(traceArgs), std::move(traceKwargs))));
    const trace::Value made = computed(m_tracer->call(callee.value, traceArgs, {}));
    m_numbers.bytesAreCurrent = machine == nullptr;
    if (method) traceArgs.insert(traceArgs.begin(), method->self);
    m_numbers.learn(method ? method->name : function->path.substr(function->path.rfind('.') + 1), traceArgs, made);
    return fromTrace(made);
}

} // namespace fx::python
