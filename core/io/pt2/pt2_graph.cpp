// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pt2/pt2_graph.h"

#include "core/base/python_text.h"
#include "core/io/pt2/pt2_callables.h"
#include "core/ops/catalogue.h"

#include <algorithm>
#include <array>

namespace fx {
namespace {

constexpr std::array<std::string_view, 27> kSymbolicOps = {
    "_operator.eq",  "_operator.ne",       "_operator.le",    "_operator.ge",    "_operator.lt",      "_operator.gt",
    "_operator.neg", "_operator.pos",      "math.trunc",      "torch.sym_not",   "_operator.mul",     "_operator.add",
    "_operator.sub", "_operator.floordiv", "_operator.mod",   "_operator.pow",   "torch.sym_int",     "torch.sym_float",
    "torch.sym_ite", "torch.sym_max",      "torch.sym_min",   "torch._sym_sqrt", "_operator.truediv", "_operator.and_",
    "_operator.or_", "_operator.lshift",   "_operator.rshift"};

/// The serialized name in an output or an element of a list of outputs; one that does not exist for None and literals.
JsonValue nameIn(JsonValue output) {
    JsonValue inside = output;
    if (output.isObject() && output.size() == 1 && (*output.begin()).key().starts_with("as_") &&
        (*output.begin()).isObject())
        inside = *output.begin();
    if (!inside.isObject()) return {};
    const JsonValue name = inside.find("name");
    return name.exists() ? name : inside.find("as_name");
}

bool isTrue(JsonValue value) { return value.exists() && !value.isNull() && value.asBool(); }

std::string textOr(JsonValue value, std::string otherwise) {
    return value.exists() && value.isString() && !value.asText().empty() ? std::string(value.asText())
                                                                         : std::move(otherwise);
}
} // namespace

bool isPt2SymbolicOp(std::string_view target) {
    return std::find(kSymbolicOps.begin(), kSymbolicOps.end(), target) != kSymbolicOps.end();
}

void Pt2GraphBuilder::build(JsonValue graph) {
    m_values = Pt2ValueTable(graph);
    if (m_context.asRead) (*m_context.asRead)[&m_module].graph = graph;
    std::size_t place = 0;
    for (const JsonValue argument : graph.at("inputs").needArray()) input(argument, place++);
    for (const JsonValue node : graph.at("nodes").needArray()) {
        m_context.progress.check();
        callNode(node);
    }
    output(graph);
    mergeEqualGetItems();
}

NodeId Pt2GraphBuilder::node(std::string_view name) const {
    const auto found = m_nodes.find(name);
    return found == m_nodes.end() ? kNoNode : found->second;
}

void Pt2GraphBuilder::input(JsonValue argument, std::size_t place) {
    m_meta = {};
    const JsonValue name = nameIn(argument);
    if (name.exists()) {
        const NodeId id = m_graph.placeholder(std::string(name.asText()));
        m_inputs.push_back(id);
        bind(name, id);
        const auto info = m_values.find(name.asText());
        setMeta(id, info ? std::vector{*info} : std::vector<ValueInfo>{});
        return;
    }
    // a literal: PyTorch leaves the name to torch.fx and gives nobody else access to the node
    const bool named = place < m_context.inputNames.size() && !m_context.inputNames[place].empty();
    const NodeId id = m_graph.placeholder(named ? m_context.inputNames[place] : "arg" + std::to_string(place));
    m_inputs.push_back(id);
    m_nodeName = m_graph.node(id).name();
    const std::string_view tag = unionOf(argument).tag;
    static constexpr std::array<std::string_view, 5> kLiterals = {"as_int", "as_float", "as_bool", "as_none",
                                                                  "as_string"};
    if (std::find(kLiterals.begin(), kLiterals.end(), tag) == kLiterals.end())
        warn(Message("pt2.graph_input_kind", {{"kind", tag}}), argument, m_nodeName);
}

CallablePtr Pt2GraphBuilder::callable(std::string_view target) {
    CallablePtr& known = m_context.callables[target];
    if (!known) known = pt2Callable(target);
    return known;
}

void Pt2GraphBuilder::callNode(JsonValue node) {
    const std::string_view target = node.at("target").asText();
    const CallablePtr function = callable(target);
    Form form = Form::Function;
    if (isPt2SymbolicOp(target) || target == "torch.ops.aten.item.default") form = Form::SymbolicOp;
    else if (function->kind == Callable::Kind::HigherOrderOp) form = Form::HigherOrder;
    else if (function->kind == Callable::Kind::OpOverload) form = Form::Overload;

    m_nodeName = textOr(node.find("name"), std::string(target));
    m_graphArguments.clear();
    readMetadata(node.at("metadata"));
    Inputs inputs = inputsOf(node, form, *function);
    for (const NodeId id : m_graphArguments) setMeta(id, {});
    const NodeId id = m_graph.callFunction(function, std::move(inputs.args), std::move(inputs.kwargs),
                                           nameFor(node, form, *function));
    if (m_context.asRead) (*m_context.asRead)[&m_module].nodes.emplace(index(id), node);
    outputsOf(node, id);
    if (function->opaque)
        warn(Message("pt2.unknown_operator", {{"name", target}}), node.at("target"), m_graph.node(id).name());
}

std::string Pt2GraphBuilder::nameFor(JsonValue node, Form form, const Callable& callable) const {
    std::string name = textOr(node.find("name"), "");
    const JsonValue outputs = node.at("outputs").needArray();
    if (!name.empty() || form == Form::Function || outputs.size() == 0) return name;
    // files from before `name` was stored
    const JsonValue only = *outputs.begin();
    if (form == Form::Overload) {
        const auto known = ops::findOperator(callable.qualifiedName);
        if (known && (known->returns().size() != 1 || !known->returns()[0].type().starts_with("Tensor"))) return {};
        if (known && known->returns()[0].type().ends_with("[]")) return {};
    }
    if (form == Form::HigherOrder && !isTrue(node.find("is_hop_single_tensor_return"))) return {};
    if (outputs.size() != 1 || !nameIn(only).exists()) return {};
    return std::string(nameIn(only).asText());
}

Pt2GraphBuilder::Inputs Pt2GraphBuilder::inputsOf(JsonValue node, Form form, const Callable& callable) {
    struct Named {
        std::string_view name;
        Argument value;
        std::int64_t kind;
    };
    std::vector<Named> all;
    for (const JsonValue input : node.at("inputs").needArray()) {
        const JsonValue kind = input.find("kind");
        all.push_back(
            {input.at("name").asText(), argument(input.at("arg")), kind.exists() && !kind.isNull() ? kind.asInt() : 0});
    }
    Inputs inputs;
    const auto positional = [&](const Named& input) { inputs.args.push_back(input.value); };
    const auto keyword = [&](const Named& input) { inputs.kwargs.emplace_back(std::string(input.name), input.value); };
    const auto known = form == Form::Overload ? ops::findOperator(callable.qualifiedName) : std::nullopt;
    if (!known) {
        if (form == Form::Overload &&
            std::any_of(all.begin(), all.end(), [](auto& input) { return input.name.empty(); }))
            warn(Message("pt2.no_argument_name", {{"operator", callable.repr}}), node, m_nodeName);
        for (const Named& input : all)
            input.kind == 1 || input.name.empty() || form == Form::SymbolicOp ? positional(input) : keyword(input);
        return inputs;
    }
    for (const ops::Argument declared : known->arguments()) {
        const auto given =
            std::find_if(all.rbegin(), all.rend(), [&](const Named& input) { return input.name == declared.name(); });
        const bool needed = !declared.hasDefault() && !declared.isKeywordOnly();
        if (given == all.rend()) {
            if (needed)
                warn(Message("pt2.missing_argument", {{"argument", declared.name()}, {"operator", callable.repr}}),
                     node, m_nodeName);
            continue;
        }
        given->kind == 1 || (given->kind != 2 && needed) || isPythonKeyword(declared.name()) ? positional(*given)
                                                                                             : keyword(*given);
    }
    return inputs;
}

void Pt2GraphBuilder::outputsOf(JsonValue node, NodeId id) {
    const JsonValue outputs = node.at("outputs").needArray();
    std::vector<ValueInfo> values;
    if (outputs.size() == 0) return setMeta(id, {});
    const bool higherOrder = node.at("target").asText().find("torch.ops.higher_order") != std::string_view::npos;
    const bool tupleOfOne = higherOrder && !isTrue(node.find("is_hop_single_tensor_return"));
    const JsonValue first = *outputs.begin();
    if (outputs.size() == 1 && unionOf(first).tag == "as_none") {
        m_graph.rename(id, snakeCase(m_graph.node(id).callable()->name) + "_unused");
        return setMeta(id, {});
    }
    if (outputs.size() == 1 && !tupleOfOne && nameIn(first).exists()) {
        bind(nameIn(first), id);
        if (auto info = m_values.find(nameIn(first).asText())) values.push_back(std::move(*info));
        return setMeta(id, std::move(values));
    }
    const bool list = outputs.size() == 1 && unionOf(first).value.isArray();
    getItems(id, list ? unionOf(first).value : outputs, values);
    setMeta(id, std::move(values));
    m_nodes.insert_or_assign(m_ownNames.emplace_back(m_graph.node(id).name()), id);
}

/// One getitem node for each serialized output, also for unused ones; a list among several outputs gets one of its own.
void Pt2GraphBuilder::getItems(NodeId producer, JsonValue outputs, std::vector<ValueInfo>& values) {
    const CallablePtr getitem = callable("_operator.getitem");
    std::int64_t place = -1;
    for (const JsonValue output : outputs) {
        ++place;
        if (nameIn(output).exists()) {
            getItem(producer, place, nameIn(output), values);
            continue;
        }
        const auto [tag, value] = unionOf(output);
        if (value.isArray()) {
            const NodeId list = m_graph.callFunction(getitem, {producer, place});
            std::vector<ValueInfo> inside;
            getItems(list, value, inside);
            setMeta(list, inside);
            std::move(inside.begin(), inside.end(), std::back_inserter(values));
        } else if (tag == "as_none") {
            setMeta(m_graph.callFunction(getitem, {producer, place}, {}, "as_none"), {});
        } else {
            warn(Message("pt2.node_output_kind", {{"kind", tag}}), output, m_nodeName);
        }
    }
}

void Pt2GraphBuilder::getItem(NodeId producer, std::int64_t place, JsonValue name, std::vector<ValueInfo>& values) {
    const NodeId id = m_graph.callFunction(callable("_operator.getitem"), {producer, place}, {}, name.asText());
    bind(name, id);
    auto info = m_values.find(name.asText());
    setMeta(id, info ? std::vector{*info} : std::vector<ValueInfo>{});
    if (info) values.push_back(std::move(*info));
}

void Pt2GraphBuilder::output(JsonValue graph) {
    std::vector<Argument> values;
    m_nodeName = "output";
    static constexpr std::array<std::string_view, 8> kLoadable = {
        "as_tensor", "as_sym_int", "as_sym_bool", "as_sym_float", "as_int", "as_float", "as_bool", "as_none"};
    for (const JsonValue value : graph.at("outputs").needArray()) {
        const std::string tag(unionOf(value).tag);
        values.push_back(argument(value));
        if (std::find(kLoadable.begin(), kLoadable.end(), tag) == kLoadable.end())
            warn(Message("pt2.graph_output_kind", {{"kind", tag}}), value, m_nodeName);
    }
    const bool single = isTrue(graph.find("is_single_tensor_return"));
    if (single && values.size() != 1)
        throw graph.at("outputs").error(Message("pt2.single_output", {{"count", values.size()}}));
    m_graph.output(single ? values[0] : Argument::tuple(std::move(values)));
}

/// What ExportedProgram does when it is made: of several getitems with one producer and index the first stays.
void Pt2GraphBuilder::mergeEqualGetItems() {
    std::unordered_map<std::uint64_t, NodeId> seen;
    for (const NodeId id : m_graph.order()) {
        const Node& item = m_graph.node(id);
        if (!item.callable() || item.callable()->qualifiedName != "_operator.getitem" || item.args().size() != 2)
            continue;
        const auto* place = item.args()[1].as<std::int64_t>();
        if (!item.args()[0].isNode() || !place || *place < 0 || *place > 0xFFFFFFFF) continue;
        const std::uint64_t key =
            std::uint64_t{index(item.args()[0].node())} << 32 | static_cast<std::uint64_t>(*place);
        const auto [first, isNew] = seen.emplace(key, id);
        if (isNew) continue;
        m_graph.replaceAllUses(id, first->second);
        m_graph.erase(id);
        for (auto& [name, bound] : m_nodes)
            if (bound == id) bound = first->second;
    }
}

void Pt2GraphBuilder::bind(JsonValue name, NodeId id) {
    const std::string text(name.asText());
    if (!m_nodes.emplace(name.asText(), id).second) throw name.error(Message("pt2.duplicate_value", {{"name", text}}));
    if (m_graph.node(id).name() != text) m_graph.setNameUnchecked(id, text);
    if (!m_values.contains(text)) warn(Message("pt2.unknown_type", {{"name", text}}), name, text);
}

void Pt2GraphBuilder::warn(const Message& what, JsonValue where, const std::string& node) {
    m_context.warnings.push_back({what, node, {}, where.path()});
}

} // namespace fx
