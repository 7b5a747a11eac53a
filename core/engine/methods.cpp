// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/calls.h"
#include "core/engine/dispatch.h"
#include "core/ops/call_check.h"

#include <map>

namespace fx::engine {
namespace {

const at::Tensor& self(const Arguments& a) { return a.positional.front().tensor(); }
const Value* given(const Arguments& a, std::size_t index, std::string_view name) {
    const Value* value = a.at(index, name);
    return value && !value->isNone() ? value : nullptr;
}
std::int64_t dimension(const at::Tensor& tensor, const Value& value) {
    const auto dim = value.integer();
    if (!dim) throw raised("TypeError: dim must be an int, not " + typeText(value));
    const std::int64_t place = *dim < 0 ? *dim + tensor.dim() : *dim;
    if (place < 0 || place >= tensor.dim())
        throw raised("IndexError: Dimension out of range (expected to be in range of [" +
                     std::to_string(-tensor.dim()) + ", " + std::to_string(tensor.dim() - 1) + "], but got " +
                     std::to_string(*dim) + ")");
    return place;
}

Value size(Arguments& a) {
    const Value* dim = given(a, 1, "dim");
    return dim ? Value(self(a).size(dimension(self(a), *dim))) : Value::size(self(a).sizes());
}
Value stride(Arguments& a) {
    const Value* dim = given(a, 1, "dim");
    if (dim) return self(a).stride(dimension(self(a), *dim));
    return Value::tuple(Values(self(a).strides().begin(), self(a).strides().end()));
}

Value nested(const at::Tensor& tensor) {
    if (tensor.dim() == 0) return callOperator("aten::item", {{tensor}, {}});
    Values items;
    for (std::int64_t i = 0; i < tensor.size(0); ++i)
        items.push_back(nested(callOperator("aten::select.int", {{tensor, Value(0), Value(i)}, {}}).tensor()));
    return Value::list(std::move(items));
}
Value toList(Arguments& a) {
    if (self(a).numel() > 1'000'000) throw runError(Message("engine.long_list", {{"count", self(a).numel()}}));
    return nested(self(a));
}

Value converted(const at::Tensor& tensor, const Value& device, const Value& dtype, const Arguments& a) {
    Arguments call{{tensor}, {}};
    const bool toDevice = !device.isNone();
    if (toDevice) call.positional.push_back(device);
    call.positional.push_back(dtype.isNone() ? Value(tensor.scalar_type()) : dtype);
    for (const char* name : {"non_blocking", "copy", "memory_format"})
        if (const Value* value = a.find(name)) call.named.emplace_back(name, *value);
    return callOperator(toDevice ? "aten::to.device" : "aten::to.dtype", std::move(call));
}

/// `to(dtype)`, `to(device)`, `to(device, dtype)`, `to(other)`, with non_blocking and copy behind them.
Value to(Arguments& a) {
    Value device, dtype;
    std::size_t next = 1;
    const auto isDevice = [](const Value& value) { return value.as<at::Device>() || value.text(); };
    if (next < a.positional.size() && a.positional[next].isTensor()) {
        const at::Tensor& other = a.positional[next++].tensor();
        device = other.device(), dtype = other.scalar_type();
    }
    if (const Value* other = a.find("other")) device = other->tensor().device(), dtype = other->tensor().scalar_type();
    if (next < a.positional.size() && (isDevice(a.positional[next]) || a.positional[next].isNone()))
        device = a.positional[next++];
    if (next < a.positional.size() &&
        (a.positional[next].as<at::ScalarType>() || a.positional[next].callable() || a.positional[next].isNone()))
        dtype = a.positional[next++];
    if (const Value* value = given(a, ~std::size_t{0}, "device")) device = *value;
    if (const Value* value = given(a, ~std::size_t{0}, "dtype")) dtype = *value;
    for (const char* name : {"non_blocking", "copy"})
        if (next < a.positional.size()) a.named.emplace_back(name, a.positional[next++]);
    return converted(self(a), device, dtype, a);
}

template<at::ScalarType kType> Value castTo(Arguments& a) { return converted(self(a), {}, kType, a); }

std::optional<at::ScalarType> typeOfClass(std::string_view name) {
    static constexpr std::pair<std::string_view, at::ScalarType> kNames[] = {
        {"Float", at::kFloat}, {"Double", at::kDouble}, {"Half", at::kHalf},   {"BFloat16", at::kBFloat16},
        {"Long", at::kLong},   {"Int", at::kInt},       {"Short", at::kShort}, {"Char", at::kChar},
        {"Byte", at::kByte},   {"Bool", at::kBool}};
    for (const auto& [prefix, type] : kNames)
        if (name == "torch." + std::string(prefix) + "Tensor") return type;
    return std::nullopt;
}
std::string classOfType(at::ScalarType type) { return std::string("torch.") + c10::toString(type) + "Tensor"; }

Value type(Arguments& a) {
    const Value* wanted = given(a, 1, "dtype");
    if (!wanted) return classOfType(self(a).scalar_type());
    std::optional<at::ScalarType> known;
    if (wanted->text()) known = typeOfClass(*wanted->text());
    if (const Callable* callable = wanted->callable()) known = typeOfClass(callable->qualifiedName);
    return converted(self(a), {}, known ? Value(*known) : *wanted, a);
}

Value contiguous(Arguments& a) {
    const Value* format = given(a, 1, "memory_format");
    return callOperator("aten::contiguous",
                        {{self(a)}, {{"memory_format", format ? *format : Value(at::MemoryFormat::Contiguous)}}});
}

Value split(Arguments& a) {
    const Value* sizes = given(a, 1, "split_size");
    const Value* dim = given(a, 2, "dim");
    if (!sizes) sizes = given(a, 1, "split_size_or_sections");
    if (!sizes) throw raised("TypeError: split() lacks its argument split_size");
    const Value axis = dim ? *dim : Value(0);
    Value out = sizes->items() ? callOperator("aten::split_with_sizes", {{self(a), *sizes, axis}, {}})
                               : callOperator("aten::split.Tensor", {{self(a), *sizes, axis}, {}});
    return Value::tuple(out.items()->items);
}

Value copyInto(Arguments& a) { return callOperator("aten::copy_", a); }
Value same(Arguments& a) { return a.positional.front(); }

Value nonzero(Arguments& a) {
    const Value* asTuple = given(a, 1, "as_tuple");
    if (asTuple && truthOf(*asTuple))
        return Value::tuple(callOperator("aten::nonzero_numpy", {{self(a)}, {}}).items()->items);
    return callOperator("aten::nonzero", {{self(a)}, {}});
}

Value newTensor(Arguments& a) {
    Arguments call{{a.positional.size() > 1 ? a.positional[1] : *a.find("data")}, {}};
    const Value* dtype = given(a, ~std::size_t{0}, "dtype");
    call.named.emplace_back("dtype", dtype ? *dtype : Value(self(a).scalar_type()));
    return callFunction("torch.tensor", std::move(call));
}

/// Methods that are functions of torch under the same name.
template<const char* kName> Value asFunction(Arguments& a) { return callFunction(kName, a); }
constexpr char kNorm[] = "torch.functional.norm", kStft[] = "torch.functional.stft",
               kIstft[] = "torch.functional.istft", kUnique[] = "torch.functional.unique",
               kUniqueConsecutive[] = "torch.functional.unique_consecutive", kLu[] = "torch.functional.lu";

template<const char* kOp> Value operatorMethod(Arguments& a) {
    return binaryOf(kOp, a.positional.at(0), a.positional.at(1));
}
template<const char* kOp> Value reflectedMethod(Arguments& a) {
    return binaryOf(kOp, a.positional.at(1), a.positional.at(0));
}
constexpr char kAdd[] = "add", kSub[] = "sub", kMul[] = "mul", kDiv[] = "truediv", kFloor[] = "floordiv",
               kMod[] = "mod", kPow[] = "pow", kMatmul[] = "matmul", kEq[] = "eq", kNe[] = "ne", kLt[] = "lt",
               kLe[] = "le", kGt[] = "gt", kGe[] = "ge", kAnd[] = "and_", kOr[] = "or_", kXor[] = "xor",
               kLeft[] = "lshift", kRight[] = "rshift";

/// Python's Tensor divides by itself so, whatever the other is.
Value reciprocalTimes(Arguments& a) {
    return callMethod("mul", {callMethod("reciprocal", {a.positional.at(0)}), a.positional.at(1)});
}

const std::map<std::string_view, CallForm>& methodForms() {
    static const std::map<std::string_view, CallForm> kTable = {
        {"size", size},
        {"stride", stride},
        {"dim", [](Arguments& a) { return Value(self(a).dim()); }},
        {"ndimension", [](Arguments& a) { return Value(self(a).dim()); }},
        {"numel", [](Arguments& a) { return Value(self(a).numel()); }},
        {"nelement", [](Arguments& a) { return Value(self(a).numel()); }},
        {"element_size", [](Arguments& a) { return Value(static_cast<std::int64_t>(self(a).element_size())); }},
        {"storage_offset", [](Arguments& a) { return Value(self(a).storage_offset()); }},
        {"is_contiguous",
         [](Arguments& a) {
             const Value* format = given(a, 1, "memory_format");
             const auto* wanted = format ? format->as<at::MemoryFormat>() : nullptr;
             return Value(self(a).is_contiguous(wanted ? *wanted : at::MemoryFormat::Contiguous));
         }},
        {"get_device", [](Arguments& a) { return Value(std::int64_t{self(a).get_device()}); }},
        {"is_shared", [](Arguments&) { return Value(false); }},
        {"item",
         [](Arguments& a) {
             return callOperator("aten::item", {{self(a)}, {}});
         }},
        {"__len__", [](Arguments& a) { return callFunction("len", {a.positional.front()}); }},
        {"__bool__", [](Arguments& a) { return Value(truthOf(a.positional.front())); }},
        {"__getitem__", [](Arguments& a) { return subscriptOf(a.positional.at(0), a.positional.at(1)); }},
        {"__setitem__",
         [](Arguments& a) {
             return assignSubscript(a.positional.at(0), a.positional.at(1), a.positional.at(2)), Value();
         }},
        {"tolist", toList},
        {"to", to},
        {"type", type},
        {"float", castTo<at::kFloat>},
        {"double", castTo<at::kDouble>},
        {"half", castTo<at::kHalf>},
        {"bfloat16", castTo<at::kBFloat16>},
        {"int", castTo<at::kInt>},
        {"long", castTo<at::kLong>},
        {"short", castTo<at::kShort>},
        {"char", castTo<at::kChar>},
        {"byte", castTo<at::kByte>},
        {"bool", castTo<at::kBool>},
        {"cfloat", castTo<at::kComplexFloat>},
        {"cdouble", castTo<at::kComplexDouble>},
        {"cpu", [](Arguments& a) { return converted(self(a), at::Device(at::kCPU), {}, a); }},
        {"cuda", [](Arguments& a) { return converted(self(a), at::Device("cuda"), {}, a); }},
        {"contiguous", contiguous},
        {"requires_grad_", same},
        {"retain_grad", [](Arguments&) { return Value(); }},
        {"share_memory_", same},
        {"copy_", copyInto},
        {"split", split},
        {"nonzero", nonzero},
        {"new_tensor", newTensor},
        {"norm", asFunction<kNorm>},
        {"stft", asFunction<kStft>},
        {"istft", asFunction<kIstft>},
        {"unique", asFunction<kUnique>},
        {"unique_consecutive", asFunction<kUniqueConsecutive>},
        {"__add__", operatorMethod<kAdd>},
        {"__radd__", reflectedMethod<kAdd>},
        {"__sub__", operatorMethod<kSub>},
        {"__rsub__", reflectedMethod<kSub>},
        {"__mul__", operatorMethod<kMul>},
        {"__rmul__", reflectedMethod<kMul>},
        {"__truediv__", operatorMethod<kDiv>},
        {"__rtruediv__", reciprocalTimes},
        {"__floordiv__", operatorMethod<kFloor>},
        {"__mod__", operatorMethod<kMod>},
        {"__pow__", operatorMethod<kPow>},
        {"__rpow__", reflectedMethod<kPow>},
        {"__matmul__", operatorMethod<kMatmul>},
        {"__eq__", operatorMethod<kEq>},
        {"__ne__", operatorMethod<kNe>},
        {"__lt__", operatorMethod<kLt>},
        {"__le__", operatorMethod<kLe>},
        {"__gt__", operatorMethod<kGt>},
        {"__ge__", operatorMethod<kGe>},
        {"__rdiv__", reciprocalTimes},
        {"__div__", operatorMethod<kDiv>},
        {"__rfloordiv__", reflectedMethod<kFloor>},
        {"__rmod__", reflectedMethod<kMod>},
        {"__rmatmul__", reflectedMethod<kMatmul>},
        {"__rand__", reflectedMethod<kAnd>},
        {"__ror__", reflectedMethod<kOr>},
        {"__rxor__", reflectedMethod<kXor>},
        {"__rlshift__", reflectedMethod<kLeft>},
        {"__rrshift__", reflectedMethod<kRight>},
        {"__abs__", [](Arguments& a) { return unaryOf("abs", a.positional.at(0)); }},
        {"lu", asFunction<kLu>},
        {"__neg__", [](Arguments& a) { return unaryOf("neg", a.positional.at(0)); }},
        {"__invert__", [](Arguments& a) { return unaryOf("invert", a.positional.at(0)); }},
    };
    return kTable;
}

Value itemsMethod(std::string_view name, Items& items, Arguments& a) {
    const auto equals = [&](const Value& item) { return truthOf(binaryOf("eq", item, a.positional.at(1))); };
    Values& values = items.items;
    if (name == "count") return static_cast<std::int64_t>(std::count_if(values.begin(), values.end(), equals));
    if (name == "index") {
        const auto found = std::find_if(values.begin(), values.end(), equals);
        if (found == values.end()) throw raised("ValueError: the item is not in the sequence");
        return static_cast<std::int64_t>(found - values.begin());
    }
    if (name == "numel" && items.kind == Items::Kind::Size) {
        Value product(1);
        for (const Value& value : values) product = binaryOf("mul", product, value);
        return product;
    }
    if (name == "copy") return Value::list(values);
    if (name == "__len__") return static_cast<std::int64_t>(values.size());
    if (name == "append" && items.kind == Items::Kind::List) return values.push_back(a.positional.at(1)), Value();
    if (name == "extend" && items.kind == Items::Kind::List) {
        const Values more = iterate(a.positional.at(1));
        return values.insert(values.end(), more.begin(), more.end()), Value();
    }
    if (name == "reverse") return std::reverse(values.begin(), values.end()), Value();
    if (name == "pop" && !values.empty() && a.positional.size() == 1) {
        const Value last = values.back();
        return values.pop_back(), last;
    }
    throw runError(Message("engine.unknown_method", {{"type", "list or tuple"}, {"name", name}}));
}

Value mappingMethod(std::string_view name, Mapping& mapping, Arguments& a) {
    Values out;
    for (const auto& [key, value] : mapping.items) {
        if (name == "keys") out.push_back(key);
        if (name == "values") out.push_back(value);
        if (name == "items") out.push_back(Value::tuple({key, value}));
        if (name == "get" && truthOf(binaryOf("eq", key, a.positional.at(1)))) return value;
    }
    if (name == "keys" || name == "values" || name == "items") return Value::list(std::move(out));
    if (name == "get") return a.at(2, "default") ? *a.at(2, "default") : Value();
    if (name == "copy") return std::make_shared<Mapping>(mapping);
    if (name == "update") {
        for (const auto& [key, value] : a.positional.at(1).mapping()->items)
            assignSubscript(a.positional[0], key, value);
        return {};
    }
    throw runError(Message("engine.unknown_method", {{"type", "dict"}, {"name", name}}));
}

} // namespace

CallForm tensorMethod(std::string_view name) {
    const auto found = methodForms().find(name);
    return found == methodForms().end() ? nullptr : found->second;
}

Value callMethod(std::string_view name, Arguments a) {
    if (a.positional.empty()) throw runError(Message("engine.method_without_object"));
    const Value object = a.positional.front();
    if (object.isTensor()) {
        if (const CallForm method = tensorMethod(name)) {
            dependsOnMore() = dependsOnMore() || (name != "contiguous" && name != "float" && name != "split");
            return method(a);
        }
        const std::string qualified = "torch.Tensor." + std::string(name);
        if (hasSignatures(qualified)) {
            a.positional.erase(a.positional.begin());
            return callSignatures(qualified, &object, a);
        }
        // Methods written in Python that only hand over to the function of that name, and what has no binding.
        const std::string function = "torch." + std::string(name);
        if (torchFunction(function) || hasSignatures(function)) return callFunction(function, std::move(a));
        throw runError(Message("engine.unknown_tensor_method", {{"name", name}, {"near", ops::nearestMethod(name)}}));
    }
    if (Items* items = object.items()) return itemsMethod(name, *items, a);
    if (Mapping* mapping = object.mapping()) return mappingMethod(name, *mapping, a);
    if (object.real() && (name == "item" || name == "__int__" || name == "__float__")) return object;
    throw runError(Message("engine.unknown_method", {{"type", typeText(object)}, {"name", name}}));
}

} // namespace fx::engine
