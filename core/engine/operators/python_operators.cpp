// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/python_operators.h"
#include "core/engine/calls.h"
#include "core/engine/dispatch.h"
#include "core/trace/function_calls.h"
#include "core/trace/numbers/number_functions.h"
#include "core/trace/numbers/python_numbers.h"

#include <map>

namespace fx::engine {
namespace {

// ── Plain values go through the evaluator of core/trace, which has Python's rules for numbers, text and containers. ──

trace::Value toPlain(const Value& value) {
    if (const auto argument = toArgument(value)) return trace::fromArgument(*argument);
    throw runError(Message("engine.no_python_value", {{"type", typeText(value)}}));
}

Value fromPlain(const trace::Value& value) {
    const auto none = [](NodeId) { return Value(); };
    if (const auto* argument = value.as<Argument>()) return toValue(*argument, none);
    if (const auto* sequence = value.as<trace::ValueSequence>()) {
        Values items;
        for (const trace::Value& item : sequence->items) items.push_back(fromPlain(item));
        return sequence->list ? Value::list(std::move(items)) : Value::tuple(std::move(items));
    }
    throw runError(Message("engine.python_result"));
}

/// Runs an evaluation of plain values; what Python would raise becomes an Error{Run}.
template<class Evaluate> auto evaluated(Evaluate evaluate) {
    try {
        return evaluate();
    } catch (const trace::PythonError& error) { throw raised(error.what()); } catch (const trace::CannotFollow& error) {
        throw runError(error.message());
    }
}

// ── Operators on tensors ──

struct TensorOperator {
    const char* method;    ///< `left.method(right)`
    const char* reflected; ///< a method of the right operand, or a function that takes left and right when it has a dot
};

const std::map<std::string_view, TensorOperator>& tensorOperators() {
    static const std::map<std::string_view, TensorOperator> kTable = {
        {"add", {"add", "add"}},
        {"sub", {"sub", "rsub"}},
        {"mul", {"mul", "mul"}},
        {"truediv", {"div", "rdiv"}},
        {"floordiv", {"floor_divide", "torch.floor_divide"}},
        {"mod", {"remainder", "torch.remainder"}},
        {"pow", {"pow", "torch.pow"}},
        {"matmul", {"matmul", "torch.matmul"}},
        {"and_", {"__and__", "__and__"}},
        {"or_", {"__or__", "__or__"}},
        {"xor", {"__xor__", "__xor__"}},
        {"lshift", {"__lshift__", "torch.bitwise_left_shift"}},
        {"rshift", {"__rshift__", "torch.bitwise_right_shift"}},
        {"eq", {"eq", "eq"}},
        {"ne", {"ne", "ne"}},
        {"lt", {"lt", "gt"}},
        {"le", {"le", "ge"}},
        {"gt", {"gt", "lt"}},
        {"ge", {"ge", "le"}},
    };
    return kTable;
}

Value callReflected(std::string_view how, const Value& left, const Value& right) {
    if (how.find('.') != how.npos) return callFunction(how, {left, right});
    if (how == "rsub") return callFunction("torch.rsub", {right, left});
    if (how == "rdiv") return callMethod("mul", {callMethod("reciprocal", {right}), left});
    return callMethod(how, {right, left});
}

Value tensorBinary(std::string_view op, const Value& left, const Value& right) {
    const auto found = tensorOperators().find(op);
    if (found == tensorOperators().end()) throw runError(Message("engine.tensor_operator", {{"operator", op}}));
    if ((op == "eq" || op == "ne") && (left.isNone() || right.isNone() || left.text() || right.text()))
        return op == "ne";
    return left.isTensor() ? callMethod(found->second.method, {left, right})
                           : callReflected(found->second.reflected, left, right);
}

Value joined(const Items& left, const Items& right) {
    Values items = left.items;
    items.insert(items.end(), right.items.begin(), right.items.end());
    const bool size = left.kind == Items::Kind::Size;
    return Value::sequence(size || left.kind == Items::Kind::List ? left.kind : Items::Kind::Tuple, std::move(items));
}

Value repeated(const Items& items, std::int64_t times) {
    Values out;
    if (times > 0 && items.items.size() > 50'000'000 / static_cast<std::size_t>(times))
        throw raised("MemoryError: the sequence would be too long");
    for (std::int64_t i = 0; i < times; ++i) out.insert(out.end(), items.items.begin(), items.items.end());
    return Value::sequence(items.kind == Items::Kind::List ? Items::Kind::List : Items::Kind::Tuple, std::move(out));
}

bool isSame(const Value& a, const Value& b) {
    if (a.isTensor() && b.isTensor()) return a.tensor().is_same(b.tensor());
    if (a.isTensor() || b.isTensor() || a.variant().index() != b.variant().index()) return false;
    if (a.items() || a.mapping()) return a.items() == b.items() && a.mapping() == b.mapping();
    const auto left = toArgument(a), right = toArgument(b);
    return left && right && *left == *right;
}

bool isEqual(const Value& a, const Value& b) {
    if (a.items() && b.items()) {
        if ((a.items()->kind == Items::Kind::List) != (b.items()->kind == Items::Kind::List)) return false;
        const Values &left = a.items()->items, &right = b.items()->items;
        return std::equal(left.begin(), left.end(), right.begin(), right.end(), isEqual);
    }
    return isSame(a, b) || truthOf(binaryOf("eq", a, b));
}

bool contains(const Value& container, const Value& item) {
    if (const Mapping* mapping = container.mapping()) {
        return std::any_of(mapping->items.begin(), mapping->items.end(),
                           [&](const auto& entry) { return isEqual(entry.first, item); });
    }
    if (container.text() && item.text()) return container.text()->find(*item.text()) != std::string::npos;
    const Values items = iterate(container);
    return std::any_of(items.begin(), items.end(), [&](const Value& other) { return isEqual(other, item); });
}

const Value& need(const Arguments& arguments, std::size_t index) {
    if (index >= arguments.positional.size())
        throw raised("TypeError: argument " + std::to_string(index + 1) + " is missing");
    return arguments.positional[index];
}

Value augmented(std::string_view op, const Value& left, const Value& right) {
    if (const auto method = ops::inPlaceMethod(op); left.isTensor() && !method.empty())
        return callMethod(method, {left, right});
    if (op == "add" && left.items() && left.items()->kind == Items::Kind::List) {
        const Values more = iterate(right);
        left.items()->items.insert(left.items()->items.end(), more.begin(), more.end());
        return left;
    }
    return binaryOf(op, left, right);
}

// ── builtins ──

Value sumOf(Arguments& a) {
    Value total = a.at(1, "start") ? *a.at(1, "start") : Value(0);
    for (const Value& item : iterate(need(a, 0))) total = binaryOf("add", total, item);
    return total;
}

template<bool kLargest> Value bestOf(Arguments& a) {
    const Values items = a.positional.size() == 1 ? iterate(a.positional[0]) : a.positional;
    if (items.empty()) throw raised("ValueError: arg is an empty sequence");
    Value best = items.front();
    for (std::size_t i = 1; i < items.size(); ++i)
        if (truthOf(binaryOf(kLargest ? "gt" : "lt", items[i], best))) best = items[i];
    return best;
}

Value plainNumber(const Value& value) {
    if (!value.isTensor()) return value;
    return callMethod("item", {value});
}

Value lengthOf(Arguments& a) {
    const Value& value = need(a, 0);
    if (value.isTensor()) {
        if (value.tensor().dim() == 0) throw raised("TypeError: len() of a 0-d tensor");
        return value.tensor().size(0);
    }
    if (value.text()) return static_cast<std::int64_t>(value.text()->size());
    return static_cast<std::int64_t>(iterate(value).size());
}

Value getAttribute(Arguments& a) {
    const std::string* name = need(a, 1).text();
    if (!name) throw raised("TypeError: attribute name must be string");
    if (a.positional.size() < 3) return attributeOf(a.positional[0], *name);
    try {
        return attributeOf(a.positional[0], *name);
    } catch (const fx::Error&) { return a.positional[2]; }
}

Value zipped(Arguments& a) {
    std::vector<Values> columns;
    std::size_t count = a.positional.empty() ? 0 : ~std::size_t{0};
    for (const Value& value : a.positional) count = std::min(count, columns.emplace_back(iterate(value)).size());
    Values out;
    for (std::size_t i = 0; i < count; ++i) {
        Values row;
        for (const Values& column : columns) row.push_back(column[i]);
        out.push_back(Value::tuple(std::move(row)));
    }
    return Value::list(std::move(out));
}

Value enumerated(Arguments& a) {
    Values out;
    std::int64_t index = a.at(1, "start") ? a.at(1, "start")->needInteger() : 0;
    for (const Value& item : iterate(need(a, 0))) out.push_back(Value::tuple({index++, item}));
    return Value::list(std::move(out));
}

Value dictOf(Arguments& a) {
    auto out = std::make_shared<Mapping>();
    if (!a.positional.empty() && a.positional[0].mapping()) {
        out->items = a.positional[0].mapping()->items;
    } else if (!a.positional.empty()) {
        for (const Value& pair : iterate(a.positional[0])) {
            const Values entry = iterate(pair);
            if (entry.size() != 2)
                throw raised("ValueError: dictionary update sequence element has length " +
                             std::to_string(entry.size()));
            out->items.emplace_back(entry[0], entry[1]);
        }
    }
    for (auto& [key, value] : a.named) out->items.emplace_back(key, value);
    return out;
}

Value orderedDictOf(Arguments& a) {
    Value out = dictOf(a);
    out.mapping()->typeName = "collections.OrderedDict";
    return out;
}

Value absoluteOf(Arguments& a) { return unaryOf("abs", need(a, 0)); }
Value sliceMade(Arguments& a) {
    if (a.positional.size() == 1) return std::make_shared<const SliceOf>(SliceOf{{}, a.positional[0], {}});
    return std::make_shared<const SliceOf>(
        SliceOf{need(a, 0), need(a, 1), a.positional.size() > 2 ? a.positional[2] : Value()});
}

template<const char* kOp> Value binaryFunction(Arguments& a) { return binaryOf(kOp, need(a, 0), need(a, 1)); }
template<const char* kOp> Value augmentedFunction(Arguments& a) { return augmented(kOp, need(a, 0), need(a, 1)); }
template<const char* kOp> Value unaryFunction(Arguments& a) { return unaryOf(kOp, need(a, 0)); }

constexpr char kAdd[] = "add";
constexpr char kSub[] = "sub";
constexpr char kMul[] = "mul";
constexpr char kTruediv[] = "truediv";
constexpr char kFloordiv[] = "floordiv";
constexpr char kMod[] = "mod";
constexpr char kPow[] = "pow";
constexpr char kMatmul[] = "matmul";
constexpr char kAnd[] = "and_";
constexpr char kOr[] = "or_";
constexpr char kXor[] = "xor";
constexpr char kLshift[] = "lshift";
constexpr char kRshift[] = "rshift";
constexpr char kEq[] = "eq";
constexpr char kNe[] = "ne";
constexpr char kLt[] = "lt";
constexpr char kLe[] = "le";
constexpr char kGt[] = "gt";
constexpr char kGe[] = "ge";
constexpr char kNeg[] = "neg";
constexpr char kPos[] = "pos";
constexpr char kAbs[] = "abs";
constexpr char kInvert[] = "invert";

template<bool kList> Value sequenceOf(Arguments& a) {
    Values items = a.positional.empty() ? Values() : iterate(a.positional[0]);
    return kList ? Value::list(std::move(items)) : Value::tuple(std::move(items));
}

Value roundedOf(Arguments& a) {
    if (need(a, 0).isTensor()) return callMethod("round", a);
    return fromPlain(*evaluated([&] {
        trace::Values plain;
        for (const Value& value : a.positional) plain.push_back(toPlain(value));
        return trace::callNumberFunction("builtins.round", plain);
    }));
}

Value formatted(const Value& value) {
    if (value.text()) return value;
    const auto argument = toArgument(value);
    return argument ? trace::textOf(trace::fromArgument(*argument)) : typeText(value);
}

const std::map<std::string_view, CallForm>& pythonOperators() {
    static const std::map<std::string_view, CallForm> kTable = {
        {"_operator.add", binaryFunction<kAdd>},
        {"_operator.concat", binaryFunction<kAdd>},
        {"_operator.sub", binaryFunction<kSub>},
        {"_operator.mul", binaryFunction<kMul>},
        {"_operator.truediv", binaryFunction<kTruediv>},
        {"_operator.floordiv", binaryFunction<kFloordiv>},
        {"_operator.mod", binaryFunction<kMod>},
        {"_operator.pow", binaryFunction<kPow>},
        {"_operator.matmul", binaryFunction<kMatmul>},
        {"_operator.and_", binaryFunction<kAnd>},
        {"_operator.or_", binaryFunction<kOr>},
        {"_operator.xor", binaryFunction<kXor>},
        {"_operator.lshift", binaryFunction<kLshift>},
        {"_operator.rshift", binaryFunction<kRshift>},
        {"_operator.eq", binaryFunction<kEq>},
        {"_operator.ne", binaryFunction<kNe>},
        {"_operator.lt", binaryFunction<kLt>},
        {"_operator.le", binaryFunction<kLe>},
        {"_operator.gt", binaryFunction<kGt>},
        {"_operator.ge", binaryFunction<kGe>},
        {"_operator.iadd", augmentedFunction<kAdd>},
        {"_operator.iconcat", augmentedFunction<kAdd>},
        {"_operator.isub", augmentedFunction<kSub>},
        {"_operator.imul", augmentedFunction<kMul>},
        {"_operator.itruediv", augmentedFunction<kTruediv>},
        {"_operator.ifloordiv", augmentedFunction<kFloordiv>},
        {"_operator.imod", augmentedFunction<kMod>},
        {"_operator.ipow", augmentedFunction<kPow>},
        {"_operator.imatmul", augmentedFunction<kMatmul>},
        {"_operator.iand", augmentedFunction<kAnd>},
        {"_operator.ior", augmentedFunction<kOr>},
        {"_operator.ixor", augmentedFunction<kXor>},
        {"_operator.ilshift", augmentedFunction<kLshift>},
        {"_operator.irshift", augmentedFunction<kRshift>},
        {"_operator.neg", unaryFunction<kNeg>},
        {"_operator.pos", unaryFunction<kPos>},
        {"_operator.abs", unaryFunction<kAbs>},
        {"_operator.inv", unaryFunction<kInvert>},
        {"_operator.invert", unaryFunction<kInvert>},
        {"_operator.getitem", [](Arguments& a) { return subscriptOf(need(a, 0), need(a, 1)); }},
        {"_operator.setitem",
         [](Arguments& a) { return assignSubscript(need(a, 0), need(a, 1), need(a, 2)), Value(); }},
        {"_operator.not_", [](Arguments& a) { return Value(!truthOf(need(a, 0))); }},
        {"_operator.truth", [](Arguments& a) { return Value(truthOf(need(a, 0))); }},
        {"_operator.is_", [](Arguments& a) { return Value(isSame(need(a, 0), need(a, 1))); }},
        {"_operator.is_not", [](Arguments& a) { return Value(!isSame(need(a, 0), need(a, 1))); }},
        {"_operator.contains", [](Arguments& a) { return Value(contains(need(a, 0), need(a, 1))); }},
        {"_operator.index", [](Arguments& a) { return plainNumber(need(a, 0)); }},
        {"getattr", getAttribute},
        {"hasattr",
         [](Arguments& a) {
             try {
                 attributeOf(need(a, 0), *need(a, 1).text());
                 return Value(true);
             } catch (const fx::Error&) { return Value(false); }
         }},
        {"len", lengthOf},
        {"math.prod",
         [](Arguments& a) {
             Value product = a.find("start") ? *a.find("start") : Value(1);
             for (const Value& item : iterate(need(a, 0))) product = binaryOf("mul", product, item);
             return product;
         }},
        {"print", [](Arguments&) { return Value(); }},
        {"sum", sumOf},
        {"max", bestOf<true>},
        {"min", bestOf<false>},
        {"abs", absoluteOf},
        {"round", roundedOf},
        {"zip", zipped},
        {"enumerate", enumerated},
        {"dict", dictOf},
        {"collections.OrderedDict", orderedDictOf},
        {"slice", sliceMade},
        {"str", [](Arguments& a) { return formatted(need(a, 0)); }},
        {"list", sequenceOf<true>},
        {"tuple", sequenceOf<false>},
        {"bool", [](Arguments& a) { return Value(!a.positional.empty() && truthOf(a.positional[0])); }},
        {"pow", binaryFunction<kPow>},
        {"all",
         [](Arguments& a) {
             const Values items = iterate(need(a, 0));
             return Value(std::all_of(items.begin(), items.end(), truthOf));
         }},
        {"any",
         [](Arguments& a) {
             const Values items = iterate(need(a, 0));
             return Value(std::any_of(items.begin(), items.end(), truthOf));
         }},
    };
    return kTable;
}

} // namespace

CallForm operatorFunction(std::string_view name) {
    if (name.starts_with("builtins.")) name.remove_prefix(9);
    if (name.starts_with("operator.")) return operatorFunction("_" + std::string(name));
    const auto found = pythonOperators().find(name);
    return found == pythonOperators().end() ? nullptr : found->second;
}

/// math.* and the rest of builtins: on numbers alone; tensors of one element give their number.
std::optional<Value> callNumberFunction(std::string_view name, const Arguments& arguments) {
    std::string path(name);
    if (path.find('.') == path.npos) path.insert(0, "builtins.");
    if (!path.starts_with("math.") && !path.starts_with("builtins.") && !path.starts_with("cmath."))
        return std::nullopt;
    trace::Values plain;
    for (const Value& value : arguments.positional) plain.push_back(toPlain(plainNumber(value)));
    const auto result = evaluated([&] { return trace::callNumberFunction(path, plain); });
    return result ? std::optional(fromPlain(*result)) : std::nullopt;
}

Value binaryOf(std::string_view op, const Value& left, const Value& right) {
    if (left.isTensor() || right.isTensor()) return tensorBinary(op, left, right);
    if (const auto* a = left.as<std::int64_t>(), *b = right.as<std::int64_t>(); a && b)
        if (const auto out = trace::smallBinary(op, *a, *b)) return *out;
    const Items *a = left.items(), *b = right.items();
    if (op == "add" && a && b) return joined(*a, *b);
    if (op == "mul" && a && right.integer()) return repeated(*a, *right.integer());
    if (op == "mul" && b && left.integer()) return repeated(*b, *left.integer());
    if (op == "eq" && a && b) return isEqual(left, right);
    if (op == "ne" && a && b) return !isEqual(left, right);
    if (op == "eq" || op == "ne") {
        if (!toArgument(left) || !toArgument(right)) return op == "ne";
        return evaluated([&] { return trace::plainEqual(toPlain(left), toPlain(right)); }) == (op == "eq");
    }
    return fromPlain(evaluated([&] { return trace::plainBinary(op, toPlain(left), toPlain(right)); }));
}

Value unaryOf(std::string_view op, const Value& operand) {
    if (operand.isTensor())
        return callMethod(op == "invert" ? "bitwise_not" : op == "pos" ? "positive" : op, {operand});
    return fromPlain(evaluated([&] { return trace::plainUnary(op, toPlain(operand)); }));
}

bool truthOf(const Value& value) {
    if (const auto* flag = value.as<bool>()) return *flag;
    if (value.isTensor()) {
        if (value.tensor().numel() != 1)
            throw raised("RuntimeError: Boolean value of Tensor with " +
                         std::string(value.tensor().numel() ? "more than one value" : "no values") + " is ambiguous");
        return truthOf(plainNumber(value));
    }
    if (const Items* items = value.items()) return !items->items.empty();
    if (const Mapping* mapping = value.mapping()) return !mapping->items.empty();
    if (value.module()) return true;
    return evaluated([&] { return trace::plainTruth(toPlain(value)); });
}

Values iterate(const Value& value) {
    if (const Items* items = value.items()) return items->items;
    if (value.isTensor()) {
        if (value.tensor().dim() == 0) throw raised("TypeError: iteration over a 0-d tensor");
        return callOperator("aten::unbind.int", {{value, Value(0)}, {}}).items()->items;
    }
    if (const Mapping* mapping = value.mapping()) {
        Values keys;
        for (const auto& [key, item] : mapping->items) keys.push_back(key);
        return keys;
    }
    const auto items = evaluated([&] { return trace::itemsOf(toPlain(value)); });
    if (!items) throw raised("TypeError: a " + typeText(value) + " cannot be iterated");
    Values out;
    for (const trace::Value& item : *items) out.push_back(fromPlain(item));
    return out;
}

Value literalOf(std::string_view text) { return fromPlain(trace::literal(text)); }

} // namespace fx::engine
