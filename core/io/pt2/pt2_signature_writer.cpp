// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pt2/pt2_signature_writer.h"

#include "core/base/joined_path.h"

#include <algorithm>

namespace fx {
namespace {

using Kind = LiftedInput::Kind;

bool isUser(Kind kind) { return kind == Kind::UserInput || kind == Kind::ConstantInput; }

/// The tree specification of a plain tuple, as text of JSON inside JSON.
std::string leaves(std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i)
        text += std::string(i ? ", " : "") + R"({"type": null, "context": null, "children_spec": []})";
    return R"({"type": "builtins.tuple", "context": "null", "children_spec": [)" + text + "]}";
}

std::size_t userOutputs(JsonValue specs) {
    std::size_t count = 0;
    for (const JsonValue spec : specs)
        count += unionOf(spec).tag == "user_output" || unionOf(spec).tag == "loss_output";
    return count;
}

} // namespace

std::string pt2SpecName(JsonValue spec) {
    const auto [tag, value] = unionOf(spec);
    if (tag == "constant_input") return std::string(value.at("name").asText());
    JsonValue argument = value.at("arg");
    if (!argument.find("name").exists()) argument = unionOf(argument).value;
    if (!argument.isObject()) return {};
    const JsonValue name = argument.find("name").exists() ? argument.find("name") : argument.find("as_name");
    return name.exists() ? std::string(name.asText()) : std::string();
}

Pt2SignatureWriter::Pt2SignatureWriter(JsonWriter& json, Pt2GraphWriter& graph, const GraphModule& model,
                                       const GraphModule& before, JsonValue asRead, Warnings& warnings)
    : m_json(json), m_graph(graph), m_model(model), m_before(before), m_asRead(asRead), m_warnings(warnings) {
    findChanges();
}

void Pt2SignatureWriter::findChanges() {
    std::vector<NodeId> now, was;
    for (const LiftedInput& input : m_model.lifted) {
        if (!isUser(input.kind)) continue;
        m_userInputs.push_back(m_model.graph.node(input.node).name());
        now.push_back(m_graph.link().before(input.node));
    }
    NodeId place = m_before.graph.first();
    for (const JsonValue spec : m_asRead.at("signature").at("input_specs")) {
        const auto tag = unionOf(spec).tag;
        if (tag == "user_input" || tag == "constant_input") was.push_back(place);
        place = m_before.graph.next(place);
    }
    m_inputsChanged = now != was;
    const JsonValue specs = m_asRead.at("signature").at("output_specs");
    const std::size_t before = userOutputs(specs), others = specs.size() - before, results = m_graph.results().size();
    if (results < others) throw Error(ErrorKind::Refused, Message("pt2.fewer_results")).onNode("output");
    m_userOutputs = results - others;
    m_outputsChanged = m_userOutputs != before;
    if (m_inputsChanged) m_warnings.push_back({Message("pt2.inputs_changed"), {}, {}, {}});
    if (m_outputsChanged) m_warnings.push_back({Message("pt2.results_changed"), {}, {}, {}});
}

void Pt2SignatureWriter::inputSpec(const LiftedInput& input, const std::unordered_map<std::uint32_t, JsonValue>& old) {
    const Node& node = m_model.graph.node(input.node);
    if (const auto found = old.find(index(m_graph.link().before(input.node))); found != old.end()) {
        const Pt2Renames& renames = m_graph.link().renames();
        return copyJson(m_json, found->second, &renames);
    }
    static constexpr const char* kTags[] = {"parameter", "buffer", "tensor_constant"};
    static constexpr const char* kPaths[] = {"parameter_name", "buffer_name", "tensor_constant_name"};
    m_json.beginObject();
    if (input.kind == Kind::UserInput) {
        m_json.key("user_input")
            .beginObject()
            .key("arg")
            .beginObject()
            .key("as_tensor")
            .beginObject()
            .key("name")
            .string(node.name())
            .endObject()
            .endObject();
    } else {
        const auto kind = static_cast<std::size_t>(input.kind);
        if (kind > 2) throw Error(ErrorKind::Refused, Message("pt2.new_input")).onNode(node.name());
        m_json.key(kTags[kind]).beginObject().key("arg").beginObject().key("name").string(node.name()).endObject();
        m_json.key(kPaths[kind]).string(input.path);
        if (input.kind == Kind::Buffer) {
            const PathTarget target = resolvePath(*m_model.root, input.path);
            const Module::Slot* slot = target.holder ? target.holder->buffer(lastAtom(input.path)) : nullptr;
            m_json.key("persistent").boolean(!slot || slot->persistent);
        }
    }
    m_json.endObject().endObject();
}

std::string_view Pt2SignatureWriter::renamed(std::string_view name) const {
    const auto found = m_graph.link().renames().find(std::string(name));
    return found == m_graph.link().renames().end() ? name : found->second;
}

/// What an output updates must be an input of the graph still.
void Pt2SignatureWriter::needInput(std::string_view name, std::string_view kind) const {
    const NodeId now = m_model.graph.find(renamed(name));
    if (now == kNoNode || m_graph.link().before(now) != m_before.graph.find(name))
        throw Error(ErrorKind::Refused, Message("pt2.updated_input_gone", {{"name", name}, {"kind", kind}}))
            .onNode("output");
}

void Pt2SignatureWriter::outputSpecs(JsonValue old) {
    const std::vector<Argument> results = m_graph.results();
    const auto name = [&](const Argument& value, const JsonValue spec) -> const std::string& {
        if (!value.isNode())
            throw Error(ErrorKind::Refused, Message("pt2.update_not_a_node")).onNode("output").at(spec.path());
        return m_model.graph.node(value.node()).name();
    };
    const bool same = m_before.graph.outputNode() != kNoNode && m_model.graph.outputNode() != kNoNode &&
                      m_graph.link().same(m_before.graph.node(m_before.graph.outputNode()),
                                          m_model.graph.node(m_model.graph.outputNode()));
    m_json.beginArray();
    std::size_t place = 0;
    for (const JsonValue spec : old) {
        const auto [tag, value] = unionOf(spec);
        const bool user = tag == "user_output" || tag == "loss_output";
        if (user && m_outputsChanged) continue;
        if (const JsonValue input = value.find("user_input_name"); input.exists()) needInput(input.asText(), tag);
        if (same) {
            copyJson(m_json, spec, &m_graph.link().renames());
            ++place;
            continue;
        }
        m_json.beginObject().key(tag).beginObject();
        for (const JsonValue member : value) {
            m_json.key(member.key());
            if (member.key() == "user_input_name") m_json.string(renamed(member.asText()));
            else if (member.key() != "arg") copyJson(m_json, member);
            else if (user) m_graph.argument(results[place]);
            else m_json.beginObject().key("name").string(name(results[place], spec)).endObject();
        }
        m_json.endObject().endObject();
        ++place;
    }
    for (; place < results.size(); ++place) {
        m_json.beginObject().key("user_output").beginObject().key("arg");
        m_graph.argument(results[place]);
        m_json.endObject().endObject();
    }
    m_json.endArray();
}

void Pt2SignatureWriter::write(JsonValue signature) {
    std::unordered_map<std::uint32_t, JsonValue> old;
    NodeId place = m_before.graph.first();
    for (const JsonValue spec : signature.at("input_specs")) {
        old.emplace(index(place), spec);
        place = m_before.graph.next(place);
    }
    m_json.beginObject();
    for (const JsonValue member : signature) {
        m_json.key(member.key());
        if (member.key() == "input_specs") {
            m_json.beginArray();
            for (const LiftedInput& input : m_model.lifted) inputSpec(input, old);
            m_json.endArray();
        } else if (member.key() == "output_specs") {
            outputSpecs(member);
        } else {
            copyJson(m_json, member);
        }
    }
    m_json.endObject();
}

void Pt2SignatureWriter::moduleSignature(JsonValue old) {
    m_json.beginObject();
    for (const JsonValue member : old) {
        m_json.key(member.key());
        if (m_inputsChanged && member.key() == "in_spec") {
            m_json.string(R"([1, {"type": "builtins.tuple", "context": "null", "children_spec": [)" +
                          leaves(m_userInputs.size()) +
                          R"(, {"type": "builtins.dict", "context": "[]", "children_spec": []}]}])");
        } else if (m_inputsChanged && member.key() == "forward_arg_names") {
            m_json.strings(m_userInputs);
        } else if (m_outputsChanged && member.key() == "out_spec") {
            m_json.string("[1, " + leaves(m_userOutputs) + "]");
        } else {
            copyJson(m_json, member, &m_graph.link().renames());
        }
    }
    m_json.endObject();
}

/// The modules that the model still has; the first entry tells how inputs and outputs nest.
void Pt2SignatureWriter::writeCallGraph(JsonValue entries) {
    PathResolver paths(*m_model.root);
    m_json.beginArray();
    for (const JsonValue entry : entries) {
        const std::string_view path = entry.at("fqn").asText();
        if (!path.empty() && paths.resolve(path.substr(0, path.find('@'))).kind != PathTarget::Kind::Module) continue;
        m_json.beginObject();
        for (const JsonValue member : entry) {
            m_json.key(member.key());
            if (member.key() == "signature" && member.isObject() && path.empty()) moduleSignature(member);
            else copyJson(m_json, member, member.key() == "signature" ? &m_graph.link().renames() : nullptr);
        }
        m_json.endObject();
    }
    m_json.endArray();
}

} // namespace fx
