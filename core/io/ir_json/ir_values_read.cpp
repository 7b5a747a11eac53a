// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/ir_json/ir_values.h"
#include "core/trace/callables.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace fx {
namespace {
constexpr std::array<std::string_view, 5> kKinds = {"function", "class", "op_overload", "op_packet", "higher_order_op"};
std::string listed(std::initializer_list<std::string_view> words) {
    std::string out;
    for (const std::string_view word : words) {
        if (!out.empty()) out += ", ";
        out += word;
    }
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

NodeId IrValueReader::nodeNamed(JsonValue name) {
    const NodeId id = m_graph.find(std::string(name.asText()));
    if (id == kNoNode) throw name.error(Message("ir.unknown_node_argument", {{"name", name.asText()}}));
    return id;
}

std::optional<Argument> IrValueReader::readOther(JsonValue object, std::string_view form) {
    const JsonValue first = *object.begin();
    if (form == "callable") return CallableValue{callable(object)};
    if (form == "enum") {
        const IrObject member(object, {"enum", "member", "repr", "str"});
        return EnumMember{callable(first), std::string(member.need("member").asText()), member.text("repr"),
                          member.text("str")};
    }
    if (form == "opaque")
        return OpaqueObject{std::string(first.asText()), IrObject(object, {"opaque", "repr"}).text("repr"), {}};
    return form == "repr" && object.size() == 1 ? std::optional(fromRepr(first)) : std::nullopt;
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
    static constexpr std::array<std::string_view, 23> kDtypes = {
        "torch.float32",   "torch.float64",       "torch.float16",     "torch.bfloat16", "torch.int8",
        "torch.uint8",     "torch.int16",         "torch.int32",       "torch.int64",    "torch.bool",
        "torch.complex32", "torch.complex64",     "torch.complex128",  "torch.uint16",   "torch.uint32",
        "torch.uint64",    "torch.float8_e4m3fn", "torch.float8_e5m2", "torch.qint8",    "torch.quint8",
        "torch.qint32",    "torch.quint4x2",      "torch.quint2x4"};
    if (among(kDtypes)) return Argument::dtype(text);
    throw value.error(Message("ir.unknown_repr", {{"text", text}}));
}

CallablePtr IrValueReader::callable(JsonValue value) {
    if (value.isString()) {
        CallablePtr& known = m_known[std::string(value.asText())];
        if (known) return known;
        known = resolveCallable(value.asText());
        if (known->opaque)
            m_warnings.push_back(
                {Message("ir.unknown_function", {{"name", value.asText()}}), {}, {}, m_places->of(value)});
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
        const std::vector<std::string> parts = names.texts();
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
