// SPDX-License-Identifier: GPL-3.0-or-later
// The part of Pt2GraphWriter that writes the results of nodes, and what the file says of each value.
#include "core/io/pt2/pt2_graph_writer.h"

#include <algorithm>

namespace fx {

void Pt2GraphWriter::nodeOutputs(const Node& node, const Node* before, JsonValue asRead) {
    m_json.key("outputs");
    const auto op = isPt2Operator(node) ? ops::findOperator(node.callable()->qualifiedName) : std::nullopt;
    const auto opBefore =
        before && isPt2Operator(*before) ? ops::findOperator(before->callable()->qualifiedName) : std::nullopt;
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
    if (isPt2Operator(node)) return newOutputs(node, resultsInFile(node));
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

/// The number of tensors that an operator returns, from its calls in the file: PyTorch lacks the operator.
std::size_t Pt2GraphWriter::resultsInFile(const Node& node) const {
    const JsonValue call = callInFile(node).first;
    if (!call.exists()) refuse(node, Message("pt2.cannot_call", {{"target", node.target()}}));
    for (const JsonValue output : call.at("outputs"))
        if (unionOf(output).tag != "as_tensor") refuse(node, Message("pt2.mixed_results"));
    return call.at("outputs").size();
}

/// The getitem nodes of a node, by index; kNoNode for an unused result.
std::vector<NodeId> Pt2GraphWriter::itemsOf(const Node& node) const {
    std::vector<NodeId> items;
    for (const NodeId user : node.users()) {
        const std::int64_t place = getItemPlace(m_graph.node(user));
        if (place < 0) continue;
        if (static_cast<std::size_t>(place) >= items.size())
            items.resize(std::min<std::size_t>(static_cast<std::size_t>(place) + 1, 65536), kNoNode);
        if (static_cast<std::size_t>(place) < items.size()) items[static_cast<std::size_t>(place)] = user;
    }
    return items;
}

/// One of several results. `areFlat`: the values of the node are those of its results.
void Pt2GraphWriter::newTensor(const Node& node, const std::vector<NodeId>& items, std::size_t place, bool areFlat) {
    const NodeId item = place < items.size() ? items[place] : kNoNode;
    std::string name = item == kNoNode ? node.name() + "_unused_" + std::to_string(place) : m_graph.node(item).name();
    while (item == kNoNode && m_graph.find(name) != kNoNode) name += "_";
    m_json.beginObject().key("name").string(name).endObject();
    const auto& values = node.meta().values;
    if (item == kNoNode && areFlat && place < values.size() && m_tables.add(name, values[place])) return;
    define(name, item, {}, node);
}

void Pt2GraphWriter::newOutputs(const Node& node, std::size_t count) {
    const std::vector<NodeId> items = count == 1 ? std::vector{node.id()} : itemsOf(node);
    m_json.beginArray();
    for (std::size_t i = 0; i < count; ++i) {
        m_json.beginObject().key("as_tensor");
        newTensor(node, items, i, node.meta().values.size() == count);
        m_json.endObject();
    }
    m_json.endArray();
}

void Pt2GraphWriter::newOutputs(const Node& node, const ops::Operator& op) {
    const auto returns = op.returns();
    if (!returnsTensorList(op) && returns.size() != 1) {
        for (const ops::Argument result : returns)
            if (!result.type().starts_with("Tensor") || result.type().ends_with("]"))
                refuse(node, Message("pt2.mixed_results"));
        return newOutputs(node, returns.size());
    }
    m_json.beginArray().beginObject();
    if (returnsTensorList(op)) {
        const std::vector<NodeId> items = itemsOf(node);
        m_json.key("as_tensors").beginArray();
        for (std::size_t i = 0; i < std::max(items.size(), node.meta().values.size()); ++i)
            newTensor(node, items, i, true);
        m_json.endArray();
    } else {
        define(node.name(), node.id(), {}, node);
        const std::string_view type = returns[0].type();
        const char* tag = type.starts_with("Tensor")                            ? nullptr
                          : type.find("bool") != type.npos || type == "SymBool" ? "as_sym_bool"
                          : type == "float"                                     ? "as_sym_float"
                                                                                : "as_sym_int";
        m_json.key(tag ? tag : "as_tensor").beginObject().key(tag ? "as_name" : "name").string(node.name()).endObject();
    }
    m_json.endObject().endArray();
}

void Pt2GraphWriter::define(const std::string& name, NodeId id, const std::string& oldName, const Node& madeBy) {
    if (m_tables.knows(name)) return;
    static const std::vector<ValueInfo> kNone;
    const auto& values = id == kNoNode ? kNone : m_graph.node(id).meta().values;
    const NodeId was = id == kNoNode ? kNoNode : m_link.before(id);
    const bool unchanged = id == kNoNode || (was != kNoNode && m_before.graph.node(was).meta().values == values);
    if (!oldName.empty() && unchanged && m_tables.keep(name, oldName)) return;
    if (values.size() == 1 && m_tables.add(name, values[0])) return;
    const ValueInfo unknown = guess(madeBy, name);
    if (!oldName.empty() && m_tables.keep(name, oldName)) return;
    if (!m_tables.add(name, unknown)) m_tables.add(name, ValueInfo{"torch.float32", {}, {}, "cpu"});
}

/// The type that the file gives to an unknown value, with a warning: that of the input with the most dimensions.
ValueInfo Pt2GraphWriter::guess(const Node& node, const std::string& name) {
    if (node.op() == Op::Placeholder) m_warnings.push_back({Message("pt2.unknown_input_shape"), name, {}, {}});
    else m_warnings.push_back({Message("pt2.unknown_value_shape"), name, {}, {}});
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

} // namespace fx
