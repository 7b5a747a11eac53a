// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/ir_json/ir_values.h"
#include "core/trace/callables.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace fx {
namespace {
constexpr std::array<std::string_view, 4> kConstantKeys = {"dtype", "layout", "memory_format", "qscheme"};
constexpr std::array<std::string_view, 5> kKinds = {"function", "class", "op_overload", "op_packet", "higher_order_op"};
std::string listed(std::initializer_list<std::string_view> words) {
    std::string out;
    for (const std::string_view word : words) {
        if (!out.empty()) out += ", ";
        out += word;
    }
    return out;
}

std::string bytesFrom(JsonValue value) {
    const std::string_view digits = value.asText();
    std::string out;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
        unsigned byte = 0;
        const char* end = digits.data() + i + 2;
        if (std::from_chars(digits.data() + i, end, byte, 16).ptr != end) break;
        out += static_cast<char>(byte);
    }
    if (out.size() * 2 != digits.size()) throw value.error(Message("ir.expected_hexadecimal"));
    return out;
}

TypePtr makeType(TypeExpr type) { return std::make_shared<const TypeExpr>(std::move(type)); }

/// Splits at `separator` outside of brackets.
std::vector<std::string_view> splitOutside(std::string_view text, std::string_view separator) {
    std::vector<std::string_view> parts;
    int depth = 0;
    std::size_t start = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        depth += text[i] == '[' ? 1 : text[i] == ']' ? -1 : 0;
        if (depth != 0 || !text.substr(i).starts_with(separator)) continue;
        parts.push_back(text.substr(start, i - start));
        start = i + separator.size();
    }
    parts.push_back(text.substr(start));
    return parts;
}

TypePtr shortType(std::string_view text, int depth) {
    TypeExpr type;
    if (depth > kMaxArgumentDepth || text.empty()) return nullptr;
    const auto parse = [&](const std::vector<std::string_view>& parts) {
        for (const std::string_view part : parts) {
            type.args.push_back(shortType(part, depth + 1));
            if (!type.args.back()) return false;
        }
        return true;
    };
    if (const auto members = splitOutside(text, " | "); members.size() > 1) {
        type.kind = TypeExpr::Kind::Union;
        return parse(members) ? makeType(std::move(type)) : nullptr;
    }
    const std::size_t bracket = text.find('[');
    if (bracket != std::string_view::npos) {
        type.kind = TypeExpr::Kind::Generic;
        if (!text.ends_with(']') || !parse(splitOutside(text.substr(bracket + 1, text.size() - bracket - 2), ", ")))
            return nullptr;
        text = text.substr(0, bracket);
    }
    if (text == "None") text = "NoneType";
    const std::size_t dot = text.rfind('.');
    type.module = dot == std::string_view::npos ? "builtins" : text.substr(0, dot);
    type.name = dot == std::string_view::npos ? text : text.substr(dot + 1);
    type.fromTorch = type.module == "torch" || type.module.starts_with("torch.");
    return type.name.empty() ? nullptr : makeType(std::move(type));
}
} // namespace

IrObject::IrObject(JsonValue value, std::initializer_list<std::string_view> keys) : m_value(value) {
    std::vector<bool> seen(keys.size());
    for (const JsonValue member : value.needObject()) {
        const auto found = std::find(keys.begin(), keys.end(), member.key());
        if (found == keys.end())
            throw member.error(Message("ir.unknown_key", {{"key", member.key()}, {"known", listed(keys)}}));
        const auto place = static_cast<std::size_t>(found - keys.begin());
        if (seen[place]) throw member.error(Message("ir.duplicate_key", {{"key", member.key()}}));
        seen[place] = true;
    }
}

JsonValue IrObject::need(std::string_view key) const { return m_value.at(key); }

std::string IrObject::text(std::string_view key, std::string_view otherwise) const {
    const JsonValue value = get(key);
    return std::string(value.exists() ? value.asText() : otherwise);
}

bool IrObject::flag(std::string_view key, bool otherwise) const {
    const JsonValue value = get(key);
    return value.exists() ? value.asBool() : otherwise;
}

TypePtr typeFromText(std::string_view text) { return shortType(text, 0); }

Argument IrValueReader::argument(JsonValue value, int depth) {
    if (depth > kMaxArgumentDepth) throw value.error(Message("ir.arguments_too_deep", {{"limit", kMaxArgumentDepth}}));
    switch (value.kind()) {
    case JsonValue::Kind::Null: return {};
    case JsonValue::Kind::Bool: return value.asBool();
    case JsonValue::Kind::Int: return value.asInt();
    case JsonValue::Kind::BigInt: return BigInt{std::string(value.digits())};
    case JsonValue::Kind::Float: return value.asDouble();
    case JsonValue::Kind::String: return value.asText();
    case JsonValue::Kind::Array: return Argument::list(items(value, depth));
    case JsonValue::Kind::Object: break;
    }
    return object(value, depth);
}

std::vector<Argument> IrValueReader::items(JsonValue array, int depth) {
    std::vector<Argument> items;
    for (const JsonValue item : array.needArray()) items.push_back(argument(item, depth + 1));
    return items;
}

Argument IrValueReader::object(JsonValue value, int depth) {
    if (value.size() == 0) throw value.error(Message("ir.empty_object"));
    const JsonValue first = *value.begin();
    const std::string_view form = first.key();
    if (form == "node") {
        const NodeId id = m_graph.find(IrObject(value, {"node"}).text("node"));
        if (id == kNoNode) throw first.error(Message("ir.unknown_node_argument", {{"name", first.asText()}}));
        return id;
    }
    if (value.find("tuple").exists()) return sequence(value, depth);
    if (form == "callable") return CallableValue{callable(value)};
    if (form == "device") {
        const IrObject device(value, {"device", "index"});
        const std::int64_t index = device.has("index") ? device.get("index").asInt() : -1;
        if (index < -1 || index > std::numeric_limits<int>::max())
            throw device.get("index").error(Message("ir.expected_device_index"));
        return Device{device.text("device"), static_cast<int>(index)};
    }
    if (form == "enum") {
        const IrObject member(value, {"enum", "member", "repr"});
        return EnumMember{callable(first), std::string(member.need("member").asText()), member.text("repr")};
    }
    if (form == "opaque")
        return OpaqueObject{std::string(first.asText()), IrObject(value, {"opaque", "repr"}).text("repr")};
    if (value.size() != 1) throw value.error(Message("ir.unknown_object"));
    if (form == "repr") return fromRepr(first);
    if (form == "float") return number(value);
    if (form == "bytes") return Bytes{bytesFrom(first)};
    if (form == "symbolic") return Symbolic{std::string(first.asText())};
    if (form == "ellipsis") return EllipsisValue{};
    if (const auto found = std::find(kConstantKeys.begin(), kConstantKeys.end(), form); found != kConstantKeys.end())
        return TorchConstant{static_cast<TorchConstant::Kind>(found - kConstantKeys.begin()),
                             std::string(first.asText())};
    if (form == "dict") {
        std::vector<std::pair<Argument, Argument>> pairs;
        for (const JsonValue pair : first.needArray()) {
            std::vector<Argument> both = items(pair, depth + 1);
            if (both.size() != 2) throw pair.error(Message("ir.expected_entry"));
            pairs.emplace_back(std::move(both[0]), std::move(both[1]));
        }
        return Argument::dict(std::move(pairs));
    }
    if (form != "slice" && form != "range" && form != "complex")
        throw first.error(Message("ir.unknown_form", {{"form", form}}));
    std::vector<Argument> parts = items(first, depth);
    if (parts.size() != (form == "complex" ? 2u : 3u))
        throw first.error(form == "complex" ? Message("ir.expected_complex") : Message("ir.expected_slice"));
    if (form == "slice") return Argument::slice(parts[0], parts[1], parts[2]);
    std::vector<JsonValue> raw;
    for (const JsonValue part : first) raw.push_back(part);
    if (form == "complex") return Complex{number(raw[0]), number(raw[1])};
    return Range{raw[0].asInt(), raw[1].asInt(), raw[2].asInt()};
}

Argument IrValueReader::sequence(JsonValue value, int depth) {
    const IrObject object(value, {"tuple", "type"});
    Sequence sequence{Sequence::Kind::Tuple, items(object.get("tuple"), depth), {}};
    if (object.has("type")) {
        sequence.kind = Sequence::Kind::NamedTuple;
        sequence.type = callable(object.get("type"));
    }
    return sequence;
}

double IrValueReader::number(JsonValue value) {
    if (!value.isObject()) return value.asDouble();
    const JsonValue word = IrObject(value, {"float"}).need("float");
    if (word.asText() == "inf") return std::numeric_limits<double>::infinity();
    if (word.asText() == "-inf") return -std::numeric_limits<double>::infinity();
    if (word.asText() == "nan") return std::nan("");
    throw word.error(Message("ir.expected_float"));
}

/// The forms of `graph --json` whose text alone says what they are.
Argument IrValueReader::fromRepr(JsonValue value) {
    static constexpr std::array<std::string_view, 4> kMemoryFormats = {
        "torch.contiguous_format", "torch.channels_last", "torch.channels_last_3d", "torch.preserve_format"};
    static constexpr std::array<std::string_view, 3> kLayouts = {"torch.strided", "torch.sparse_coo", "torch._mkldnn"};
    const std::string_view text = value.asText();
    const auto among = [&](const auto& words) { return std::find(words.begin(), words.end(), text) != words.end(); };
    if (text == "inf" || text == "nan") return text == "inf" ? std::numeric_limits<double>::infinity() : std::nan("");
    if (text == "-inf") return -std::numeric_limits<double>::infinity();
    if (text == "Ellipsis") return EllipsisValue{};
    if (text == "device(type='cpu')") return Device{"cpu"};
    if (among(kMemoryFormats)) return TorchConstant{TorchConstant::Kind::MemoryFormat, std::string(text)};
    if (among(kLayouts)) return TorchConstant{TorchConstant::Kind::Layout, std::string(text)};
    static constexpr std::array<std::string_view, 21> kDtypes = {
        "torch.float32",   "torch.float64",       "torch.float16",     "torch.bfloat16", "torch.int8",
        "torch.uint8",     "torch.int16",         "torch.int32",       "torch.int64",    "torch.bool",
        "torch.complex32", "torch.complex64",     "torch.complex128",  "torch.uint16",   "torch.uint32",
        "torch.uint64",    "torch.float8_e4m3fn", "torch.float8_e5m2", "torch.qint8",    "torch.quint8",
        "torch.qint32"};
    if (among(kDtypes)) return Argument::dtype(text);
    throw value.error(Message("ir.unknown_repr", {{"text", text}}));
}

CallablePtr IrValueReader::callable(JsonValue value) {
    if (value.isString()) {
        CallablePtr& known = m_known[std::string(value.asText())];
        if (known) return known;
        known = resolveCallable(value.asText());
        if (known->opaque)
            m_warnings.push_back({Message("ir.unknown_function", {{"name", value.asText()}}), {}, {}, value.path()});
        return known;
    }
    const IrObject object(value,
                          {"callable", "module", "name", "qualified_name", "repr", "kind", "from_torch", "opaque"});
    Callable callable = *resolveCallable(object.need("callable").asText());
    callable.module = object.text("module", callable.module);
    callable.name = object.text("name", callable.name);
    callable.qualifiedName = object.text("qualified_name", callable.qualifiedName);
    callable.repr = object.text("repr", callable.repr);
    callable.fromTorch = object.flag("from_torch", callable.fromTorch);
    callable.opaque = object.flag("opaque", callable.opaque);
    if (const JsonValue kind = object.get("kind"); kind.exists()) {
        const auto found = std::find(kKinds.begin(), kKinds.end(), kind.asText());
        if (found == kKinds.end()) throw kind.error(Message("ir.expected_callable"));
        callable.kind = static_cast<Callable::Kind>(found - kKinds.begin());
    }
    return std::make_shared<const Callable>(std::move(callable));
}

TypePtr IrValueReader::type(JsonValue value, int depth) {
    if (depth > kMaxArgumentDepth) throw value.error(Message("ir.annotation_too_deep"));
    if (value.isString()) {
        if (TypePtr type = typeFromText(value.asText())) return type;
        throw value.error(Message("ir.unknown_annotation"));
    }
    const IrObject object(value, {"class", "generic", "args", "union", "text", "from_torch"});
    TypeExpr type;
    type.fromTorch = object.flag("from_torch");
    const auto named = [&](JsonValue names) {
        std::vector<std::string> parts;
        for (const JsonValue name : names.needArray()) parts.emplace_back(name.asText());
        if (parts.size() != 2) throw names.error(Message("ir.expected_module_and_name"));
        type.module = parts[0];
        type.name = parts[1];
    };
    const auto args = [&](JsonValue list) {
        for (const JsonValue arg : list.needArray()) type.args.push_back(this->type(arg, depth + 1));
    };
    if (object.has("text")) {
        type.kind = TypeExpr::Kind::Text;
        type.name = object.text("text");
    } else if (object.has("union")) {
        type.kind = TypeExpr::Kind::Union;
        args(object.get("union"));
    } else if (object.has("generic")) {
        type.kind = TypeExpr::Kind::Generic;
        named(object.get("generic"));
        args(object.need("args"));
    } else {
        named(object.need("class"));
    }
    return makeType(std::move(type));
}

} // namespace fx
