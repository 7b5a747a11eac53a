// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pt2/pt2_graph_writer.h"

#include <algorithm>

namespace fx {
namespace {

bool isOperator(const Node& node) { return node.callable() && node.callable()->kind == Callable::Kind::OpOverload; }

} // namespace

bool returnsTensorList(const ops::Operator& op) {
    return op.returns().size() == 1 && op.returns()[0].type().starts_with("Tensor") &&
           op.returns()[0].type().ends_with("]");
}

Pt2GraphWriter::Pt2GraphWriter(JsonWriter& json, const GraphModule& module, const GraphModule& before,
                               const Pt2GraphsAsRead& asRead, Warnings& warnings)
    : m_json(json), m_module(module), m_before(before), m_graph(module.graph), m_allAsRead(asRead),
      m_asRead(asRead.at(&before)), m_warnings(warnings), m_link(before.graph, module.graph), m_tables(m_asRead.graph) {
}

void Pt2GraphWriter::refuse(const Node& node, const Message& what) const {
    throw Error(ErrorKind::Refused, what).onNode(node.name());
}

void Pt2GraphWriter::write() {
    m_json.beginObject();
    inputs();
    nodes();
    outputs();
    m_tables.write(m_json);
    for (const JsonValue member : m_asRead.graph) {
        const std::string_view key = member.key();
        if (key == "inputs" || key == "nodes" || key == "outputs" || key.ends_with("_values")) continue;
        m_json.key(key);
        copyJson(m_json, member);
    }
    m_json.endObject();
}

void Pt2GraphWriter::inputs() {
    std::unordered_map<std::uint32_t, JsonValue> old;
    NodeId before = m_before.graph.first();
    for (const JsonValue input : m_asRead.graph.at("inputs")) {
        old.emplace(index(before), input);
        before = m_before.graph.next(before);
    }
    m_json.key("inputs").beginArray();
    for (const Node& node : m_graph.nodes()) {
        if (node.op() != Op::Placeholder) continue;
        if (!node.args().empty()) refuse(node, Message("pt2.input_default"));
        const NodeId was = m_link.before(node.id());
        if (was != kNoNode) {
            const JsonValue input = old.at(index(was));
            if (unionOf(input).value.isObject()) defineNames(input, node); // a literal has no type
            copyJson(m_json, input, &m_link.renames());
            continue;
        }
        define(node.name(), node.id(), {}, node);
        m_json.beginObject().key("as_tensor").beginObject().key("name").string(node.name()).endObject().endObject();
    }
    m_json.endArray();
}

bool Pt2GraphWriter::isImplicit(const Node& node) const {
    if (getItemPlace(node) < 0) return false;
    const Node& producer = m_graph.node(node.args()[0].node());
    if (getItemPlace(producer) >= 0) return true; // an element of a list among several results
    const auto op = isOperator(producer) ? ops::findOperator(producer.callable()->qualifiedName) : std::nullopt;
    if (op ? op->returns().size() > 1 || returnsTensorList(*op) : m_link.before(producer.id()) != kNoNode) return true;
    refuse(node, Message("pt2.element"));
}

void Pt2GraphWriter::nodes() {
    m_json.key("nodes").beginArray();
    for (const Node& each : m_graph.nodes()) {
        if (each.op() == Op::CallFunction && !isImplicit(each)) node(each);
        if (each.op() == Op::CallModule || each.op() == Op::CallMethod)
            refuse(each, Message("pt2.node_kind", {{"op", opName(each.op())}}));
    }
    m_json.endArray();
}

void Pt2GraphWriter::node(const Node& node) {
    m_writing = &node;
    const NodeId id = m_link.before(node.id());
    const Node* before = id == kNoNode ? nullptr : &m_before.graph.node(id);
    const auto found = before ? m_asRead.nodes.find(index(id)) : m_asRead.nodes.end();
    const JsonValue asRead = found == m_asRead.nodes.end() ? JsonValue() : found->second;
    if (!asRead.exists()) before = nullptr;
    const bool known =
        isOperator(node) || isPt2SymbolicOp(node.target()) || (before && before->target() == node.target());
    if (!known) refuse(node, Message("pt2.cannot_call", {{"target", node.target()}}));
    m_json.beginObject().key("target").string(
        before && before->target() == node.target() ? asRead.at("target").asText() : std::string_view(node.target()));
    nodeInputs(node, before, asRead);
    nodeOutputs(node, before, asRead);
    metadata(node, before, asRead);
    if (asRead.exists()) {
        for (const JsonValue member : asRead) {
            const std::string_view key = member.key();
            if (key == "target" || key == "inputs" || key == "outputs" || key == "metadata") continue;
            m_json.key(key);
            if (key == "name" && member.isString() && before->name() != node.name()) m_json.string(node.name());
            else copyJson(m_json, member);
        }
    } else {
        m_json.key("is_hop_single_tensor_return").null().key("name").string(node.name());
    }
    m_json.endObject();
}

void Pt2GraphWriter::copyInputs(JsonValue inputs) {
    for (const JsonValue input : inputs) {
        m_json.beginObject();
        for (const JsonValue member : input) {
            m_json.key(member.key());
            const bool isGraph = member.key() == "arg" && member.find("as_graph").exists();
            if (isGraph) subgraph(std::string(member.at("as_graph").at("name").asText()));
            else copyJson(m_json, member, member.key() == "arg" ? &m_link.renames() : nullptr);
        }
        m_json.endObject();
    }
}

void Pt2GraphWriter::input(std::string_view name, const Argument& value, int kind, std::string_view type) {
    m_json.beginObject().key("name").string(name).key("arg");
    argument(value, type);
    m_json.key("kind").integer(kind).endObject();
}

void Pt2GraphWriter::nodeInputs(const Node& node, const Node* before, JsonValue asRead) {
    m_json.key("inputs").beginArray();
    const auto op = isOperator(node) ? ops::findOperator(node.callable()->qualifiedName) : std::nullopt;
    if (before && before->target() == node.target() && m_link.same(*before, node)) {
        copyInputs(asRead.at("inputs"));
    } else if (op) {
        std::size_t place = 0;
        for (const ops::Argument declared : op->arguments()) {
            const auto named = std::find_if(node.kwargs().begin(), node.kwargs().end(),
                                            [&](const auto& given) { return given.first == declared.name(); });
            if (place < node.args().size()) input(declared.name(), node.args()[place], 1, declared.type());
            else if (named != node.kwargs().end()) input(declared.name(), named->second, 2, declared.type());
            else if (!declared.hasDefault())
                refuse(node, Message("pt2.needs_argument",
                                     {{"target", node.target()}, {"name", declared.name()}, {"schema", op->schema()}}));
            ++place;
        }
        if (node.args().size() > op->arguments().size())
            refuse(node, Message("pt2.too_many_arguments", {{"target", node.target()}, {"schema", op->schema()}}));
        for (const auto& [name, value] : node.kwargs())
            if (std::none_of(op->arguments().begin(), op->arguments().end(),
                             [&, &wanted = name](const ops::Argument declared) { return declared.name() == wanted; }))
                refuse(node, Message("pt2.unknown_argument",
                                     {{"target", node.target()}, {"name", name}, {"schema", op->schema()}}));
    } else {
        const bool symbolic = isPt2SymbolicOp(node.target());
        char letter = 'a';
        for (const Argument& value : node.args()) input(symbolic ? std::string(1, letter++) : std::string(), value, 1);
        for (const auto& [name, value] : node.kwargs()) input(name, value, 2);
    }
    m_json.endArray();
}

void Pt2GraphWriter::subgraph(const std::string& name) {
    const auto find = [&](const GraphModule& in) {
        const auto found = std::find_if(in.subgraphs.begin(), in.subgraphs.end(),
                                        [&](const auto& each) { return each.first == name; });
        return found == in.subgraphs.end() ? nullptr : found->second.get();
    };
    const GraphModule *now = find(m_module), *before = find(m_before);
    if (!now || !before) refuse(*m_writing, Message("pt2.foreign_graph", {{"name", name}}));
    m_json.beginObject().key("as_graph").beginObject().key("name").string(name).key("graph");
    Pt2GraphWriter(m_json, *now, *before, m_allAsRead, m_warnings).write();
    m_json.endObject().endObject();
}

void Pt2GraphWriter::nodeOutputs(const Node& node, const Node* before, JsonValue asRead) {
    m_json.key("outputs");
    const auto op = isOperator(node) ? ops::findOperator(node.callable()->qualifiedName) : std::nullopt;
    const auto opBefore =
        before && isOperator(*before) ? ops::findOperator(before->callable()->qualifiedName) : std::nullopt;
    bool keeps = before && before->target() == node.target();
    if (!keeps && op && opBefore && op->returns().size() == opBefore->returns().size()) {
        keeps = true;
        for (std::size_t i = 0; i < op->returns().size(); ++i)
            keeps &= op->returns()[i].type().substr(0, 6) == opBefore->returns()[i].type().substr(0, 6) &&
                     !returnsTensorList(*op);
    }
    if (keeps) {
        defineNames(asRead.at("outputs"), node);
        return copyJson(m_json, asRead.at("outputs"), &m_link.renames());
    }
    if (op) return newOutputs(node, *op);
    m_json.beginArray()
        .beginObject()
        .key("as_sym_int")
        .beginObject()
        .key("as_name")
        .string(node.name())
        .endObject()
        .endObject()
        .endArray();
    define(node.name(), node.id(), {}, node);
}

/// The names in serialized outputs, at any depth.
void Pt2GraphWriter::defineNames(JsonValue outputs, const Node& node) {
    for (const JsonValue item : outputs) {
        if (!item.isString()) {
            defineNames(item, node);
        } else if (item.key() == "name" || item.key() == "as_name") {
            const std::string old(item.asText());
            const auto renamed = m_link.renames().find(old);
            const std::string& name = renamed == m_link.renames().end() ? old : renamed->second;
            define(name, m_graph.find(name), old, node);
        }
    }
}

void Pt2GraphWriter::newOutputs(const Node& node, const ops::Operator& op) {
    std::vector<NodeId> items;
    for (const NodeId user : node.users()) {
        const std::int64_t place = getItemPlace(m_graph.node(user));
        if (place < 0) continue;
        if (static_cast<std::size_t>(place) >= items.size())
            items.resize(std::min<std::size_t>(static_cast<std::size_t>(place) + 1, 65536), kNoNode);
        if (static_cast<std::size_t>(place) < items.size()) items[static_cast<std::size_t>(place)] = user;
    }
    const auto tensor = [&](std::size_t place) {
        const NodeId item = place < items.size() ? items[place] : kNoNode;
        std::string name =
            item == kNoNode ? node.name() + "_unused_" + std::to_string(place) : m_graph.node(item).name();
        while (item == kNoNode && m_graph.find(name) != kNoNode) name += "_";
        m_json.beginObject().key("name").string(name).endObject();
        define(name, item, {}, node);
    };
    m_json.beginArray();
    if (returnsTensorList(op)) {
        m_json.beginObject().key("as_tensors").beginArray();
        for (std::size_t i = 0; i < std::max(items.size(), node.meta().values.size()); ++i) tensor(i);
        m_json.endArray().endObject();
    } else if (op.returns().size() == 1) {
        define(node.name(), node.id(), {}, node);
        const std::string_view type = op.returns()[0].type();
        const char* tag = type.starts_with("Tensor")                            ? nullptr
                          : type.find("bool") != type.npos || type == "SymBool" ? "as_sym_bool"
                          : type == "float"                                     ? "as_sym_float"
                                                                                : "as_sym_int";
        m_json.beginObject()
            .key(tag ? tag : "as_tensor")
            .beginObject()
            .key(tag ? "as_name" : "name")
            .string(node.name())
            .endObject()
            .endObject();
    } else {
        for (std::size_t i = 0; i < op.returns().size(); ++i) {
            if (!op.returns()[i].type().starts_with("Tensor") || op.returns()[i].type().ends_with("]"))
                refuse(node, Message("pt2.mixed_results"));
            m_json.beginObject().key("as_tensor");
            tensor(i);
            m_json.endObject();
        }
    }
    m_json.endArray();
}

void Pt2GraphWriter::metadata(const Node& node, const Node* before, JsonValue asRead) {
    m_json.key("metadata");
    const NodeMeta& meta = node.meta();
    if (before && meta.moduleStack == before->meta().moduleStack && meta.stackTrace == before->meta().stackTrace &&
        meta.other == before->meta().other)
        return copyJson(m_json, asRead.at("metadata"));
    m_json.beginObject();
    if (!meta.stackTrace.empty()) m_json.key("stack_trace").string(meta.stackTrace);
    std::string stack;
    for (const ModuleFrame& frame : meta.moduleStack)
        stack += (stack.empty() ? "" : ";") + frame.key + "," + frame.path + "," + frame.type;
    if (!stack.empty()) m_json.key("nn_module_stack").string(stack);
    for (const auto& [key, text] : meta.other) m_json.key(key).string(text);
    m_json.endObject();
}

void Pt2GraphWriter::define(const std::string& name, NodeId id, const std::string& oldName, const Node& madeBy) {
    if (m_tables.knows(name)) return;
    const auto& values = id == kNoNode ? std::vector<ValueInfo>{} : m_graph.node(id).meta().values;
    const NodeId was = id == kNoNode ? kNoNode : m_link.before(id);
    const bool unchanged =
        values.empty() || (was != kNoNode && m_before.graph.node(was).meta().values.size() == values.size() &&
                           m_before.graph.node(was).meta().values[0] == values[0]);
    if (!oldName.empty() && unchanged && m_tables.keep(name, oldName)) return;
    if (values.size() == 1 && m_tables.add(name, values[0])) return;
    if (!oldName.empty() && m_tables.keep(name, oldName)) return;
    if (!m_tables.add(name, guess(madeBy, name))) m_tables.add(name, ValueInfo{"torch.float32", {}, {}, "cpu"});
}

/// The type of a new value that nobody has computed: that of the first input. PyTorch accepts any; it computes the
/// shapes anew when it decomposes or runs.
ValueInfo Pt2GraphWriter::guess(const Node& node, const std::string& name) {
    const auto op = isOperator(node) ? ops::findOperator(node.callable()->qualifiedName) : std::nullopt;
    if (node.op() == Op::Placeholder) m_warnings.push_back({Message("pt2.unknown_input_shape"), name, {}, {}});
    else if (!op || !op->hasTag(ops::Tag::pointwise))
        m_warnings.push_back({Message("pt2.unknown_value_shape"), name, {}, {}});
    const ValueInfo* best = nullptr;
    for (const NodeId input : node.inputs()) {
        const auto& values = m_graph.node(input).meta().values;
        if (!values.empty() && values[0].isTensor && (!best || values[0].sizes.size() > best->sizes.size()))
            best = &values[0];
    }
    if (isPt2SymbolicOp(node.target())) return ValueInfo{"int", {"0"}, {}, {}, false};
    if (!best) return ValueInfo{"torch.float32", {}, {}, "cpu"};
    ValueInfo info = *best;
    info.strides.clear();
    return info;
}

std::vector<Argument> Pt2GraphWriter::results() const {
    const NodeId output = m_graph.outputNode();
    if (output == kNoNode || m_graph.node(output).args().empty()) return {};
    const Argument& value = m_graph.node(output).args()[0];
    const Sequence* items = value.as<Sequence>();
    return items ? items->items : std::vector<Argument>{value};
}

void Pt2GraphWriter::outputs() {
    const NodeId output = m_graph.outputNode();
    if (output == kNoNode) throw Error(ErrorKind::Refused, Message("pt2.no_output"));
    m_writing = &m_graph.node(output);
    const NodeId was = m_before.graph.outputNode();
    const JsonValue old = m_asRead.graph.at("outputs");
    m_json.key("outputs");
    if (was != kNoNode && m_link.same(m_before.graph.node(was), *m_writing))
        return copyJson(m_json, old, &m_link.renames());
    m_json.beginArray();
    for (const Argument& value : results()) argument(value);
    m_json.endArray();
}

} // namespace fx
