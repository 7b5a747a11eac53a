// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/dispatch.h"

#include "core/engine/ivalues.h"
#include "core/engine/operators/prims.h"
#include "core/engine/operators/script_operators.h"
#include "core/engine/outside.h"
#include "core/engine/quant/decomposed.h"
#include "core/engine/quant/operator_guards.h"
#include "core/ops/call_form.h"
#include "core/ops/catalogue.h"
#include "core/ops/python_signatures.h"
#include "core/ops/reach.h"

#include <ATen/core/dispatch/Dispatcher.h>

#include <map>

namespace fx::engine {

class Kernel {
public:
    explicit Kernel(const c10::OperatorHandle& op) : handle(op) {
        const std::string base = op.schema().name().substr(op.schema().name().rfind(':') + 1);
        for (const c10::Argument& result : op.schema().returns())
            if (op.schema().returns().size() > 1 && !result.name().empty()) fields.push_back(result.name());
        if (!fields.empty()) typeName = "torch.return_types." + base;
        guard = operatorGuard(op.schema().name());
        const auto known = ops::findOperator(c10::toString(op.operator_name()));
        if (known) reach = ops::reachesOutside(*known);
        isPure = known && ops::isPure(*known);
    }
    c10::OperatorHandle handle;
    std::vector<std::string> fields;
    std::string typeName;
    OperatorGuard guard = nullptr;
    std::optional<ops::Reach> reach; ///< beyond its tensors: it is never called
    bool isPure = false;             ///< may be called to infer shapes; those of libraries may not
};

namespace {

thread_local CallObserver* t_observer = nullptr;

using ops::PythonSignature;
using ops::SignatureParameter;
using Type = SignatureParameter::Type;

/// Signatures of a function with their kernels, found when first used.
struct BoundSignature {
    PythonSignature signature;
    const Kernel* kernel = nullptr;
    const Kernel* outKernel = nullptr;
};

/// Parsed signatures by name; a worker has one thread that runs models.
const std::vector<BoundSignature>& boundSignatures(std::string_view name) {
    thread_local std::map<std::string, std::vector<BoundSignature>, std::less<>> known;
    if (const auto found = known.find(name); found != known.end()) return found->second;
    std::vector<BoundSignature> out;
    for (PythonSignature& signature : ops::pythonSignatures(name)) {
        const Kernel* kernel = findKernel(signature.op);
        const Kernel* outKernel = signature.outOp.empty() ? nullptr : findKernel(signature.outOp);
        if (kernel || outKernel) out.push_back({std::move(signature), kernel, outKernel});
    }
    return known.emplace(std::string(name), std::move(out)).first->second;
}

bool isZeroDimensional(const Value& value, bool (*type)(at::ScalarType)) {
    return value.isTensor() && value.tensor().defined() && value.tensor().dim() == 0 &&
           type(value.tensor().scalar_type());
}
bool isIntegral(at::ScalarType type) { return at::isIntegralType(type, false); }
bool isAnyType(at::ScalarType) { return true; }

bool isIndex(const Value& value) { return value.as<std::int64_t>() || isZeroDimensional(value, isIntegral); }
bool isComplex(const Value& value) { return value.constant() && value.constant()->as<Complex>(); }
bool isNumber(const Value& value) { return value.real() || isComplex(value); }

template<class Predicate> bool allItems(const Value& value, Predicate predicate) {
    const Items* items = value.items();
    return items && std::all_of(items->items.begin(), items->items.end(), predicate);
}

/// PyTorch's `FunctionParameter::check`.
bool accepts(const SignatureParameter& parameter, const Value& value, bool numbersAsTensors) {
    switch (parameter.type) {
    case Type::Tensor: return value.isTensor() || (numbersAsTensors && isNumber(value));
    case Type::TensorList: return allItems(value, [](const Value& item) { return item.isTensor() || item.isNone(); });
    case Type::Scalar: return isNumber(value) || isZeroDimensional(value, isAnyType);
    case Type::ScalarList: return allItems(value, isNumber);
    case Type::Int: return isIndex(value);
    case Type::Double: return value.real() || isZeroDimensional(value, isAnyType);
    case Type::Bool:
        return value.as<bool>() || isZeroDimensional(value, [](at::ScalarType type) { return type == at::kBool; });
    case Type::IntList:
        return (parameter.size > 0 && value.as<std::int64_t>()) ||
               (value.items() && (value.items()->items.empty() || isIndex(value.items()->items.front())));
    case Type::DoubleList: return allItems(value, [](const Value& item) { return item.real().has_value(); });
    case Type::String: return value.text();
    case Type::Dtype: return value.as<at::ScalarType>() || value.callable();
    case Type::Layout: return value.as<at::Layout>();
    case Type::Device: return value.as<at::Device>() || value.text() || value.as<std::int64_t>();
    case Type::MemoryFormat: return value.as<at::MemoryFormat>();
    default: return false;
    }
}

/// A keyword argument, also under the name that NumPy has for it.
const Value* keyword(const Arguments& arguments, std::string_view name) {
    if (const Value* value = arguments.find(name)) return value;
    if (name == "dim") return arguments.find("axis");
    if (name == "keepdim") return arguments.find("keepdims");
    if (name == "other") return arguments.find("x2");
    if (name != "input") return nullptr;
    for (const std::string_view other : {"x", "a", "x1"})
        if (const Value* value = arguments.find(other)) return value;
    return nullptr;
}

struct Binding {
    std::vector<const Value*> values; ///< one per parameter; null: its default
    std::optional<Value> varargs;     ///< `view(2, 3)`: the integers as a tuple
};

/// PyTorch's `FunctionSignature::parse`.
std::optional<Binding> bind(const PythonSignature& signature, const Arguments& arguments) {
    const auto& parameters = signature.parameters;
    const bool varargs = signature.positional == 1 && parameters.front().type == Type::IntList;
    const std::size_t given = arguments.positional.size();
    if (given > signature.positional && !varargs) return std::nullopt;
    const bool numbers = ops::takesNumbersAsTensors(signature.op);
    Binding out;
    std::size_t position = 0, keywords = 0;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const bool byPosition = position < given;
        if (byPosition && parameters[i].keywordOnly) return std::nullopt;
        const Value* value = byPosition ? &arguments.positional[position] : keyword(arguments, parameters[i].name);
        if (!byPosition && value) ++keywords;
        if ((!value && parameters[i].optional) || (value && value->isNone() && parameters[i].nullable)) {
            out.values.push_back(nullptr);
        } else if (!value) {
            // A generator that is not optional in the table is still not given in graphs.
            return std::nullopt;
        } else if (accepts(parameters[i], *value, numbers)) {
            out.values.push_back(value);
        } else if (i == 0 && varargs && byPosition && isIndex(*value)) {
            out.varargs = Value::tuple(arguments.positional);
            out.values.push_back(nullptr);
            position = given;
            continue;
        } else {
            return std::nullopt;
        }
        position += byPosition;
    }
    if (position < given || keywords < arguments.named.size()) return std::nullopt;
    return out;
}

/// Where the value of an operator's argument comes from: parameter index, or -1 for self, -2 for the default, -3 for
/// the literal 1.
enum : int { kSelf = -1, kDefault = -2, kOne = -3 };

int parameterIndex(const PythonSignature& signature, std::string_view name) {
    for (std::size_t i = 0; i < signature.parameters.size(); ++i)
        if (signature.parameters[i].name == name) return static_cast<int>(i);
    return kDefault;
}

int sourceOf(const BoundSignature& bound, const c10::FunctionSchema& schema, std::size_t argument, bool method) {
    const PythonSignature& signature = bound.signature;
    std::string_view name = schema.arguments()[argument].name();
    if (!signature.operatorArguments.empty()) {
        const std::size_t skipped = signature.operatorArguments.front() == "out";
        if (argument + skipped >= signature.operatorArguments.size()) return kDefault;
        name = signature.operatorArguments[argument + skipped];
        if (name == "1") return kOne;
    }
    const int direct = parameterIndex(signature, name);
    if (direct != kDefault || name != "self") return direct;
    return method ? kSelf : parameterIndex(signature, "input");
}

c10::IValue defaultOf(const c10::Argument& argument) {
    return argument.default_value() ? *argument.default_value() : c10::IValue();
}

Value runObserved(const Kernel& kernel, std::vector<c10::IValue>& stack, ResultStyle style) {
    if (t_observer) t_observer->called(kernel, stack, style);
    runKernel(kernel, stack);
    Value result = resultOf(kernel, stack, style);
    if (t_observer) t_observer->returned(result);
    return result;
}

Value callBound(const BoundSignature& bound, const Binding& binding, const Value* self) {
    const int out = parameterIndex(bound.signature, "out");
    const bool toOut = out >= 0 && binding.values[static_cast<std::size_t>(out)];
    const Kernel* kernel = toOut ? bound.outKernel : bound.kernel;
    if (!kernel)
        throw runError(
            Message("engine.unknown_operator", {{"name", toOut ? bound.signature.outOp : bound.signature.op}}));
    const c10::FunctionSchema& schema = kernel->handle.schema();
    std::vector<c10::IValue> stack;
    stack.reserve(schema.arguments().size());
    std::size_t outs = 0;
    for (std::size_t i = 0; i < schema.arguments().size(); ++i) {
        const c10::Argument& argument = schema.arguments()[i];
        if (argument.is_out()) {
            const Value& target = *binding.values[static_cast<std::size_t>(out)];
            stack.push_back(toIValue(target.items() ? target.items()->items.at(outs++) : target, argument));
            continue;
        }
        const int source = sourceOf(bound, schema, i, self != nullptr);
        const Value* value = source == kSelf ? self
                             : source >= 0   ? binding.values[static_cast<std::size_t>(source)]
                                             : nullptr;
        if (source == 0 && binding.varargs) value = &*binding.varargs;
        if (source == kOne) stack.push_back(toIValue(Value(1), argument));
        else stack.push_back(value ? toIValue(*value, argument) : defaultOf(argument));
    }
    return runObserved(*kernel, stack, ResultStyle::Binding);
}

/// "torchvision" and "nms" of "torch.ops.torchvision.nms.default" and of "torchvision::nms".
std::pair<std::string_view, std::string_view> spaceAndName(std::string_view operatorName) {
    constexpr std::string_view kOps = "torch.ops.";
    if (operatorName.starts_with(kOps)) operatorName.remove_prefix(kOps.size());
    const std::size_t end = operatorName.find_first_of(":.");
    if (end == operatorName.npos) return {"aten", operatorName};
    const std::string_view rest = operatorName.substr(end + (operatorName[end] == ':' ? 2 : 1));
    return {operatorName.substr(0, end), rest.substr(0, rest.find('.'))};
}

/// Operators of the same namespace with a like name, or empty.
std::string near(std::string_view name) {
    const auto [space, base] = spaceAndName(name);
    std::string text;
    int left = 5;
    for (const ops::Operator& found : ops::searchOperators(base))
        if (found.nameSpace() == space && left-- > 0) text += (text.empty() ? "" : ", ") + found.qualifiedName();
    return text;
}

/// Whether PyTorch itself has operators in a namespace; those of others are registered by libraries.
bool isOwnSpace(std::string_view space) {
    for (std::size_t i = 0; i < ops::operatorCount(); ++i)
        if (ops::operatorAt(i).nameSpace() == space) return true;
    return false;
}

std::string spelled(const PythonSignature& signature) {
    std::string text = "(";
    bool keywordOnly = false;
    for (const SignatureParameter& parameter : signature.parameters) {
        if (text.size() > 1) text += ", ";
        if (parameter.keywordOnly && !keywordOnly) text += "*, ";
        keywordOnly = parameter.keywordOnly;
        text += std::string(parameter.name);
        if (parameter.optional) text += "=" + std::string(parameter.defaultValue);
    }
    return text + ")";
}

} // namespace

bool& dependsOnMore() {
    thread_local bool flag = false;
    return flag;
}

CallObserver::CallObserver() : m_outer(std::exchange(t_observer, this)) {}
CallObserver::~CallObserver() { t_observer = m_outer; }

const Kernel* findKernel(std::string_view name) {
    thread_local std::map<std::string, std::unique_ptr<Kernel>, std::less<>> known;
    if (const auto found = known.find(name); found != known.end()) return found->second.get();
    std::string qualified(name), overload;
    if (qualified.starts_with("torch.ops.")) {
        qualified.erase(0, 10);
        if (const auto dot = qualified.find('.'); dot != qualified.npos) qualified.replace(dot, 1, "::");
    }
    if (const auto dot = qualified.find('.', qualified.find("::")); dot != qualified.npos) {
        overload = qualified.substr(dot + 1);
        qualified.erase(dot);
    }
    if (overload == "default") overload.clear();
    const auto handle = c10::Dispatcher::singleton().findSchema({qualified, overload});
    return known.emplace(std::string(name), handle ? std::make_unique<Kernel>(*handle) : nullptr).first->second.get();
}

std::string kernelName(const Kernel& kernel) { return c10::toString(kernel.handle.operator_name()); }

StackFilter& stackFilter() {
    thread_local StackFilter filter = nullptr;
    return filter;
}

const c10::OperatorHandle& handleOf(const Kernel& kernel) { return kernel.handle; }

int deviceArgument(const Kernel& kernel) {
    const auto& arguments = kernel.handle.schema().arguments();
    for (std::size_t i = 0; i < arguments.size(); ++i)
        if (arguments[i].name() == "device") return static_cast<int>(i);
    return -1;
}

void runKernel(const Kernel& kernel, std::vector<c10::IValue>& stack) {
    if (kernel.reach) throw fx::Error(ErrorKind::Refused, ops::refusalOf(kernelName(kernel), *kernel.reach));
    if (!kernel.isPure) InferenceOnly::refuseImpure(kernelName(kernel));
    if (const StackFilter filter = stackFilter())
        if (const OperatorCall call = filter(kernel, stack)) return call(kernel.handle, &stack);
    if (kernel.guard) kernel.guard(stack);
    kernel.handle.callBoxed(stack);
}

Value resultOf(const Kernel& kernel, std::vector<c10::IValue>& stack, ResultStyle style) {
    const auto& returns = kernel.handle.schema().returns();
    if (stack.empty()) return {};
    if (stack.size() == 1)
        return fromIValue(std::move(stack[0]), style, returns.empty() ? nullptr : returns[0].real_type().get());
    auto out = std::make_shared<Items>();
    for (std::size_t i = 0; i < stack.size(); ++i)
        out->items.push_back(fromIValue(std::move(stack[i]), style, returns[i].real_type().get()));
    if (style == ResultStyle::Binding && kernel.fields.size() == out->items.size()) {
        out->kind = Items::Kind::Named;
        out->fields = kernel.fields;
        out->typeName = kernel.typeName;
    }
    return out;
}

Value callKernel(const Kernel& kernel, const Arguments& arguments, ResultStyle style) {
    const c10::FunctionSchema& schema = kernel.handle.schema();
    const auto& expected = schema.arguments();
    if (arguments.positional.size() > expected.size())
        throw runError(Message(
            "engine.argument_count",
            {{"name", kernelName(kernel)}, {"expected", expected.size()}, {"got", arguments.positional.size()}}));
    std::vector<c10::IValue> stack;
    stack.reserve(expected.size());
    std::size_t named = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const Value* value = arguments.at(i, expected[i].name());
        named += value && i >= arguments.positional.size();
        if (!value && !expected[i].default_value())
            throw runError(Message(
                "engine.missing_argument",
                {{"function", kernelName(kernel)}, {"name", expected[i].name()}, {"schema", c10::toString(schema)}}));
        stack.push_back(value ? toIValue(*value, expected[i]) : *expected[i].default_value());
    }
    if (named < arguments.named.size())
        for (const auto& [name, value] : arguments.named)
            if (!schema.argumentIndexWithName(name))
                throw runError(
                    Message("engine.unknown_argument",
                            {{"function", kernelName(kernel)}, {"name", name}, {"schema", c10::toString(schema)}}));
    return runObserved(kernel, stack, style);
}

Value callOperator(std::string_view name, Arguments arguments) {
    if (const Kernel* kernel = findKernel(name)) return callKernel(*kernel, arguments, ResultStyle::Overload);
    if (auto value = callPrim(name, arguments)) return *value;
    if (auto value = callDecomposed(name, arguments)) return *value;
    refuseOutside(name);
    if (auto value = callScriptOperator(name, arguments)) return *value;
    if (const std::string_view space = spaceAndName(name).first; !isOwnSpace(space))
        throw runError(Message("engine.custom_operator", {{"name", name}, {"space", space}}));
    throw runError(Message("engine.unknown_operator", {{"name", name}, {"similar", near(name)}}));
}

Value callPacket(std::string_view name, const Arguments& arguments) {
    Message first;
    for (const ops::Operator& op : ops::overloads(name)) {
        const Kernel* kernel = op.isScriptOnly() ? nullptr : findKernel(op.qualifiedName().insert(0, "torch.ops."));
        if (!kernel || op.overload().ends_with("out")) continue;
        try {
            return callKernel(*kernel, arguments, ResultStyle::Overload);
        } catch (const fx::Error& error) {
            if (error.kind() == ErrorKind::Refused) throw;
            if (first.text().empty()) first = error.message();
        }
    }
    if (first.text().empty()) {
        refuseOutside(name);
        if (auto value = callDecomposed(name, arguments)) return *value;
        if (auto value = callScriptOperator(name, arguments)) return *value;
        throw runError(
            Message("engine.no_overload", {{"name", name}, {"got", typeText(arguments)}, {"similar", near(name)}}));
    }
    throw runError(Message("engine.overloads_failed", {{"name", name},
                                                       {"got", typeText(arguments)},
                                                       {"reason", first.text()},
                                                       {"cause", first.code()},
                                                       {"exception", first.argument("exception")}}));
}

bool hasSignatures(std::string_view qualifiedName) { return !boundSignatures(qualifiedName).empty(); }

Value callSignatures(std::string_view qualifiedName, const Value* self, const Arguments& arguments) {
    const auto& signatures = boundSignatures(qualifiedName);
    for (const BoundSignature& bound : signatures)
        if (const auto binding = bind(bound.signature, arguments)) return callBound(bound, *binding, self);
    std::string forms;
    for (const BoundSignature& bound : signatures) forms += (forms.empty() ? "" : " or ") + spelled(bound.signature);
    throw runError(
        Message("engine.arguments",
                {{"name", qualifiedName}, {"got", typeText(arguments)}, {"forms", forms}, {"exception", "TypeError"}}));
}

} // namespace fx::engine
