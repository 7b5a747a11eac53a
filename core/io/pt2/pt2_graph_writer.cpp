// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pt2/pt2_graph_writer.h"

#include <algorithm>

namespace fx {
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
    const auto op = isPt2Operator(producer) ? ops::findOperator(producer.callable()->qualifiedName) : std::nullopt;
    if (op ? op->returns().size() > 1 || returnsTensorList(*op) : m_link.before(producer.id()) != kNoNode) return true;
    if (isPt2Operator(producer) && !op && resultsInFile(producer) > 1) return true;
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
        isPt2Operator(node) || isPt2SymbolicOp(node.target()) || (before && before->target() == node.target());
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
    const auto op = isPt2Operator(node) ? ops::findOperator(node.callable()->qualifiedName) : std::nullopt;
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
        const std::vector<std::string_view> names =
            isPt2Operator(node) ? argumentNames(node) : std::vector<std::string_view>();
        char letter = 'a';
        for (std::size_t i = 0; i < node.args().size(); ++i)
            input(symbolic ? std::string(1, letter++) : std::string(i < names.size() ? names[i] : ""), node.args()[i],
                  1);
        for (const auto& [name, value] : node.kwargs()) input(name, value, 2);
    }
    m_json.endArray();
}

/// The first call in the file that names the most positional arguments of an operator that PyTorch lacks.
std::pair<JsonValue, std::vector<std::string_view>> Pt2GraphWriter::callInFile(const Node& node) const {
    std::pair<JsonValue, std::vector<std::string_view>> best;
    for (const auto& [graph, asRead] : m_allAsRead)
        for (const auto& [id, call] : asRead.nodes) {
            if (call.at("target").asText() != node.target()) continue;
            std::vector<std::string_view> names;
            for (const JsonValue input : call.at("inputs")) {
                const JsonValue kind = input.find("kind");
                if (!kind.exists() || kind.isNull() || kind.asInt() != 1 || input.at("name").asText().empty()) break;
                names.push_back(input.at("name").asText());
            }
            if (!best.first.exists() || names.size() > best.second.size() ||
                (names.size() == best.second.size() && call.index() < best.first.index()))
                best = {call, std::move(names)};
        }
    return best;
}

std::vector<std::string_view> Pt2GraphWriter::argumentNames(const Node& node) const {
    std::vector<std::string_view> names = callInFile(node).second;
    if (node.args().size() > names.size())
        refuse(node, Message("pt2.unnamed_argument", {{"target", node.target()}, {"known", names.size()}}));
    return names;
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
