// SPDX-License-Identifier: GPL-3.0-or-later
// Calls of functions, methods and classes.
#include "core/ops/python_functions.h"
#include "core/ops/python_operators.h"
#include "core/python/builtins/call_shapes.h"
#include "core/python/execution/frame_guard.h"
#include "core/python/execution/generator_run.h"
#include "core/python/python_interpreter.h"
#include "core/python/tracing/call_rules.h"
#include "core/trace/constants/argument_parser.h"
#include "core/trace/constants/literal_tensors.h"
#include "core/trace/function_calls.h"

#include <algorithm>

namespace fx::python {
using trace::CannotFollow;
using trace::PythonError;

bool Calls::holdsAnyProxy(const Values& args, const Keywords& kwargs) {
    return std::any_of(args.begin(), args.end(), holdsProxy) ||
           std::any_of(kwargs.begin(), kwargs.end(), [](const auto& each) { return holdsProxy(each.second); });
}

Values Calls::defaultsOf(std::span<const py::Parameter> parameters, Scope& scope) {
    Values defaults;
    for (const auto& parameter : parameters)
        defaults.push_back(parameter.defaultValue ? m_in.expressions().evaluate(*parameter.defaultValue, scope)
                                                  : Value());
    return defaults;
}

Value Calls::call(const Value& callee, Values args, Keywords kwargs) {
    trace::checkStack();
    if (m_in.callRules)
        if (const Value answer = m_in.callRules->called(callee, args, kwargs); answer.isSet()) return answer;
    if (auto* function = callee.as<Function>()) return callFunction(*function, std::move(args), std::move(kwargs));
    if (auto* native = callee.as<Native>()) return callNative(*native, args, kwargs);
    if (auto* method = callee.as<Method>()) {
        args.insert(args.begin(), method->self);
        return call(method->function, std::move(args), std::move(kwargs));
    }
    if (auto* type = callee.as<Class>()) return callClass(*type, std::move(args), std::move(kwargs));
    if (auto* instance = callee.as<Instance>()) {
        if (instance->module) {
            const Value* own = instance->type->find("__call__");
            if (own) return call(bound(*own, callee, instance->type), std::move(args), std::move(kwargs));
            return m_in.modules().callModule(*instance, std::move(args), std::move(kwargs));
        }
        if (Value* member = instance->type->find("__call__"))
            return call(bound(*member, callee, instance->type), std::move(args), std::move(kwargs));
        raise("TypeError", "'" + instance->type->name + "' object is not callable");
    }
    if (auto* traced = callee.as<Traced>()) return callTorch(*traced, std::move(args), std::move(kwargs));
    if (auto* opaque = callee.as<Opaque>()) {
        if (opaque->origin.isSet()) return call(opaque->origin, std::move(args), std::move(kwargs));
        if (opaque->type) raise("TypeError", "'types.UnionType' object is not callable");
        const bool isRecorded = (stack().frame && stack().frame->file->isGenerated) ||
                                (m_in.rules && opaque->lostBy.empty() && holdsAnyProxy(args, kwargs));
        if (isRecorded && traces())
            return callTorch(Traced(trace::resolveName(opaque->path)), std::move(args), std::move(kwargs));
        m_in.attributeChanges().requireOtherDict(*opaque);
        if (opaque->isAsync) throw CannotFollow(unknownImport(*opaque));
        // may change names, call others, and raise
        for (const char* runs :
             {"builtins.exec", "builtins.eval", "builtins.compile", "sys.settrace", "sys.setprofile"})
            if (opaque->path == runs) throw CannotFollow(unknownImport(*opaque));
        if (holdsAnyProxy(args, kwargs)) throw CannotFollow(unknownImport(*opaque));
        return heap().make<Opaque>(*opaque, "()");
    }
    if (auto* wrapper = callee.as<Wrapper>()) return call(wrapper->function, std::move(args), std::move(kwargs));
    raise("TypeError", "'" + typeName(callee) + "' object is not callable");
}

/// Whether a value is of a type in a `CallShape`.
bool Calls::isOfType(const Value& given, char type) {
    const Value value = plain(given);
    if (type == '.' || (value.as<Traced>() && !isProxy(value))) return true;
    if (type == 'I' || type == 'J')
        return value.isInt() || (type == 'J' && value.isNone()) || specialMethod(given, "__index__").isSet();
    return value.as<Str>() || (type == 'N' && value.isNone()) || (type == 'T' && value.as<Tuple>());
}

/// Raises TypeError where Python does not take the number, types or names of the arguments. Unknown objects among them
/// are an error, unless the function only stores them.
void Calls::checkShape(const Native& native, const Values& args, const Keywords& kwargs) {
    const CallShape& shape = *native.shape;
    if (!shape.keepsUnknown) {
        const auto require = [](const Value& value) {
            if (!TypeArguments::isAlias(value)) requireKnown(value);
        };
        for (const Value& arg : args) require(arg);
        for (const auto& [key, value] : kwargs) require(value);
    }
    if (const std::string problem = countProblem(shape, args.size(), kwargs.size()); !problem.empty())
        raise("TypeError", problem);
    for (std::size_t i = 0; i < std::min(args.size(), shape.types.size()); ++i)
        if (!isOfType(args[i], shape.types[i])) raise("TypeError", typeProblem(shape, i, typeName(args[i])));
    if (kwargs.empty() || shape.keywords == "*") return;
    const std::string names = " " + std::string(shape.keywords) + " ";
    for (const auto& [key, value] : kwargs)
        if (names.find(" " + key + " ") == names.npos)
            raise("TypeError", "'" + key + "' is an invalid keyword argument for " + native.name + "()");
}

Value Calls::callNative(const Native& native, Values& args, Keywords& kwargs) {
    if (native.shape) checkShape(native, args, kwargs);
    try {
        return native.body(m_in, args, kwargs);
    } catch (const std::out_of_range&) { // of Values::at
        raise("TypeError", native.name + "() is missing a required argument");
    }
}

Scope* Calls::newScope(SourceFile* file, Scope* parent) {
    Scope* scope = m_freeScopes.empty() ? heap().make<Scope>() : m_freeScopes.back();
    if (!m_freeScopes.empty()) m_freeScopes.pop_back();
    scope->file = file;
    scope->parent = parent;
    return scope;
}

void Calls::release(Scope* scope) {
    if (scope->isKept) return;
    scope->names.clear();
    scope->elsewhere.clear();
    m_freeScopes.push_back(scope);
}

Value Calls::callFunction(Function& function, Values args, Keywords kwargs) {
    if (function.wrapped && traces() && holdsAnyProxy(args, kwargs)) {
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
        return fromTrace(tracer().recordFunction(callable, traceArgs, traceKwargs, true));
    }
    m_in.statements().step(stack().here.offset);
    if (function.lostDecorator) throw CannotFollow(*function.lostDecorator);
    if (m_in.scopes && function.owner && !args.empty()) m_in.modules().noteOwnMember(function, args[0]);
    Frame frame;
    frame.file = function.file;
    frame.function = &function;
    frame.scope = newScope(function.file, function.closure);
    if (!args.empty()) frame.self = args[0];
    try {
        bindArguments(function, std::move(args), kwargs, *frame.scope);
    } catch (const Raised&) {
        stack().misfit |= function.file->path.empty();
        throw;
    }
    return runFunction(function, frame);
}

void Calls::autowrap(const Value& what, std::vector<Function*>& wrapped) {
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

Value Calls::callBound(Function& function, const Keywords& bindings) {
    if (function.lostDecorator) throw CannotFollow(*function.lostDecorator);
    Frame frame;
    frame.file = function.file;
    frame.function = &function;
    frame.scope = newScope(function.file, function.closure);
    for (const auto& [name, value] : bindings) frame.scope->names.set(name, value);
    if (!bindings.empty()) frame.self = bindings[0].second;
    return runFunction(function, frame);
}

Value Calls::runFunction(Function& function, Frame& frame) {
    if (keyMethods().owner != &m_in) m_in.operators().giveKeyMethods();
    if (function.file->path.empty() && function.name == "__init__") // of a class of torch.nn
        if (auto* self = frame.self.as<Instance>()) self->awaitsInit = false;
    const bool hasGradMode = function.keptGradModes != 3 || function.setGradModes != 0;
    if (function.yields && hasGradMode && !function.isContext) // PyTorch sets the mode each time it runs on
        throw CannotFollow(Message("trace.not_computed", {{"function", "torch.no_grad of a generator"}}));
    if (function.yields) {
        frame.scope->keep();
        const auto run = std::make_shared<GeneratorRun>(m_in, function, frame);
        Iterator* made = iterator([run] { return run->resume(); });
        made->run = run;
        m_in.iteration().watch(run);
        return made;
    }
    {
        const FrameGuard guard(m_in, frame, function);
        std::optional<trace::GradModeScope> gradMode;
        if (hasGradMode) gradMode.emplace(m_in.gradients, function.keptGradModes, function.setGradModes);
        const py::Expr* value = function.lambda ? function.lambda->items[0] : nullptr;
        stack().here.moveTo(function.file, value ? value->offset : stack().tree()[function.head].offset);
        frame.result = Value::none();
        if (value) frame.result = m_in.expressions().evaluateIn(*value);
        else m_in.statements().runBody(function.head);
    }
    release(frame.scope);
    return frame.result;
}

namespace {
/// Adds to "f() takes 1 positional argument but 2 were given" how many keyword-only arguments were given.
std::string tooMany(std::string text, std::size_t given, std::size_t named) {
    if (named == 0) return text;
    const auto counted = [](std::size_t count, const std::string& what) { return what + (count == 1 ? "" : "s"); };
    text.erase(text.rfind(given == 1 ? " was" : " were"));
    return text + " " + counted(given, "positional argument") + " (and " + std::to_string(named) + " " +
           counted(named, "keyword-only argument") + ") were given";
}

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

void Calls::bindArguments(Function& function, Values args, Keywords& kwargs, Scope& scope) {
    using ParameterKind = py::Parameter::Kind;
    const auto name = [&] { return function.qualifiedName + "()"; };
    std::size_t next = 0, named = 0;
    std::vector<std::string_view> missing, missingKeywords, positionalOnly;
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
            rest = heap().make<Dict>();
            scope.names.set(parameter.name, rest);
            continue;
        }
        Value value;
        if (parameter.kind == ParameterKind::Normal) {
            ++positional;
            optional += i < function.defaults.size() && function.defaults[i].isSet();
            if (next < args.size()) {
                value = args[next++];
                if (!parameter.isPositionalOnly && takeKeyword(parameter.name).isSet())
                    raise("TypeError",
                          name() + " got multiple values for argument '" + std::string(parameter.name) + "'");
            }
        }
        const bool isKeyword = parameter.kind == ParameterKind::KeywordOnly;
        if (parameter.isPositionalOnly) positionalOnly.push_back(parameter.name);
        else if (!value.isSet()) value = takeKeyword(parameter.name);
        named += isKeyword && value.isSet();
        if (!value.isSet() && i < function.defaults.size()) value = function.defaults[i];
        if (!value.isSet()) (isKeyword ? missingKeywords : missing).push_back(parameter.name);
        else scope.names.set(parameter.name, value);
    }
    std::erase_if(positionalOnly, [&](std::string_view each) { return keyword(kwargs, each) == nullptr; });
    if (!positionalOnly.empty() && !rest.isSet()) {
        std::string names;
        for (const std::string_view each : positionalOnly) names += (names.empty() ? "" : ", ") + std::string(each);
        raise("TypeError", name() + " got some positional-only arguments passed as keyword arguments: '" + names + "'");
    }
    if (!kwargs.empty() && !rest.isSet())
        raise("TypeError", name() + " got an unexpected keyword argument '" + kwargs[0].first + "'");
    if (next < args.size())
        raise("TypeError",
              tooMany(trace::tooManyArguments(function.qualifiedName, positional - optional, positional, args.size()),
                      args.size(), named));
    for (const auto* names : {&missing, &missingKeywords})
        if (!names->empty())
            raise("TypeError", name() + " missing " + std::to_string(names->size()) + " required " +
                                   (names == &missing ? "positional" : "keyword-only") + " argument" +
                                   (names->size() > 1 ? "s" : "") + ": " + listed(*names));
    for (const auto& [key, value] : kwargs) rest.get<Dict>().set(text(key), value);
}

Value Calls::callClass(Class& type, Values args, Keywords kwargs) {
    if (Value* construct = type.members.find("__lancet_call__"))
        return call(*construct, std::move(args), std::move(kwargs));
    if (Value* make = type.metaclass ? type.metaclass->find("__call__") : nullptr)
        return call(bound(*make, &type, type.metaclass), std::move(args), std::move(kwargs));
    if (type.isEnum) return m_in.enums().called(type, args, kwargs);
    return instantiate(&type, std::move(args), std::move(kwargs));
}

/// A function of the module operator on objects of the program; unset where the tracer does it.
Value Calls::callOperator(std::string_view name, const Values& args) {
    const auto isOwn = [](const Value& each) { return each.kind == Value::Kind::Object && !each.as<Traced>(); };
    if (args.empty() || args.size() > 3 || std::any_of(args.begin(), args.end(), isProxy) ||
        std::none_of(args.begin(), args.end(), isOwn))
        return {};
    if (name == "setitem" && args.size() == 3) return setItem(args[0], args[1], args[2]), Value::none();
    if (args.size() == 3) return {};
    if (args.size() == 1) {
        if (name == "not_" || name == "truth") return {truth(args[0]) == (name == "truth")};
        if (name == "neg" || name == "pos" || name == "invert" || name == "inv")
            return unary(name == "inv" ? "invert" : name, args[0]);
        return {};
    }
    if (name == "is_" || name == "is_not") return compare(name == "is_" ? "is" : "is not", args[0], args[1]);
    if (const std::string_view sign = ops::operatorSign(name); !sign.empty() && name != "div") {
        const bool isComparison = sign.ends_with('=') || sign == "<" || sign == ">";
        return isComparison ? compare(sign, args[0], args[1]) : binary(name, args[0], args[1]);
    }
    if (name == "getitem") return item(args[0], args[1]);
    if (name == "delitem") return deleteItem(args[0], args[1]), Value::none();
    if (name == "concat" && (itemsOf(plain(args[0])) || args[0].as<Str>())) return binary("add", args[0], args[1]);
    if (name == "countOf" || name == "indexOf")
        return call(attribute(listOf(list(args[0])), name == "countOf" ? "count" : "index"), {args[1]});
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
/// Whether a function of torch reads its data by itself, so that torch.fx cannot record it with a proxy there.
bool readsData(std::string_view path) {
    static constexpr std::string_view kNames[] = {"torch.tensor",
                                                  "torch.as_tensor",
                                                  "torch.asarray",
                                                  "torch.from_numpy",
                                                  "torch.frombuffer",
                                                  "torch.sparse_coo_tensor",
                                                  "torch.sparse_csr_tensor",
                                                  "torch.sparse_csc_tensor",
                                                  "torch.sparse_bsr_tensor",
                                                  "torch.sparse_bsc_tensor",
                                                  "torch.sparse_compressed_tensor"};
    return std::find(std::begin(kNames), std::end(kNames), path) != std::end(kNames);
}
/// Where nothing is traced, what functions of numbers give are values and no nodes.
bool isOfNumbers(const Callable& function) {
    return function.module == "math" || function.module == "cmath" || function.module == "_operator";
}
} // namespace

/// Raises what PyTorch's argument parser raises. Python code of PyTorch fails only when it runs.
void Calls::requireArguments(const Traced& callee, const trace::Values& args,
                             const trace::KeywordValues& kwargs) const {
    if (m_in.rules) return; // `BodyRules::check` reports more
    if (traces()) trace::requireDeviceOf(callee.value, args, kwargs);
    if (const auto* method = callee.value.as<trace::BoundMethod>();
        method && method->self.as<trace::TensorValue>() && !method->name.starts_with("__"))
        return trace::requireParsed("torch.Tensor." + method->name, args, kwargs);
    const auto* function = callee.value.as<trace::FunctionValue>();
    if (function && function->callable->fromTorch && function->known &&
        function->known->kind() == ops::PythonFunction::Kind::CFunction) {
        const bool isAlias = function->known->behaviour() == ops::PythonFunction::Behaviour::Record;
        const auto& recorded = isAlias ? function->known->target() : *function->known; // torch.spmm is torch.mm
        trace::requireParsed(std::string(recorded.qualifiedName()), args, kwargs);
    }
}

Value Calls::callNumbers(const std::string& name, const Values& args, const Keywords& kwargs) {
    trace::Values traceArgs;
    trace::KeywordValues traceKwargs;
    const bool records = std::any_of(args.begin(), args.end(), isProxy);
    for (const Value& arg : args) traceArgs.push_back(toOperand(arg, records));
    for (const auto& [key, value] : kwargs) traceKwargs.emplace_back(key, toOperand(value, records));
    const bool proxied = trace::anyProxy(traceArgs, traceKwargs);
    const trace::Value made = tracer().call(trace::resolveName("builtins." + name), traceArgs, traceKwargs);
    if (!proxied && made.isProxy())
        throw CannotFollow(Message("trace.not_computed", {{"function", "builtins." + name}}));
    return fromTrace(made);
}

Value Calls::callTorch(const Traced& callee, Values args, Keywords kwargs) {
    if (const auto* function = callee.value.as<trace::FunctionValue>();
        function && function->callable->module == "typing")
        return m_in.types().callTyping(function->path, std::move(args), std::move(kwargs));
    return m_in.metaDevice().isOnMeta(callee, args, kwargs)
               ? m_in.metaDevice().calledOnMeta(callee, std::move(args), std::move(kwargs))
               : calledByTracer(callee, std::move(args), std::move(kwargs));
}

namespace {
/// Whether a function of math asks each argument for its float, which a tensor with one element has.
bool takesFloats(std::string_view path) {
    static constexpr std::string_view kNames[] = {
        "acos", "acosh", "asin",    "asinh",    "atan",  "atan2", "atanh",  "cbrt",  "ceil",  "copysign",
        "cos",  "cosh",  "degrees", "erf",      "erfc",  "exp",   "exp2",   "expm1", "fabs",  "floor",
        "fmod", "gamma", "hypot",   "isfinite", "isinf", "isnan", "lgamma", "log",   "log10", "log1p",
        "log2", "pow",   "radians", "sin",      "sinh",  "sqrt",  "tan",    "tanh"};
    constexpr std::string_view kMath = "math.";
    return path.starts_with(kMath) &&
           std::find(std::begin(kNames), std::end(kNames), path.substr(kMath.size())) != std::end(kNames);
}

/// Raises what torch.finfo() and torch.iinfo() raise for a dtype of the other kind.
void requireLimits(const std::string& path, const trace::Values& args) {
    const bool ofFloats = path == "torch.finfo";
    if (!ofFloats && path != "torch.iinfo") return;
    if (args.size() > 1)
        throw PythonError("TypeError: " + (ofFloats ? "finfo() received an invalid combination of arguments"
                                                    : trace::tooManyArguments("iinfo", 1, 1, args.size())));
    if (args.empty()) return;
    const auto* argument = args[0].as<Argument>();
    const auto* dtype = argument ? argument->as<TorchConstant>() : nullptr;
    if (!dtype) return;
    const std::string_view name = std::string_view(dtype->name).substr(dtype->name.rfind('.') + 1);
    const bool isWhole = name == "bool" || name.starts_with("int") || name.starts_with("uint");
    if (ofFloats && isWhole)
        throw PythonError("TypeError: torch.finfo() requires a floating point input type. Use torch.iinfo to handle "
                          "'torch.finfo'");
    if (!ofFloats && name == "bool") throw PythonError("TypeError: torch.bool is not supported by torch.iinfo");
    if (!ofFloats && !isWhole &&
        (name.starts_with("float") || name.starts_with("bfloat") || name.starts_with("complex")))
        throw PythonError("TypeError: torch.iinfo() requires an integer input type. Use torch.finfo to handle "
                          "'torch.iinfo'");
}
} // namespace

Value Calls::calledByTracer(const Traced& callee, Values args, Keywords kwargs) {
    trace::Values traceArgs;
    trace::KeywordValues traceKwargs;
    const auto* function = callee.value.as<trace::FunctionValue>();
    if (function && function->callable->module == "_operator")
        if (const Value own = callOperator(function->callable->name, args); own.isSet()) return own;
    if (function) m_in.library().unwrapArray(function->path, args, kwargs);
    if (function && m_in.machine && takesFloats(function->path))
        for (Value& arg : args)
            if (const Value number = tensorIn(arg) ? m_in.tensors().numberOf(arg) : Value(); number.isSet())
                arg = Value(number.asReal());
    if (function && readsData(function->path) &&
        (std::any_of(args.begin(), args.end(), holdsProxy) || std::any_of(kwargs.begin(), kwargs.end(), [](auto& each) {
             return (each.first == "data" || each.first == "obj" || each.first.ends_with("s")) &&
                    holdsProxy(each.second);
         }))) {
        const bool isArrayLike = function->path == "torch.tensor" || function->path.starts_with("torch.as");
        const Value data = isArrayLike && !args.empty() ? args[0] : Value();
        if (isProxy(data)) // PyTorch asks for this attribute, and a Proxy has all
            raise("TypeError", "`__cuda_array_interface__` must be a dict");
        if (holdsProxy(data)) throw PythonError(Message("python.len"));
        raise("TypeError", function->path + "() cannot take a Proxy as data");
    }
    const bool records =
        callee.value.isProxy() || std::any_of(args.begin(), args.end(), isProxy) ||
        std::any_of(kwargs.begin(), kwargs.end(), [](const auto& each) { return isProxy(each.second); });
    if (const Value generator = records ? Value() : takeGenerator(m_in, kwargs); generator.isSet())
        return call(generator,
                    {native("draw", [of = traced(callee.value), args, kwargs](Interpreter& in, Values&, Keywords&) {
                        return in.call(of, args, kwargs);
                    })});
    for (const Value& arg : args) traceArgs.push_back(toOperand(arg, records));
    for (const auto& [key, value] : kwargs) traceKwargs.emplace_back(key, toOperand(value, records));
    if (function) requireLimits(function->path, traceArgs);
    if (function && function->path.starts_with("torch.") && trace::anyProxy(traceArgs, {}) &&
        std::any_of(args.begin(), args.end(), [](const Value& arg) { return arg.as<Iterator>() != nullptr; }))
        raise("TypeError", function->callable->name + "(): expected a tuple or list of tensors, got a generator");
    if (function && Library::takesArrays(function->path) && !trace::anyProxy(traceArgs, traceKwargs))
        trace::prepareLiteral(traceArgs, traceKwargs);
    requireArguments(callee, traceArgs, traceKwargs);
    const bool hasProxy = trace::anyProxy(traceArgs, traceKwargs);
    if (function && !hasProxy && !tracer().recordsConstants)
        if (auto made = m_in.tensors().constructorTensor(*function, traceArgs, traceKwargs)) return *made;
    const auto* method = callee.value.as<trace::BoundMethod>();
    const bool mustCompute = function && !hasProxy && isOfNumbers(*function->callable);
    const auto computed = [&](trace::Value made) {
        if (mustCompute && made.isProxy())
            throw CannotFollow(Message("trace.not_computed", {{"function", function->path}}));
        return made;
    };
    if (method && !traces() && !hasProxy)
        if (auto filled = m_in.tensors().fillMethod(*method, args, kwargs)) return *filled;
    if ((!function && !method) || !traceKwargs.empty() || hasProxy)
        return fromTrace(computed(tracer().call(callee.value, std::move(traceArgs), std::move(traceKwargs))));
    const trace::Value made = computed(tracer().call(callee.value, traceArgs, {}));
    if (made.isProxy()) return fromTrace(made);
    m_in.tensors().numbers().bytesAreCurrent = m_in.machine == nullptr;
    if (method) traceArgs.insert(traceArgs.begin(), method->self);
    m_in.tensors().numbers().learn(method ? method->name : function->path.substr(function->path.rfind('.') + 1),
                                   traceArgs, made);
    return fromTrace(made);
}

} // namespace fx::python
