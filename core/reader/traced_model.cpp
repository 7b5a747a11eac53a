// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/reader/traced_model.h"

#include "core/io/ir_json/ir_values.h"
#include "core/python/tracing/source_scopes.h"
#include "core/reader/source_request.h"
#include "core/remote/json_fields.h"
#include "core/remote/run_message.h"

#include <algorithm>

namespace fx::reader {
namespace {

using remote::Frame;
using remote::readText;

const Graph kNothing;

void writeForm(JsonWriter& json, const PytreeForm& form) {
    json.key("nested").boolean(form.isNested).key("binds_self").boolean(form.bindsSelf);
    json.key("unflattens").boolean(form.unflattens).key("binding").string(form.binding);
    json.key("parameters").strings(form.parameters), json.key("inputs").strings(form.inputs);
    IrValueWriter values(json, kNothing);
    json.key("in_spec"), values.write(form.inSpec);
    json.key("out_spec"), values.write(form.outSpec);
}

void readForm(JsonValue root, PytreeForm& form) {
    form.isNested = root.at("nested").asBool(), form.bindsSelf = root.at("binds_self").asBool();
    form.unflattens = root.at("unflattens").asBool(), form.binding = readText(root, "binding");
    form.parameters = root.at("parameters").texts(), form.inputs = root.at("inputs").texts();
    Warnings ignored;
    IrValueReader values(kNothing, ignored);
    form.inSpec = values.read(root.at("in_spec")), form.outSpec = values.read(root.at("out_spec"));
}

/// The calls of modules in which nodes were made: a table, and for each node in the order of the graph its index, -1
/// for the root, -2 if nothing is known of it.
void writeScopes(JsonWriter& json, const SourceScopes& scopes, const Graph& graph) {
    json.key("scopes").beginArray();
    for (const SourceScopes::Scope& scope : scopes.all()) json.string(scope.path).string(scope.type);
    json.endArray().key("nodes").beginArray();
    for (const Node& node : graph.nodes()) json.integer(scopes.indexOf(index(node.id())));
    json.endArray();
}

void readScopes(JsonValue root, SourceScopes& scopes, const Graph& graph) {
    std::vector<SourceScopes::Scope> all;
    const std::vector<std::string> texts = root.at("scopes").texts();
    for (std::size_t i = 0; i + 1 < texts.size(); i += 2) all.push_back({texts[i], texts[i + 1]});
    std::vector<std::int64_t> indices = root.at("nodes").integers();
    indices.resize(graph.size(), SourceScopes::kUnknown);
    std::vector<std::int64_t> byNode(graph.idLimit(), SourceScopes::kUnknown);
    std::size_t place = 0;
    for (const Node& node : graph.nodes()) byNode[index(node.id())] = indices[place++];
    if (!scopes.set(std::move(all), byNode)) throw root.error(Message("reader.bad_message"));
}

void writeOrigin(JsonWriter& json, const std::string& path, const GraphModule& model, Frame& frame) {
    const auto* scopes = dynamic_cast<const SourceScopes*>(model.origin.get());
    const auto* form = dynamic_cast<const PytreeForm*>(model.origin.get());
    if (!form) return;
    json.beginObject().key("path").string(path);
    writeForm(json, *form);
    if (scopes) {
        writeScopes(json, *scopes, model.graph);
        json.key("has_swapped").boolean(scopes->hasSwapped);
        json.key("float_functionals").strings(scopes->floatFunctionals);
        if (scopes->ownMember)
            json.key("own_member").strings(std::vector{scopes->ownMember->type, scopes->ownMember->name});
        if (scopes->swapped) {
            json.key("replaces").string(scopes->swapped->replaces);
            writeTraced(json.key("evaluating"), scopes->swapped->evaluating, frame);
            writeTraced(json.key("training"), scopes->swapped->training, frame);
        }
    }
    json.endObject();
}

std::shared_ptr<const Origin> readOrigin(JsonValue root, const Graph& graph, remote::ModelStore& models) {
    if (!root.find("nodes").exists()) {
        auto form = std::make_shared<PytreeForm>();
        readForm(root, *form);
        return form;
    }
    auto scopes = std::make_shared<SourceScopes>();
    readForm(root, *scopes);
    readScopes(root, *scopes, graph);
    scopes->hasSwapped = root.at("has_swapped").asBool();
    scopes->floatFunctionals = root.at("float_functionals").texts();
    if (root.find("own_member").exists()) {
        std::vector<std::string> member = root.at("own_member").texts();
        member.resize(2);
        scopes->ownMember = SourceScopes::OwnMember{member[0], member[1]};
    }
    if (root.find("replaces").exists())
        scopes->swapped = std::make_shared<const SourceScopes::Swapped>(
            SourceScopes::Swapped{readTraced(root.at("evaluating"), models), readTraced(root.at("training"), models),
                                  readText(root, "replaces")});
    return scopes;
}

bool isSame(const NodeMeta& a, const NodeMeta& b) {
    return a.stackTrace == b.stackTrace && a.moduleStack == b.moduleStack && a.values == b.values &&
           a.wrapped == b.wrapped && a.other == b.other;
}

/// Nodes of the same lines and modules share their notes again, so that a long loop costs as much as its body.
void shareNotes(Graph& graph) {
    std::unordered_map<std::string, MetaPtr> known; // by the lines
    std::vector<std::pair<NodeId, MetaPtr>> shared;
    for (const Node& node : graph.nodes()) {
        const MetaPtr& notes = node.sharedMeta();
        if (!notes) continue;
        const MetaPtr& first = known.try_emplace(notes->stackTrace, notes).first->second;
        if (first != notes && isSame(*first, *notes)) shared.emplace_back(node.id(), first);
    }
    for (auto& [node, notes] : shared) graph.setMeta(node, std::move(notes));
}

/// The modules with graphs of their own, by path; the root's is the model's itself, under the empty path.
template<class Visit> void forEachGraphModule(const GraphModule& model, const Visit& visit) {
    forEachModule(*model.root, [&](const std::string& path, const Module& module) {
        if (!path.empty() && module.graphModule) visit(path, *module.graphModule);
    });
}

void writeFault(JsonWriter& json, const SourceFault& fault) {
    json.beginObject().key("error").string(remote::toFrame(fault.error, 0).json).key("file").string(fault.file);
    json.key("offset").integer(static_cast<std::int64_t>(fault.offset));
    json.key("end").integer(static_cast<std::int64_t>(fault.end)).endObject();
}

std::size_t countAt(JsonValue object, const char* key) {
    return static_cast<std::size_t>(std::max<std::int64_t>(object.at(key).asInt(), 0));
}

SourceFault readFault(JsonValue value) {
    Frame error;
    error.json = readText(value, "error");
    return {remote::errorOf(error), readText(value, "file"), countAt(value, "offset"), countAt(value, "end")};
}

void writeTypes(JsonWriter& json, const std::vector<SourceType>& types) {
    json.key("types").beginArray();
    for (const SourceType& type : types)
        json.beginObject()
            .key("name")
            .string(type.name)
            .key("path")
            .string(type.path)
            .key("count")
            .integer(static_cast<std::int64_t>(type.count))
            .key("leaf")
            .boolean(type.isLeaf)
            .key("usual")
            .boolean(type.isUsual)
            .key("changes")
            .boolean(type.canChange)
            .endObject();
    json.endArray();
}

/// As deep as its expression nests, which the parser bounds; a message as deep as JSON may be.
void writeNewModule(JsonWriter& json, const NewModule& module) {
    json.beginObject().key("type").string(module.type);
    writeKwargs(json, "values", module.values);
    json.key("modules").beginArray();
    for (const auto& [name, part] : module.modules) {
        json.string(name);
        writeNewModule(json, part);
    }
    json.endArray().endObject();
}

NewModule readNewModule(JsonValue value) {
    NewModule out{readText(value, "type"), readKwargs(value, "values"), {}};
    std::string name;
    for (const JsonValue each : value.at("modules").needArray())
        if (each.isString()) name = each.asText();
        else out.modules.push_back({std::exchange(name, {}), readNewModule(each)});
    return out;
}

} // namespace

void writeTraced(JsonWriter& json, const std::shared_ptr<const GraphModule>& model, Frame& frame) {
    remote::writeModel(json.beginObject().key("model"), model, frame);
    json.key("origins").beginArray();
    writeOrigin(json, {}, *model, frame);
    forEachGraphModule(
        *model, [&](const std::string& path, const GraphModule& inner) { writeOrigin(json, path, inner, frame); });
    json.endArray().endObject();
}

std::shared_ptr<GraphModule> readTraced(JsonValue value, remote::ModelStore& models) {
    auto out = std::make_shared<GraphModule>(*models.get(remote::readModel(value.at("model"))));
    shareNotes(out->graph);
    std::unordered_map<std::string, JsonValue> origins;
    for (const JsonValue origin : value.at("origins").needArray()) origins.emplace(readText(origin, "path"), origin);
    const auto give = [&](const std::string& path, GraphModule& model) {
        if (const auto origin = origins.find(path); origin != origins.end())
            model.origin = readOrigin(origin->second, model.graph, models);
    };
    give({}, *out);
    forEachGraphModule(*out, give);
    return out;
}

Frame toFrame(const std::shared_ptr<const GraphModule>& model, std::uint32_t number) {
    Frame frame{remote::FrameKind::Result, number, {}, {}, {}};
    JsonWriter json;
    writeTraced(json.beginObject().key("traced"), model, frame);
    frame.json = json.endObject().text();
    return frame;
}

std::shared_ptr<GraphModule> tracedModel(const Frame& frame, remote::ModelStore& models) {
    const auto document = JsonDocument::parse(frame.json);
    return readTraced(document->root().at("traced"), models);
}

Frame toFrame(const std::vector<TracedCall>& calls, std::uint32_t number) {
    Frame frame{remote::FrameKind::Result, number, {}, {}, {}};
    JsonWriter json;
    json.beginObject().key("calls").beginArray();
    for (const TracedCall& call : calls) {
        json.beginObject().key("node").string(call.node);
        if (call.graph) writeTraced(json.key("traced"), call.graph, frame);
        else json.key("refusal").string(remote::toFrame(*call.refusal, 0).json);
        json.endObject();
    }
    frame.json = json.endArray().endObject().text();
    return frame;
}

std::vector<TracedCall> tracedCalls(const Frame& frame, remote::ModelStore& models) {
    const auto document = JsonDocument::parse(frame.json);
    std::vector<TracedCall> out;
    for (const JsonValue each : document->root().at("calls").needArray()) {
        TracedCall& call = out.emplace_back(TracedCall{readText(each, "node"), nullptr, std::nullopt});
        if (const JsonValue traced = each.find("traced"); traced.exists()) {
            call.graph = readTraced(traced, models);
            continue;
        }
        Frame refusal;
        refusal.json = readText(each, "refusal");
        call.refusal = remote::errorOf(refusal);
    }
    return out;
}

Frame toFrame(const Error& error, std::uint32_t number) {
    Frame frame = remote::toFrame(error, number);
    const auto* bytes = reinterpret_cast<const std::byte*>(error.source.data());
    frame.blob = std::make_shared<const std::vector<std::byte>>(bytes, bytes + error.source.size());
    return frame;
}

Error sentError(const Frame& frame) {
    Error error = remote::errorOf(frame);
    if (frame.blob) error.source.assign(reinterpret_cast<const char*>(frame.blob->data()), frame.blob->size());
    return error;
}

Frame toFrame(const SourceTrace& trace, std::uint32_t number) {
    Frame frame{remote::FrameKind::Result, number, {}, {}, {}};
    JsonWriter json;
    json.beginObject().key("complete").boolean(trace.isComplete).key("name").string(trace.name);
    json.key("candidates").strings(trace.candidates), json.key("settings").strings(trace.settings);
    json.key("inputs").strings(trace.inputs);
    writeTypes(json, trace.types);
    json.key("faults").beginArray();
    for (const SourceFault& fault : trace.faults) writeFault(json, fault);
    json.endArray();
    if (trace.module) writeTraced(json.key("traced"), trace.module, frame);
    frame.json = json.endObject().text();
    return frame;
}

Frame toFrame(const TracedDefinition& definition, std::uint32_t number) {
    Frame frame{remote::FrameKind::Result, number, {}, {}, {}};
    JsonWriter json;
    writeTraced(json.beginObject().key("traced"), definition.module, frame);
    json.key("creates").beginArray();
    for (const auto& [name, module] : definition.newModules) {
        json.string(name);
        writeNewModule(json, module);
    }
    frame.json = json.endArray().endObject().text();
    return frame;
}

TracedDefinition tracedDefinition(const Frame& frame, remote::ModelStore& models) {
    const auto document = JsonDocument::parse(frame.json);
    TracedDefinition out{readTraced(document->root().at("traced"), models), {}};
    std::string name;
    for (const JsonValue each : document->root().at("creates").needArray())
        if (each.isString()) name = each.asText();
        else out.newModules.emplace_back(std::exchange(name, {}), readNewModule(each));
    return out;
}

SourceTrace sourceTrace(const Frame& frame, remote::ModelStore& models) {
    const auto document = JsonDocument::parse(frame.json);
    const JsonValue root = document->root();
    SourceTrace out;
    out.isComplete = root.at("complete").asBool(), out.name = readText(root, "name");
    out.candidates = root.at("candidates").texts(), out.settings = root.at("settings").texts();
    out.inputs = root.at("inputs").texts();
    for (const JsonValue type : root.at("types").needArray())
        out.types.push_back({readText(type, "name"), readText(type, "path"), countAt(type, "count"),
                             type.at("leaf").asBool(), type.at("usual").asBool(), type.at("changes").asBool()});
    for (const JsonValue fault : root.at("faults").needArray()) out.faults.push_back(readFault(fault));
    if (const JsonValue traced = root.find("traced"); traced.exists()) out.module = readTraced(traced, models);
    return out;
}

} // namespace fx::reader
