// SPDX-License-Identifier: GPL-3.0-or-later
// The part of Pt2GraphWriter that writes values as Arguments of the schema.
#include "core/io/pt2/pt2_graph_writer.h"

#include "core/ir/print.h"

#include <algorithm>

namespace fx {

bool Pt2GraphWriter::isNodeOf(const Argument& value, Pt2Kind kind) const {
    return value.isNode() && m_tables.kind(m_graph.node(value.node()).name()) == kind;
}

void Pt2GraphWriter::argument(const Argument& value, std::string_view type) {
    if (value.isNode()) {
        const Node& node = m_graph.node(value.node());
        if (node.op() == Op::GetAttr) return subgraph(node.target());
        static constexpr const char* kTags[] = {"as_tensor", "as_sym_int", "as_sym_float", "as_sym_bool",
                                                "as_custom_obj"};
        const Pt2Kind kind = m_tables.kind(node.name());
        m_json.beginObject().key(kTags[static_cast<std::size_t>(kind)]).beginObject();
        m_json.key(kind == Pt2Kind::Tensor || kind == Pt2Kind::Object ? "name" : "as_name").string(node.name());
        if (kind == Pt2Kind::Object) m_json.key("class_fqn").string(m_tables.objectClass(node.name()));
        m_json.endObject().endObject();
        return;
    }
    m_json.beginObject();
    if (const auto* sequence = value.as<Sequence>()) {
        this->sequence(sequence->items, type);
    } else if (const auto* dict = value.as<Dict>()) {
        m_json.key("as_string_to_argument").beginObject();
        for (const auto& [key, item] : dict->items) {
            const auto* name = key.as<std::string>();
            if (!name) refuse(*m_writing, Message("pt2.dict_keys"));
            m_json.key(*name);
            argument(item);
        }
        m_json.endObject();
    } else if (!literal(value) && !torchConstant(value)) {
        refuse(*m_writing, Message("pt2.argument", {{"value", reprOf(m_graph, value)}}));
    }
    m_json.endObject();
}

bool Pt2GraphWriter::literal(const Argument& value) {
    if (value.isNone()) m_json.key("as_none").boolean(true);
    else if (const auto* flag = value.as<bool>()) m_json.key("as_bool").boolean(*flag);
    else if (const auto* number = value.as<std::int64_t>()) m_json.key("as_int").integer(*number);
    else if (const auto* big = value.as<BigInt>()) m_json.key("as_int").raw(big->digits);
    else if (const auto* real = value.as<double>()) writePt2Float(m_json.key("as_float"), *real);
    else if (const auto* text = value.as<std::string>()) m_json.key("as_string").string(*text);
    else if (const auto* complex = value.as<Complex>()) {
        writePt2Float(m_json.key("as_complex").beginObject().key("real"), complex->re);
        writePt2Float(m_json.key("imag"), complex->im);
        m_json.endObject();
    } else return false;
    return true;
}

bool Pt2GraphWriter::torchConstant(const Argument& value) {
    if (const auto* device = value.as<Device>()) {
        m_json.key("as_device").beginObject().key("type").string(device->type).key("index");
        device->index < 0 ? m_json.null() : m_json.integer(device->index);
        m_json.endObject();
        return true;
    }
    if (const auto* callable = value.as<CallableValue>()) {
        m_json.key("as_operator").string(callable->callable->qualifiedName);
        return true;
    }
    const auto* constant = value.as<TorchConstant>();
    if (!constant) return false;
    using Kind = TorchConstant::Kind;
    const std::int64_t number = constant->kind == Kind::Dtype          ? pt2DtypeNumber(constant->name)
                                : constant->kind == Kind::Layout       ? pt2LayoutNumber(constant->name)
                                : constant->kind == Kind::MemoryFormat ? pt2MemoryFormatNumber(constant->name)
                                                                       : 0;
    if (number == 0) return false;
    m_json
        .key(constant->kind == Kind::Dtype    ? "as_scalar_type"
             : constant->kind == Kind::Layout ? "as_layout"
                                              : "as_memory_format")
        .integer(number);
    return true;
}

void Pt2GraphWriter::symbols(const char* tag, const std::vector<Argument>& items) {
    m_json.key(tag).beginArray();
    for (const Argument& item : items) {
        m_json.beginObject();
        if (item.isNode()) m_json.key("as_name").string(m_graph.node(item.node()).name());
        else literal(item);
        m_json.endObject();
    }
    m_json.endArray();
}

void Pt2GraphWriter::optionalTensor(const Argument& value) {
    m_json.beginObject();
    if (value.isNone()) m_json.key("as_none").boolean(true);
    else m_json.key("as_tensor").beginObject().key("name").string(m_graph.node(value.node()).name()).endObject();
    m_json.endObject();
}

void Pt2GraphWriter::sequence(const std::vector<Argument>& items, std::string_view type) {
    const auto all = [&](auto holds) { return std::all_of(items.begin(), items.end(), holds); };
    const auto list = [&](const char* tag, auto write) {
        m_json.key(tag).beginArray();
        for (const Argument& item : items) write(item);
        m_json.endArray();
    };
    const auto tensors = [this](const std::vector<Argument>& nodes) {
        m_json.beginArray();
        for (const Argument& node : nodes)
            m_json.beginObject().key("name").string(m_graph.node(node.node()).name()).endObject();
        m_json.endArray();
    };
    const auto isTensor = [this](const Argument& item) { return isNodeOf(item, Pt2Kind::Tensor); };
    const auto holds = [](auto one) {
        return [one](const Argument& item) {
            const auto* inner = item.as<Sequence>();
            return inner && std::all_of(inner->items.begin(), inner->items.end(), one);
        };
    };
    const auto isInt = [](const Argument& item) { return item.as<std::int64_t>() != nullptr; };
    const auto isFloat = [](const Argument& item) { return item.as<double>() != nullptr; };
    if (items.empty()) {
        const char* tag = type.starts_with("bool")                                ? "as_bools"
                          : type.starts_with("int") || type.starts_with("SymInt") ? "as_ints"
                          : type.starts_with("float")                             ? "as_floats"
                          : type.starts_with("str")                               ? "as_strings"
                                                                                  : "as_tensors";
        m_json.key(tag).beginArray().endArray();
    } else if (all([](const Argument& item) { return item.as<bool>() != nullptr; })) {
        list("as_bools", [this](const Argument& item) { m_json.boolean(*item.as<bool>()); });
    } else if (all(isInt)) {
        list("as_ints", [this](const Argument& item) { m_json.integer(*item.as<std::int64_t>()); });
    } else if (all(isFloat)) {
        list("as_floats", [this](const Argument& item) { writePt2Float(m_json, *item.as<double>()); });
    } else if (all([](const Argument& item) { return item.as<std::string>() != nullptr; })) {
        list("as_strings", [this](const Argument& item) { m_json.string(*item.as<std::string>()); });
    } else if (all([&](const Argument& item) { return isInt(item) || isNodeOf(item, Pt2Kind::Int); })) {
        symbols("as_sym_ints", items);
    } else if (all([&](const Argument& item) { return isFloat(item) || isNodeOf(item, Pt2Kind::Float); })) {
        symbols("as_sym_floats", items);
    } else if (all([this](const Argument& item) { return item.as<bool>() || isNodeOf(item, Pt2Kind::Bool); })) {
        symbols("as_sym_bools", items);
    } else if (all(isTensor)) {
        m_json.key("as_tensors");
        tensors(items);
    } else if (all([&](const Argument& item) { return item.isNone() || isTensor(item); })) {
        list("as_optional_tensors", [this](const Argument& item) { optionalTensor(item); });
    } else if (all(holds(isTensor))) {
        list("as_nested_tensors", [&](const Argument& item) { tensors(item.as<Sequence>()->items); });
    } else if (all(holds(isInt)) || all(holds(isFloat))) {
        list(all(holds(isInt)) ? "as_int_lists" : "as_float_lists", [this](const Argument& item) {
            m_json.beginArray();
            for (const Argument& number : item.as<Sequence>()->items)
                if (const auto* whole = number.as<std::int64_t>()) m_json.integer(*whole);
                else writePt2Float(m_json, *number.as<double>());
            m_json.endArray();
        });
    } else {
        refuse(*m_writing, Message("pt2.list_items"));
    }
}

} // namespace fx
