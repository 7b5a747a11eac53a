// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pysrc/literals.h"
#include "core/pysrc/parser.h"
#include "core/trace/function_calls.h"
#include "core/trace/numbers/number_functions.h"
#include "core/trace/numbers/python_numbers.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace fx::trace {
namespace {
struct Call {
    Tracer& tracer;
    const Values& args;
    const KeywordValues& kwargs;

    const Value& at(std::size_t i) const {
        if (i >= args.size()) throw PythonError("TypeError: a required argument is missing");
        return args[i];
    }
    const Value* keyword(std::string_view name) const {
        for (const auto& [key, value] : kwargs)
            if (key == name) return &value;
        return nullptr;
    }
    std::optional<std::int64_t> integer(std::size_t i) const {
        const auto* argument = at(i).as<Argument>();
        const auto* number = argument ? argument->as<std::int64_t>() : nullptr;
        return number ? std::optional(*number) : std::nullopt;
    }
    const std::string* text(const Value& value) const {
        const auto* argument = value.as<Argument>();
        return argument ? argument->as<std::string>() : nullptr;
    }
};
using Function = Value (*)(const Call&);

Value makeSlice(const Call& call) {
    const std::size_t count = call.args.size();
    if (count == 1) return box(ValueSlice{none(), call.at(0), none()});
    return box(ValueSlice{call.at(0), call.at(1), count > 2 ? call.at(2) : none()});
}

Value makeRange(const Call& call) {
    Range range;
    for (std::size_t i = 0; i < call.args.size(); ++i)
        if (!call.integer(i)) throw PythonError("TypeError: 'Proxy' object cannot be interpreted as an integer");
    if (call.args.size() == 1) {
        range.stop = *call.integer(0);
    } else {
        range.start = *call.integer(0);
        range.stop = *call.integer(1);
        if (call.args.size() > 2) range.step = *call.integer(2);
    }
    return {Argument(range)};
}

/// Raises RuntimeError for a text that names no device of PyTorch.
void requireDevice(const std::string& text) {
    static const std::set<std::string_view> kTypes = {
        "cpu",  "cuda", "ipu", "xpu",  "mkldnn", "opengl", "opencl", "ideep", "hip",  "ve",
        "fpga", "maia", "xla", "lazy", "vulkan", "mps",    "meta",   "hpu",   "mtia", "privateuseone"};
    if (text.empty()) throw PythonError("RuntimeError: Device string must not be empty");
    const auto isDigit = [](char each) { return each >= '0' && each <= '9'; };
    const auto isLetter = [](char each) { return (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z'); };
    const auto colon = text.find(':');
    const std::string type = text.substr(0, colon);
    const bool isType = !type.empty() &&
                        std::all_of(type.begin(), type.end(), [&](char each) { return isLetter(each) || each == '_'; });
    const std::string index = colon == std::string::npos ? "0" : text.substr(colon + 1);
    const bool isIndex =
        !index.empty() && std::all_of(index.begin(), index.end(), isDigit) && (index.size() == 1 || index[0] != '0');
    if (!isType || !isIndex) throw PythonError("RuntimeError: Invalid device string: '" + text + "'");
    if (!kTypes.contains(type))
        throw PythonError("RuntimeError: Expected one of cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, "
                          "fpga, maia, xla, lazy, vulkan, mps, meta, hpu, mtia, privateuseone device type at start of "
                          "device string: " +
                          type);
}

Value makeDevice(const Call& call) {
    Device device;
    const Value& first = call.args.empty() && call.keyword("type") ? *call.keyword("type") : call.at(0);
    if (const auto* argument = first.as<Argument>(); argument && argument->as<Device>()) return first;
    const auto* text = call.text(first);
    if (!text) throw CannotFollow(Message("trace.unknown_device", {{"value", textOf(first)}}));
    requireDevice(*text);
    const auto colon = text->find(':');
    device.type = text->substr(0, colon);
    if (colon != std::string::npos) device.index = std::atoi(text->c_str() + colon + 1);
    const Value* index = call.args.size() > 1 ? &call.args[1] : call.keyword("index");
    const auto* number = index && index->as<Argument>() ? index->as<Argument>()->as<std::int64_t>() : nullptr;
    if (number) device.index = static_cast<int>(*number);
    return {Argument(device)};
}

Value makeSequence(const Call& call, bool list) {
    if (call.args.empty()) return list ? listOf({}) : tupleOf({});
    if (call.at(0).isProxy()) throw PythonError(Message("python.iterated"));
    if (auto items = itemsOf(call.at(0))) return list ? listOf(std::move(*items)) : tupleOf(std::move(*items));
    throw CannotFollow(Message("trace.unknown_sequence", {{"value", textOf(call.at(0))},
                                                          {"function", std::string_view(list ? "list" : "tuple")}}));
}

Value makeSize(const Call& call) {
    const Value items = makeSequence(call, false);
    return call.tracer.mode() == Tracer::Mode::AsWritten ? items : sizeOf(items.as<ValueSequence>()->items);
}

Value makeDict(const Call& call) {
    ValueDict dict;
    if (!call.args.empty()) {
        const auto* source = call.at(0).as<ValueDict>();
        if (!source) throw CannotFollow(Message("trace.unknown_dict", {{"value", textOf(call.at(0))}}));
        dict = *source;
    }
    for (const auto& [key, value] : call.kwargs) dict.items.emplace_back(Value{Argument(key)}, value);
    return box(std::move(dict));
}

/// Only `type(None)` is known without running anything: torch.fx imports it into every graph.
Value typeOf(const Call& call) {
    if (call.args.size() != 1 || !call.at(0).isNone())
        throw CannotFollow(Message("trace.unknown_type", {{"value", textOf(call.at(0))}}));
    Callable none;
    none.kind = Callable::Kind::Class;
    none.module = "builtins";
    none.name = none.qualifiedName = "NoneType";
    none.repr = "<class 'NoneType'>";
    return box(FunctionValue{"types.NoneType", std::make_shared<const Callable>(none), std::nullopt, false});
}

/// str and repr; a proxy calls itself by its node.
Value proxyText(const Call& call, bool quoted) {
    const auto* proxy = call.at(0).as<Proxy>();
    if (proxy) return {Argument("Proxy(" + call.tracer.graph().node(proxy->node).name() + ")")};
    if (call.text(call.at(0)) && !quoted) return call.at(0);
    if (call.at(0).as<Argument>()) return {Argument(textOf(call.at(0)))};
    throw CannotFollow(Message("trace.unknown_text", {{"value", textOf(call.at(0))}}));
}

Value getAttribute(const Call& call) {
    const auto* name = call.text(call.at(1));
    if (!name) throw PythonError("TypeError: attribute name must be string");
    try {
        return call.tracer.attribute(call.at(0), *name);
    } catch (const PythonError&) {
        if (call.args.size() > 2) return call.args[2];
        throw;
    }
}

Value length(const Call& call) {
    if (call.at(0).isProxy()) throw PythonError(Message("python.len"));
    if (const auto items = itemsOf(call.at(0))) return {Argument(static_cast<std::int64_t>(items->size()))};
    throw CannotFollow(Message("trace.unknown_len", {{"value", textOf(call.at(0))}}));
}

Value toNumber(const Call& call, bool integer) {
    if (call.at(0).isProxy())
        throw PythonError(std::string("TypeError: ") + (integer ? "int" : "float") + "() argument must be a string" +
                          (integer ? ", a bytes-like object or" : " or") + " a real number, not '" +
                          (call.at(0).asLazy() ? "Attribute" : "Proxy") + "'");
    if (const auto known = callNumberFunction(integer ? "builtins.int" : "builtins.float", {call.at(0)})) return *known;
    throw CannotFollow(Message("trace.unknown_number", {{"value", textOf(call.at(0))},
                                                        {"function", std::string_view(integer ? "int" : "float")}}));
}

/// isinstance of a plain value: whether it is of the class; nullopt for classes that are not known here.
std::optional<bool> isOfClass(const Value& value, const Callable& type) {
    const std::string_view name = type.name;
    const auto* argument = value.as<Argument>();
    if (value.isProxy()) return name == "Proxy";
    const auto* sequence = value.as<ValueSequence>();
    if (type.qualifiedName == "torch.Size") return sequence && sequence->isSize;
    if (name == "list" || name == "tuple") return sequence && sequence->list == (name == "list");
    if (name == "dict") return value.as<ValueDict>() != nullptr;
    if (name == "Tensor") return value.as<TensorValue>() != nullptr;
    if (name == "int")
        return argument && (argument->as<std::int64_t>() || argument->as<bool>() || argument->as<BigInt>());
    if (name == "float") return argument && argument->as<double>();
    if (name == "str") return argument && argument->as<std::string>();
    if (name == "bool") return argument && argument->as<bool>();
    if (name == "NoneType") return value.isNone();
    return std::nullopt;
}

Value isInstance(const Call& call) {
    const auto* several = call.at(1).as<ValueSequence>();
    for (const Value& type : several ? several->items : Values{call.at(1)}) {
        const auto* function = type.as<FunctionValue>();
        const auto is = function ? isOfClass(call.at(0), *function->callable) : std::nullopt;
        if (!is && !call.at(0).isProxy())
            throw CannotFollow(Message("trace.unknown_isinstance", {{"value", textOf(call.at(0))}}));
        if (is.value_or(false)) return {Argument(true)};
    }
    return {Argument(false)};
}

/// Functions that are called on values at once, by the path of their table row.
const std::map<std::string_view, Function>& table() {
    static const std::map<std::string_view, Function> kTable = {
        {"builtins.slice", makeSlice},
        {"builtins.range", makeRange},
        {"torch.device", makeDevice},
        {"builtins.tuple", [](const Call& call) { return makeSequence(call, false); }},
        {"torch.Size", makeSize},
        {"builtins.list", [](const Call& call) { return makeSequence(call, true); }},
        {"builtins.dict", makeDict},
        {"builtins.getattr", getAttribute},
        {"builtins.len", length},
        {"builtins.str", [](const Call& call) { return proxyText(call, false); }},
        {"builtins.repr", [](const Call& call) { return proxyText(call, true); }},
        {"builtins.callable",
         [](const Call& call) {
             if (call.at(0).isProxy()) return Value{Argument(true)};
             throw CannotFollow(Message("trace.unknown_callable", {{"value", textOf(call.at(0))}}));
         }},
        {"_operator.call",
         [](const Call& call) {
             return call.tracer.call(call.at(0), Values(call.args.begin() + 1, call.args.end()), call.kwargs);
         }},
        {"builtins.type", typeOf},
        {"builtins.int", [](const Call& call) { return toNumber(call, true); }},
        {"builtins.float", [](const Call& call) { return toNumber(call, false); }},
        {"builtins.bool", [](const Call& call) { return Value{Argument(call.tracer.truth(call.at(0)))}; }},
        {"builtins.abs", [](const Call& call) { return call.tracer.unary("abs", call.at(0)); }},
        {"builtins.pow", [](const Call& call) { return call.tracer.binary("pow", call.at(0), call.at(1)); }},
        {"builtins.print", [](const Call&) { return none(); }},
        {"builtins.isinstance", isInstance},
        {"torch.fx._pytree.tree_flatten_spec",
         [](const Call& call) { return treeFlattenSpec(call.tracer, call.at(0), call.at(1)); }},
        {"torch.utils._pytree.tree_unflatten", [](const Call& call) { return treeUnflatten(call.at(0), call.at(1)); }},
        {"_operator.is_", [](const Call& call) { return Value{Argument(isSameObject(call.at(0), call.at(1)))}; }},
        {"_operator.is_not", [](const Call& call) { return Value{Argument(!isSameObject(call.at(0), call.at(1)))}; }},
        {"torch._C._has_torch_function",
         [](const Call& call) {
             if (call.at(0).isProxy()) throw PythonError(Message("python.iterated"));
             const auto items = itemsOf(call.at(0));
             return Value{Argument(
                 items && std::any_of(items->begin(), items->end(), [](const Value& item) { return item.isProxy(); }))};
         }},
        {"torch._C._has_torch_function_unary", [](const Call& call) { return Value{Argument(call.at(0).isProxy())}; }},
        {"torch._C._has_torch_function_variadic",
         [](const Call& call) {
             return Value{Argument(
                 std::any_of(call.args.begin(), call.args.end(), [](const Value& item) { return item.isProxy(); }))};
         }},
        {"_operator.truth", [](const Call& call) { return Value{Argument(call.tracer.truth(call.at(0)))}; }},
        {"_operator.getitem", [](const Call& call) { return call.tracer.subscript(call.at(0), call.at(1)); }},
        {"_operator.contains", [](const Call& call) { return call.tracer.binary("contains", call.at(0), call.at(1)); }},
        {"_operator.setitem",
         [](const Call& call) -> Value {
             if (call.at(0).isProxy()) throw PythonError(Message("python.item_assignment"));
             throw CannotFollow(Message("trace.item_assignment"));
         }},
    };
    return kTable;
}

/// The same, found by the place of the path's text, which a row of the table of functions has only one of.
Function functionAt(std::string_view path) {
    thread_local std::unordered_map<const char*, Function> found;
    const auto known = found.find(path.data());
    if (known != found.end()) return known->second;
    const auto entry = table().find(path);
    return found.emplace(path.data(), entry == table().end() ? nullptr : entry->second).first->second;
}

constexpr std::array<std::string_view, 20> kBinary = {"add",    "and_",   "eq",     "floordiv", "ge",  "gt",    "le",
                                                      "lshift", "lt",     "matmul", "mod",      "mul", "ne",    "or_",
                                                      "pow",    "rshift", "sub",    "truediv",  "xor", "concat"};
constexpr std::array<std::string_view, 7> kUnary = {"abs", "inv", "invert", "neg", "not_", "pos", "index"};

/// Throws what the table saw Python raise for proxies at these places; else the call is not followed.
std::optional<Value> byOutcome(const ops::PythonFunction& function, const Values& args) {
    std::string form;
    std::size_t plain = 0;
    for (const auto& arg : args) {
        const std::string letter = arg.isProxy() ? "p" : plain++ == 0 ? "v" : "w";
        form += (form.empty() ? "" : ", ") + letter;
    }
    for (const auto& outcome : function.outcomes()) {
        if (outcome.form != form) continue;
        if (outcome.error == "control_flow") throw PythonError(Message("python.control_flow"));
        if (outcome.error == "iteration") throw PythonError(Message("python.iterated"));
        if (outcome.error == "len") throw PythonError(Message("python.len"));
        if (!outcome.error.empty()) throw PythonError(std::string(outcome.error));
    }
    return std::nullopt;
}

/// Python's TypeError for a function of `operator` with another number of arguments, or with names.
void requireCount(const ops::PythonFunction& function, std::size_t given, bool isNamed) {
    const auto outcomes = function.outcomes();
    const std::string name(function.name());
    if (outcomes.empty() || name == "call") return; // which takes any
    const auto wanted = static_cast<std::size_t>(std::ranges::count(outcomes.front().form, ',')) + 1;
    if (isNamed) throw PythonError("TypeError: _operator." + name + "() takes no keyword arguments");
    if (given == wanted || (name == "length_hint" && given == 2)) return;
    const std::string count = std::to_string(given);
    if (wanted == 1)
        throw PythonError("TypeError: _operator." + name + "() takes exactly one argument (" + count + " given)");
    throw PythonError("TypeError: " + name + " expected " + std::to_string(wanted) + " arguments, got " + count);
}

std::optional<Value> callOperator(Tracer& tracer, const FunctionValue& function, const Values& args) {
    std::string_view name = function.callable->name;
    const bool isInPlace = name.size() > 3 && name[0] == 'i' && name != "index" && name != "indexOf" &&
                           name != "invert" && name != "is_not";
    if (isInPlace) name.remove_prefix(1);
    // iand and ior lose the underscore that their plain forms have.
    const std::string_view plain = name == "and" ? "and_" : name == "or" ? "or_" : name;
    if (plain == "concat" && args.size() == 2) {
        byOutcome(*function.known, args);
        return tracer.binary("add", args[0], args[1]);
    }
    if (args.size() == 2 && std::find(kBinary.begin(), kBinary.end(), plain) != kBinary.end())
        return isInPlace ? tracer.inPlace(plain, args[0], args[1]) : tracer.binary(plain, args[0], args[1]);
    if (args.size() != 1 || std::find(kUnary.begin(), kUnary.end(), plain) == kUnary.end()) return std::nullopt;
    if (plain == "index" && args[0].isProxy())
        throw PythonError("TypeError: 'Proxy' object cannot be interpreted as an integer");
    return tracer.unary(plain == "inv" ? "invert" : plain, args[0]);
}
} // namespace

std::optional<Value> callPlain(Tracer& tracer, const FunctionValue& function, const Values& args,
                               const KeywordValues& kwargs) {
    if (!function.known) return std::nullopt;
    const bool isOperator = function.callable->module == "_operator";
    const auto plain = functionAt(function.known->path());
    if (isOperator && (plain || !kwargs.empty())) requireCount(*function.known, args.size(), !kwargs.empty());
    if (plain) return plain({tracer, args, kwargs});
    const auto isProxy = [](const Value& value) { return value.isProxy(); };
    if (kwargs.empty() && std::none_of(args.begin(), args.end(), isProxy))
        if (auto value = callNumberFunction(function.known->path(), args)) return value;
    if (isOperator) {
        if (auto value = callOperator(tracer, function, args)) return value;
        requireCount(*function.known, args.size(), false);
    }
    if (function.known->behaviour() == ops::PythonFunction::Behaviour::Plain) return byOutcome(*function.known, args);
    return std::nullopt;
}

Value literal(std::string_view text) {
    try {
        py::Parser parser(text);
        const auto* expr = parser.expression();
        const bool negative = expr->kind == py::ExprKind::Unary && expr->text == "-";
        if (negative) expr = expr->items[0];
        if (expr->kind == py::ExprKind::Constant)
            return negative ? plainUnary("neg", {*expr->constant}) : Value{*expr->constant};
        if (expr->kind == py::ExprKind::Tuple || expr->kind == py::ExprKind::List) {
            Values items;
            for (const auto* item : expr->items)
                if (item->kind == py::ExprKind::Constant) items.push_back({*item->constant});
            return expr->kind == py::ExprKind::List ? listOf(std::move(items)) : tupleOf(std::move(items));
        }
    } catch (const Error&) { // not Python: kept as it prints
        return {Argument(OpaqueObject{"object", std::string(text), {}})};
    }
    return resolveName(std::string(text));
}

} // namespace fx::trace
