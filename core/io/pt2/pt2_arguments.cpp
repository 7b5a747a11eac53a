// SPDX-License-Identifier: GPL-3.0-or-later
// The part of Pt2GraphBuilder that turns serialized arguments and metadata into those of a node.
#include "core/io/pt2/pt2_graph.h"

#include <algorithm>

namespace fx {
namespace {

/// Splits at `separator` outside of brackets, or everywhere when `nested` is false.
std::vector<std::string_view> split(std::string_view text, char separator, bool nested) {
    std::vector<std::string_view> parts;
    std::size_t start = 0;
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (nested && (text[i] == '[' || text[i] == '(')) ++depth;
        if (nested && (text[i] == ']' || text[i] == ')')) --depth;
        if (text[i] != separator || depth != 0) continue;
        parts.push_back(text.substr(start, i - start));
        start = i + 1;
    }
    parts.push_back(text.substr(start));
    return parts;
}

/// `key,path,type;key,path,type`, outermost first; false when it is not of that form or names no module.
bool readModuleStack(std::string_view text, std::vector<ModuleFrame>& frames) {
    for (const std::string_view entry : split(text, ';', false)) {
        const auto parts = split(entry, ',', true);
        if (parts.size() != 3 || parts[1] == "_empty_nn_module_stack_from_metadata_hook") return false;
        frames.push_back({std::string(parts[0]), std::string(parts[1]), std::string(parts[2])});
    }
    return true;
}

bool isList(std::string_view tag) {
    return tag == "as_tensors" || tag == "as_ints" || tag == "as_floats" || tag == "as_bools" || tag == "as_strings" ||
           tag == "as_int_lists" || tag == "as_float_lists" || tag == "as_nested_tensors" || tag == "as_sym_ints" ||
           tag == "as_sym_bools" || tag == "as_sym_floats" || tag == "as_optional_tensors";
}
} // namespace

Argument Pt2GraphBuilder::argument(JsonValue serialized, int depth) {
    const auto [tag, value] = unionOf(serialized);
    if (isList(tag)) return listArgument(tag, value.needArray());
    if (tag == "as_tensor") return defined(value.at("name"));
    if (tag == "as_sym_int" || tag == "as_sym_float" || tag == "as_sym_bool") return symbolic(value);
    if (tag == "as_optional_tensor") return argument(value, depth + 1);
    if (tag == "as_graph") return subgraph(value);
    if (tag == "as_custom_obj") return customObject(value);
    if (tag == "as_string_to_argument") {
        if (depth >= kMaxArgumentDepth) throw value.error(Message("pt2.arguments_too_deep"));
        std::vector<std::pair<Argument, Argument>> items;
        for (const JsonValue member : value.needObject())
            items.emplace_back(Argument(member.key()), argument(member, depth + 1));
        return Argument::dict(std::move(items));
    }
    return scalarArgument(tag, value);
}

Argument Pt2GraphBuilder::scalarArgument(std::string_view tag, JsonValue value) {
    if (tag == "as_none") return {};
    if (tag == "as_int") {
        if (value.kind() == JsonValue::Kind::BigInt) return BigInt{std::string(value.digits())};
        return value.asInt();
    }
    if (tag == "as_float") return pt2Float(value);
    if (tag == "as_bool") return value.asBool();
    if (tag == "as_string") return value.asText();
    if (tag == "as_complex") return Complex{pt2Float(value.at("real")), pt2Float(value.at("imag"))};
    if (tag == "as_device") return pt2Device(value);
    if (tag == "as_scalar_type") return constantOfTorch(TorchConstant::Kind::Dtype, pt2DtypeName(value.asInt()), value);
    if (tag == "as_layout") return constantOfTorch(TorchConstant::Kind::Layout, pt2LayoutName(value.asInt()), value);
    if (tag == "as_memory_format")
        return constantOfTorch(TorchConstant::Kind::MemoryFormat, pt2MemoryFormatName(value.asInt()), value);
    if (tag == "as_operator") {
        const CallablePtr named = callable(value.asText());
        if (!named->opaque) return CallableValue{named};
        warn(Message("pt2.unknown_operator_value", {{"name", value.asText()}}), value, m_nodeName);
        if (named->kind == Callable::Kind::Function) return value.asText(); // PyTorch leaves it text
        return CallableValue{named};
    }
    return opaque(value, Message("pt2.argument_kind", {{"kind", tag}}));
}

Argument Pt2GraphBuilder::listArgument(std::string_view tag, JsonValue list) {
    std::vector<Argument> items;
    for (const JsonValue item : list) {
        if (tag == "as_tensors") {
            items.emplace_back(defined(item.at("name")));
        } else if (tag == "as_optional_tensors") {
            items.push_back(argument(item));
        } else if (tag.starts_with("as_sym_")) {
            items.push_back(symbolic(item));
        } else if (tag == "as_nested_tensors") {
            items.push_back(listArgument("as_tensors", item.needArray()));
        } else if (tag == "as_float_lists") {
            items.push_back(listArgument("as_floats", item.needArray()));
        } else if (tag == "as_int_lists") { // tuples, as PyTorch reads them
            items.push_back(Argument::tuple(listArgument("as_ints", item.needArray()).asList()->items));
        } else {
            items.push_back(scalarArgument(tag.substr(0, tag.size() - 1), item));
        }
    }
    return Argument::list(std::move(items));
}

Argument Pt2GraphBuilder::constantOfTorch(TorchConstant::Kind kind, const char* name, JsonValue value) {
    if (!name) return opaque(value, Message("pt2.unknown_constant"));
    return TorchConstant{kind, name};
}

/// A symbolic number by its name, or a plain one among symbolic ones.
Argument Pt2GraphBuilder::symbolic(JsonValue serialized) {
    const auto [tag, value] = unionOf(serialized);
    if (tag == "as_name") return defined(value);
    return scalarArgument(tag, value);
}

Argument Pt2GraphBuilder::subgraph(JsonValue value) {
    const std::string name(value.at("name").asText());
    auto child = std::make_shared<GraphModule>();
    child->format = Format::Pt2;
    child->path = m_module.path;
    Pt2GraphBuilder(*child, m_context).build(value.at("graph"));
    const auto same = std::find_if(m_module.subgraphs.begin(), m_module.subgraphs.end(),
                                   [&](const auto& known) { return known.first == name; });
    if (same != m_module.subgraphs.end()) same->second = std::move(child);
    else m_module.subgraphs.emplace_back(name, std::move(child));
    const NodeId id = m_graph.createNode(Op::GetAttr, name, {}, {}, name);
    m_graphArguments.push_back(id);
    return id;
}

Argument Pt2GraphBuilder::customObject(JsonValue value) {
    const NodeId lifted = node(value.at("name").asText());
    if (lifted != kNoNode) return lifted;
    const std::string type(value.at("class_fqn").asText());
    return OpaqueObject{type, "<torch.ScriptObject object at 0x0>", {}};
}

Argument Pt2GraphBuilder::opaque(JsonValue value, const Message& why) {
    warn(Message("pt2.kept", {{"what", why.text()}}), value, m_nodeName);
    const std::string text = value.isString() ? std::string(value.asText()) : value.path();
    return OpaqueObject{"torch._export.serde.schema.Argument", "<" + text + ">", {}};
}

NodeId Pt2GraphBuilder::defined(JsonValue name) const {
    const NodeId id = node(name.asText());
    if (id == kNoNode) throw name.error(Message("pt2.undefined", {{"name", name.asText()}}));
    return id;
}

void Pt2GraphBuilder::readMetadata(JsonValue metadata) {
    m_meta = {};
    for (const JsonValue entry : metadata.needObject()) {
        const std::string_view text = entry.asText();
        if (entry.key() == "stack_trace") {
            m_meta.stackTrace = text;
        } else if (entry.key() != "nn_module_stack" || text.empty() || !readModuleStack(text, m_meta.moduleStack)) {
            if (entry.key() == "nn_module_stack") m_meta.moduleStack.clear();
            m_meta.other.emplace_back(entry.key(), text);
        }
    }
}

void Pt2GraphBuilder::setMeta(NodeId id, std::vector<ValueInfo> values) {
    auto meta = std::make_shared<NodeMeta>(m_meta);
    meta->values = std::move(values);
    m_graph.setMeta(id, std::move(meta));
}

} // namespace fx
