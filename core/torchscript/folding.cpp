// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/torchscript/folding.h"

#include "core/diag/error.h"
#include "core/trace/numbers/python_numbers.h"
#include "core/trace/tracer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace fx::script {

std::string_view pythonFunction(std::string_view kind) {
    static const std::map<std::string_view, std::string_view> kTable = {
        {"aten::add", "_operator.add"},
        {"aten::sub", "_operator.sub"},
        {"aten::rsub", "_operator.sub"}, // of swapped operands
        {"aten::mul", "_operator.mul"},
        {"aten::div", "_operator.truediv"},
        {"aten::floordiv", "_operator.floordiv"},
        {"aten::floor_divide", "_operator.floordiv"},
        {"aten::remainder", "_operator.mod"},
        {"aten::neg", "_operator.neg"},
        {"aten::pow", "_operator.pow"},
        {"aten::eq", "_operator.eq"},
        {"aten::ne", "_operator.ne"},
        {"aten::lt", "_operator.lt"},
        {"aten::le", "_operator.le"},
        {"aten::gt", "_operator.gt"},
        {"aten::ge", "_operator.ge"},
        {"aten::__and__", "_operator.and_"},
        {"aten::__or__", "_operator.or_"},
        {"aten::__xor__", "_operator.xor"},
        {"aten::__lshift__", "_operator.lshift"},
        {"aten::__rshift__", "_operator.rshift"},
        {"aten::__not__", "_operator.not_"},
        {"aten::__is__", "_operator.is_"},
        {"aten::__isnot__", "_operator.is_not"},
        {"aten::__contains__", "_operator.contains"},
        {"aten::__getitem__", "_operator.getitem"},
        {"aten::len", "len"},
        {"aten::any", "any"},
        {"aten::all", "all"},
        {"aten::Int", "int"},
        {"aten::IntImplicit", "int"},
        {"aten::Float", "float"},
        {"aten::FloatImplicit", "float"},
        {"aten::Bool", "bool"},
        {"prim::min", "min"},
        {"prim::max", "max"},
        {"prim::abs", "abs"},
        {"aten::sqrt", "math.sqrt"},
        {"aten::ceil", "math.ceil"},
        {"aten::floor", "math.floor"},
        {"aten::exp", "math.exp"},
        {"aten::log", "math.log"},
        {"aten::list", "list"},
        {"aten::str", "str"},
    };
    const auto found = kTable.find(kind);
    return found == kTable.end() ? std::string_view() : found->second;
}

bool isConversion(std::string_view kind) {
    return kind == "aten::Int" || kind == "aten::Float" || kind == "aten::Bool" || kind == "aten::ScalarImplicit" ||
           kind == "aten::IntImplicit" || kind == "aten::FloatImplicit";
}

bool changesContainer(std::string_view kind) {
    static constexpr std::string_view kKinds[] = {"aten::append",  "aten::extend",  "aten::insert",     "aten::pop",
                                                  "aten::clear",   "aten::reverse", "aten::_set_item",  "aten::sort",
                                                  "aten::remove",  "aten::Delete",  "aten::setdefault", "aten::update",
                                                  "aten::popitem", "aten::add_"};
    return std::find(std::begin(kKinds), std::end(kKinds), kind) != std::end(kKinds);
}

namespace {

std::optional<double> realOf(const Argument& value) {
    if (const auto* flag = value.as<bool>()) return *flag ? 1.0 : 0.0;
    return value.number();
}

/// A number as TorchScript's int, if it fits.
std::optional<Argument> integer(double value) {
    if (!(std::abs(value) < 9.2e18)) return std::nullopt;
    return Argument(static_cast<std::int64_t>(value));
}

std::optional<Argument> ofNumber(std::string_view function, const Argument& argument) {
    const auto number = realOf(argument);
    if (!number) return std::nullopt;
    const bool isReal = argument.as<double>() != nullptr;
    if (function == "int")
        return isReal ? integer(std::trunc(*number)) : std::optional(Argument(static_cast<std::int64_t>(*number)));
    if (function == "float") return Argument(*number);
    if (function == "bool") return Argument(*number != 0);
    if (function == "math.ceil") return isReal ? integer(std::ceil(*number)) : argument;
    if (function == "math.floor") return isReal ? integer(std::floor(*number)) : argument;
    if (function == "math.sqrt" && *number >= 0) return Argument(std::sqrt(*number));
    return std::nullopt;
}

std::optional<Argument> identity(std::string_view function, std::span<const Argument> arguments) {
    const bool is = function == "_operator.is_";
    if ((!is && function != "_operator.is_not") || arguments.size() != 2) return std::nullopt;
    if (arguments[0].isNone() || arguments[1].isNone())
        return Argument((arguments[0].isNone() && arguments[1].isNone()) == is);
    return std::nullopt;
}

/// `min(a, b)`, or that of a list.
std::optional<Argument> best(std::string_view function, std::span<const Argument> arguments) {
    if (function != "min" && function != "max") return std::nullopt;
    const Sequence* list = arguments.size() == 1 ? arguments[0].asList() : nullptr;
    if (list && !list->items.empty()) {
        std::optional<Argument> found = list->items.front();
        for (std::size_t i = 1; found && i < list->items.size(); ++i)
            found = best(function, std::array{*found, list->items[i]});
        return found;
    }
    if (arguments.size() != 2) return std::nullopt;
    const auto a = realOf(arguments[0]), b = realOf(arguments[1]);
    if (!a || !b || arguments[0].value().index() != arguments[1].value().index()) return std::nullopt;
    return (function == "min" ? *b < *a : *b > *a) ? arguments[1] : arguments[0];
}

/// any and all of a list of numbers.
std::optional<Argument> truthOfAll(std::string_view function, std::span<const Argument> arguments) {
    const Sequence* list = arguments.size() == 1 ? arguments[0].asList() : nullptr;
    if ((function != "any" && function != "all") || !list) return std::nullopt;
    const bool wanted = function == "any"; // the truth that decides
    for (const Argument& item : list->items) {
        const auto number = realOf(item);
        if (!number) return std::nullopt;
        if ((*number != 0) == wanted) return Argument(wanted);
    }
    return Argument(!wanted);
}

bool fits(const Argument& value) {
    return value.as<bool>() || value.as<std::int64_t>() || value.as<double>() || value.as<std::string>() ||
           value.isNone();
}

} // namespace

std::optional<Argument> fold(std::string_view function, std::span<const Argument> arguments) {
    if (const auto known = identity(function, arguments)) return known;
    if (const auto known = best(function, arguments)) return known;
    if (const auto known = truthOfAll(function, arguments)) return known;
    if (arguments.size() == 1 && !function.starts_with("_operator.")) return ofNumber(function, arguments[0]);
    if (!function.starts_with("_operator.")) return std::nullopt;
    const std::string_view op = function.substr(10);
    try {
        std::optional<trace::Value> result;
        if (op == "not_" && arguments.size() == 1)
            result = {Argument(!trace::plainTruth(trace::fromArgument(arguments[0])))};
        else if (arguments.size() == 1) result = trace::plainUnary(op, trace::fromArgument(arguments[0]));
        else if (arguments.size() == 2 && op != "getitem" && op != "contains")
            result = trace::plainBinary(op, trace::fromArgument(arguments[0]), trace::fromArgument(arguments[1]));
        const Argument* value = result ? result->as<Argument>() : nullptr;
        if (value && fits(*value)) return *value;
    } catch (const std::runtime_error&) {} // what Python would raise is left to the run
    return std::nullopt;
}

Argument dtypeNumbered(std::int64_t number) {
    static constexpr std::array<const char*, 27> kNames = {
        "torch.uint8",           "torch.int8",           "torch.int16",    "torch.int32",       "torch.int64",
        "torch.float16",         "torch.float32",        "torch.float64",  "torch.complex32",   "torch.complex64",
        "torch.complex128",      "torch.bool",           "torch.qint8",    "torch.quint8",      "torch.qint32",
        "torch.bfloat16",        "torch.quint4x2",       "torch.quint2x4", "torch.bits1x8",     "torch.bits2x4",
        "torch.bits4x2",         "torch.bits8",          "torch.bits16",   "torch.float8_e5m2", "torch.float8_e4m3fn",
        "torch.float8_e5m2fnuz", "torch.float8_e4m3fnuz"};
    if (number < 0 || static_cast<std::size_t>(number) >= kNames.size()) return {};
    return Argument::dtype(kNames[static_cast<std::size_t>(number)]);
}

Argument layoutNumbered(std::int64_t number) {
    static constexpr std::array<const char*, 3> kNames = {"torch.strided", "torch.sparse_coo", "torch.sparse_csr"};
    if (number < 0 || static_cast<std::size_t>(number) >= kNames.size()) return {};
    return Argument(TorchConstant{TorchConstant::Kind::Layout, kNames[static_cast<std::size_t>(number)]});
}

Argument memoryFormatNumbered(std::int64_t number) {
    static constexpr std::array<const char*, 4> kNames = {"torch.contiguous_format", "torch.preserve_format",
                                                          "torch.channels_last", "torch.channels_last_3d"};
    if (number < 0 || static_cast<std::size_t>(number) >= kNames.size()) return {};
    return Argument(TorchConstant{TorchConstant::Kind::MemoryFormat, kNames[static_cast<std::size_t>(number)]});
}

Argument torchConstantOr(const Argument& value, std::string_view type) {
    const auto* number = value.as<std::int64_t>();
    if (!number) return value;
    if (type.starts_with("ScalarType")) return dtypeNumbered(*number);
    if (type.starts_with("Layout")) return layoutNumbered(*number);
    if (type.starts_with("MemoryFormat")) return memoryFormatNumbered(*number);
    return value;
}

std::string_view numberedType(const Graph& graph, const Argument& value) {
    if (!value.isNode()) return {};
    const fx::Node& node = graph.node(value.node());
    if (node.op() != Op::CallFunction) return {};
    const auto* name =
        node.target() == "getattr" && node.args().size() == 2 ? node.args()[1].as<std::string>() : nullptr;
    if (!name) return {};
    return *name == "dtype" ? "ScalarType" : *name == "layout" ? "Layout" : "";
}

bool nameNumbers(const Graph& graph, std::string_view function, std::vector<Argument>& args) {
    std::string_view type;
    for (const Argument& arg : args)
        forEachNode(arg, [&](NodeId id) { type = type.empty() ? numberedType(graph, Argument(id)) : type; });
    if (type.empty() || function == "_operator.getitem" || function == "len" || function == "list") return true;
    static constexpr std::string_view kCompares[] = {"_operator.eq", "_operator.ne", "_operator.is_",
                                                     "_operator.is_not", "_operator.contains"};
    if (std::find(std::begin(kCompares), std::end(kCompares), function) == std::end(kCompares)) return false;
    const auto name = [&](Argument& value) {
        if (value.isNone()) return true;
        if (value.isNode()) return numberedType(graph, value) == type;
        value = torchConstantOr(value, type);
        return !value.isNone();
    };
    for (Argument& arg : args) {
        const Sequence* list = arg.asList();
        std::vector<Argument> items = list ? list->items : std::vector<Argument>{arg};
        if (!std::all_of(items.begin(), items.end(), name)) return false;
        arg = list ? Argument::list(std::move(items)) : items.front();
    }
    return true;
}

} // namespace fx::script
