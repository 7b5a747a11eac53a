// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/run_value.h"

#include "core/base/plain_number.h"
#include "core/tensor/tensor_ref.h"

#include <array>
#include <cstdlib>

namespace fx::engine {
namespace {

constexpr std::array<std::pair<std::string_view, at::ScalarType>, 26> kTypes = {{
    {"torch.float32", at::kFloat},
    {"torch.float64", at::kDouble},
    {"torch.float16", at::kHalf},
    {"torch.bfloat16", at::kBFloat16},
    {"torch.int8", at::kChar},
    {"torch.uint8", at::kByte},
    {"torch.int16", at::kShort},
    {"torch.int32", at::kInt},
    {"torch.int64", at::kLong},
    {"torch.bool", at::kBool},
    {"torch.complex32", at::kComplexHalf},
    {"torch.complex64", at::kComplexFloat},
    {"torch.complex128", at::kComplexDouble},
    {"torch.uint16", at::kUInt16},
    {"torch.uint32", at::kUInt32},
    {"torch.uint64", at::kUInt64},
    {"torch.float8_e4m3fn", at::kFloat8_e4m3fn},
    {"torch.float8_e5m2", at::kFloat8_e5m2},
    {"torch.float8_e4m3fnuz", at::kFloat8_e4m3fnuz},
    {"torch.float8_e5m2fnuz", at::kFloat8_e5m2fnuz},
    {"torch.float8_e8m0fnu", at::kFloat8_e8m0fnu},
    {"torch.qint8", at::kQInt8},
    {"torch.quint8", at::kQUInt8},
    {"torch.qint32", at::kQInt32},
    {"torch.quint4x2", at::kQUInt4x2},
    {"torch.quint2x4", at::kQUInt2x4},
}};

constexpr std::pair<std::string_view, at::Layout> kLayouts[] = {
    {"torch.strided", at::Layout::Strided},      {"torch.sparse_coo", at::Layout::Sparse},
    {"torch.sparse_csr", at::Layout::SparseCsr}, {"torch.sparse_csc", at::Layout::SparseCsc},
    {"torch.sparse_bsr", at::Layout::SparseBsr}, {"torch.sparse_bsc", at::Layout::SparseBsc},
    {"torch._mkldnn", at::Layout::Mkldnn},
};
constexpr std::pair<std::string_view, at::MemoryFormat> kMemoryFormats[] = {
    {"torch.contiguous_format", at::MemoryFormat::Contiguous},
    {"torch.preserve_format", at::MemoryFormat::Preserve},
    {"torch.channels_last", at::MemoryFormat::ChannelsLast},
    {"torch.channels_last_3d", at::MemoryFormat::ChannelsLast3d},
};

Value ofTorchConstant(const TorchConstant& constant, const Argument& argument) {
    if (const auto type = scalarType(constant.name)) return *type;
    for (const auto& [name, layout] : kLayouts)
        if (constant.name == name) return layout;
    for (const auto& [name, format] : kMemoryFormats)
        if (constant.name == name) return format;
    return Value::constant(argument);
}

/// A layout or memory format as the constant of torch that it is.
std::optional<Argument> torchConstantOf(const Value& value) {
    using Kind = TorchConstant::Kind;
    if (const auto* layout = value.as<at::Layout>())
        for (const auto& [name, known] : kLayouts)
            if (known == *layout) return Argument(TorchConstant{Kind::Layout, std::string(name)});
    if (const auto* format = value.as<at::MemoryFormat>())
        for (const auto& [name, known] : kMemoryFormats)
            if (known == *format) return Argument(TorchConstant{Kind::MemoryFormat, std::string(name)});
    return std::nullopt;
}

std::string deviceText(const Device& device) {
    return device.index < 0 ? device.type : device.type + ":" + std::to_string(device.index);
}

Value ofSequence(const fx::Sequence& sequence, const std::function<Value(NodeId)>& node) {
    Items out;
    out.kind = sequence.kind == fx::Sequence::Kind::List ? Items::Kind::List : Items::Kind::Tuple;
    for (const Argument& item : sequence.items) out.items.push_back(toValue(item, node));
    if (sequence.kind == fx::Sequence::Kind::NamedTuple && sequence.type) {
        out.kind = Items::Kind::Named;
        out.typeName = sequence.type->qualifiedName;
    }
    return std::make_shared<Items>(std::move(out));
}

} // namespace

std::optional<at::ScalarType> scalarType(std::string_view torchName) {
    for (const auto& [name, type] : kTypes)
        if (name == torchName) return type;
    if (const auto known = dtypeFromName(torchName); known && dtypeName(*known) != torchName)
        return scalarType(dtypeName(*known));
    return std::nullopt;
}

std::string_view scalarTypeName(at::ScalarType type) {
    for (const auto& [name, known] : kTypes)
        if (known == type) return name;
    return "";
}

Value Value::constant(Argument argument) {
    Value out;
    out.m_is = std::make_shared<const Argument>(std::move(argument));
    return out;
}

Value Value::sequence(Items::Kind kind, Values items) {
    return std::make_shared<Items>(Items{kind, std::move(items), {}, {}});
}

Value Value::size(at::IntArrayRef sizes) { return sequence(Items::Kind::Size, Values(sizes.begin(), sizes.end())); }

const Callable* Value::callable() const {
    const Argument* argument = constant();
    const auto* value = argument ? argument->as<CallableValue>() : nullptr;
    return value ? value->callable.get() : nullptr;
}

std::optional<std::int64_t> Value::integer() const {
    if (const auto* value = as<std::int64_t>()) return *value;
    if (const auto* value = as<bool>()) return *value;
    return std::nullopt;
}

const BigInt* Value::wideInteger() const {
    const Argument* argument = constant();
    return argument ? argument->as<BigInt>() : nullptr;
}

std::optional<std::uint64_t> unsignedOf(const BigInt& wide) { return plainNumber<std::uint64_t>(wide.digits); }

std::int64_t Value::needInteger() const {
    if (const auto number = integer()) return *number;
    if (wideInteger()) throw raised("OverflowError: Python int too large to convert to C long");
    throw raised("TypeError: expected int, got " + typeText(*this));
}

std::optional<double> Value::real() const {
    if (const auto* value = as<double>()) return *value;
    if (const BigInt* wide = wideInteger()) return std::strtod(wide->digits.c_str(), nullptr);
    if (const auto value = integer()) return static_cast<double>(*value);
    return std::nullopt;
}

const Value* Arguments::find(std::string_view name) const {
    for (const auto& [key, value] : named)
        if (key == name) return &value;
    return nullptr;
}

std::optional<Value> Arguments::take(std::string_view name) {
    for (auto it = named.begin(); it != named.end(); ++it) {
        if (it->first != name) continue;
        Value out = std::move(it->second);
        named.erase(it);
        return out;
    }
    return std::nullopt;
}

const Value* Arguments::at(std::size_t index, std::string_view name) const {
    return index < positional.size() ? &positional[index] : find(name);
}

Value toValue(const Argument& argument, const std::function<Value(NodeId)>& node) {
    if (argument.isNone()) return {};
    if (argument.isNode()) return node(argument.node());
    if (const auto* value = argument.as<bool>()) return *value;
    if (const auto* value = argument.as<std::int64_t>()) return *value;
    if (const auto* value = argument.as<double>()) return *value;
    if (argument.as<EllipsisValue>()) return EllipsisValue{};
    if (const auto* value = argument.as<std::string>()) return *value;
    if (const auto* value = argument.as<TorchConstant>()) return ofTorchConstant(*value, argument);
    if (const auto* value = argument.as<Device>()) return at::Device(deviceText(*value));
    if (const auto* value = argument.as<fx::Sequence>()) return ofSequence(*value, node);
    if (const auto* value = argument.as<Slice>())
        return std::make_shared<const SliceOf>(
            SliceOf{toValue(value->start, node), toValue(value->stop, node), toValue(value->step, node)});
    if (const auto* value = argument.as<Dict>()) {
        auto out = std::make_shared<Mapping>();
        for (const auto& [key, item] : value->items) out->items.emplace_back(toValue(key, node), toValue(item, node));
        return out;
    }
    return Value::constant(argument);
}

std::optional<Argument> toArgument(const Value& value) {
    if (value.isNone()) return Argument();
    if (const auto* v = value.as<bool>()) return Argument(*v);
    if (const auto* v = value.as<std::int64_t>()) return Argument(*v);
    if (const auto* v = value.as<double>()) return Argument(*v);
    if (value.as<EllipsisValue>()) return Argument(EllipsisValue{});
    if (const auto* v = value.text()) return Argument(*v);
    if (const auto* v = value.as<at::ScalarType>()) return Argument::dtype(scalarTypeName(*v));
    if (const auto* v = value.as<at::Device>())
        return Argument(
            Device{v->is_cpu() ? "cpu" : c10::DeviceTypeName(v->type(), true), v->has_index() ? v->index() : -1});
    if (auto constant = torchConstantOf(value)) return constant;
    if (const Argument* v = value.constant()) return *v;
    if (const Items* v = value.items()) {
        std::vector<Argument> items;
        for (const Value& item : v->items) {
            auto converted = toArgument(item);
            if (!converted) return std::nullopt;
            items.push_back(std::move(*converted));
        }
        return v->kind == Items::Kind::List ? Argument::list(std::move(items)) : Argument::tuple(std::move(items));
    }
    if (const Mapping* v = value.mapping()) {
        std::vector<std::pair<Argument, Argument>> items;
        for (const auto& [key, item] : v->items) {
            auto name = toArgument(key), converted = toArgument(item);
            if (!name || !converted) return std::nullopt;
            items.emplace_back(std::move(*name), std::move(*converted));
        }
        return Argument::dict(std::move(items));
    }
    if (const SliceOf* v = value.slice()) {
        auto start = toArgument(v->start), stop = toArgument(v->stop), step = toArgument(v->step);
        if (start && stop && step) return Argument::slice(*start, *stop, *step);
    }
    return std::nullopt;
}

std::string typeText(const Value& value) {
    if (value.isTensor()) return "Tensor";
    if (value.isNone()) return "None";
    if (value.as<bool>()) return "bool";
    if (value.as<std::int64_t>() || value.wideInteger()) return "int";
    if (value.as<double>()) return "float";
    if (value.text()) return "str";
    if (value.as<at::ScalarType>()) return "torch.dtype";
    if (value.as<at::Device>()) return "torch.device";
    if (value.as<at::Layout>()) return "torch.layout";
    if (value.as<at::MemoryFormat>()) return "torch.memory_format";
    if (value.as<EllipsisValue>()) return "ellipsis";
    if (value.slice()) return "slice";
    if (value.mapping()) return "dict";
    if (value.module()) return "Module";
    if (const Callable* callable = value.callable()) return callable->qualifiedName;
    if (const Items* items = value.items()) {
        if (items->kind == Items::Kind::Size) return "torch.Size";
        std::string text = items->kind == Items::Kind::List ? "list of (" : "tuple of (";
        for (std::size_t i = 0; i < items->items.size() && i < 6; ++i)
            text += (i ? ", " : "") + typeText(items->items[i]);
        return text + (items->items.size() > 6 ? ", ...)" : ")");
    }
    if (const Argument* constant = value.constant(); constant && constant->as<Complex>()) return "complex";
    return "object";
}

std::string typeText(const Arguments& arguments) {
    std::string text;
    for (const Value& value : arguments.positional) text += (text.empty() ? "" : ", ") + typeText(value);
    for (const auto& [name, value] : arguments.named) text += (text.empty() ? "" : ", ") + name + "=" + typeText(value);
    return "(" + text + ")";
}

} // namespace fx::engine
