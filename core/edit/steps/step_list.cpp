// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/steps/step_list.h"

#include "core/codegen/graph_json.h"
#include "core/io/pt2/pt2_json.h"

#include <algorithm>

namespace fx {
namespace {

JsonWriter begun(std::string_view step,
                 std::initializer_list<std::pair<std::string_view, std::string_view>> texts = {}) {
    JsonWriter json;
    json.beginObject().key("step").string(step);
    for (const auto& [key, text] : texts) json.key(key).string(text);
    return json;
}

void write(JsonWriter& json, const StepCall& call) {
    json.key("args").beginArray();
    for (const Argument& argument : call.args) writeArgument(json, call.graph, argument);
    json.endArray().key("kwargs").beginObject();
    for (const auto& [name, argument] : call.kwargs) writeArgument(json.key(name), call.graph, argument);
    json.endObject();
}

void write(JsonWriter& json, const char* key, const StepModule& module) {
    json.key(key).beginObject().key("type").string(module.type);
    if (!module.settings.empty()) {
        json.key("settings").beginObject();
        for (const auto& [name, value] : module.settings) writeArgument(json.key(name), Graph(), value);
        json.endObject();
    }
    json.endObject();
}

} // namespace

StepList::StepList(const std::shared_ptr<const JsonDocument>& document, JsonValue array) {
    for (const JsonValue step : array.needArray()) m_steps.push_back(step);
    m_documents.assign(m_steps.size(), document);
}

StepList StepList::parse(std::string json) {
    const auto document = JsonDocument::parse(std::move(json));
    return {document, document->root()};
}

std::string StepList::text() const {
    JsonWriter json;
    json.beginArray();
    for (const JsonValue step : m_steps) copyJson(json, step);
    return json.endArray().text();
}

bool StepList::has(std::string_view name) const {
    return std::any_of(begin(), end(), [&](JsonValue step) { return textIn(step, "step") == name; });
}

bool StepList::createsModules() const {
    return std::any_of(begin(), end(), [](JsonValue step) {
        return step.isObject() && (step.find("module").exists() || step.find("to").exists());
    });
}

StepList& StepList::add(const StepList& from, std::size_t i) {
    m_steps.push_back(from.m_steps[i]);
    m_documents.push_back(from.m_documents[i]);
    return *this;
}

StepList& StepList::add(const StepList& from) {
    for (std::size_t i = 0; i < from.size(); ++i) add(from, i);
    return *this;
}

StepList& StepList::add(const JsonWriter& step) {
    m_documents.push_back(JsonDocument::parse(step.text()));
    m_steps.push_back(m_documents.back()->root());
    return *this;
}

std::string_view textIn(JsonValue step, std::string_view key) {
    const JsonValue value = step.isObject() ? step.find(key) : JsonValue();
    return value.exists() && value.isString() ? value.asText() : std::string_view();
}

// ── nodes ────────────────────────────────────────────────────────────────────────────────────────────────────────

StepList& StepList::insert(std::string_view step, std::string_view node, const Insertion& what, const StepCall& call) {
    JsonWriter json = begun(step, {{"node", node}, {"op", opName(what.op)}, {"target", what.target}});
    write(json, call);
    if (what.made) write(json, "module", *what.made);
    if (!what.name.empty()) json.key("name").string(what.name);
    if (what.rewireUsers) json.key("rewire_users").boolean(true);
    return add(json.endObject());
}

StepList& StepList::setTarget(std::string_view node, std::string_view target) {
    return add(begun("set_target", {{"node", node}, {"target", target}}).endObject());
}

StepList& StepList::setArgs(std::string_view node, const StepCall& call) {
    JsonWriter json = begun("set_args", {{"node", node}});
    write(json, call);
    return add(json.endObject());
}

StepList& StepList::setInput(const Graph& graph, NodeId node, NodeId input, NodeId from) {
    const auto mapped = [&](NodeId each) { return Argument(each == input ? from : each); };
    const std::vector<Argument> args = mapNodes(graph.node(node).args(), mapped);
    const Kwargs kwargs = mapNodes(graph.node(node).kwargs(), mapped);
    return setArgs(graph.node(node).name(), {graph, args, kwargs});
}

StepList& StepList::rename(std::string_view node, std::string_view name) {
    return add(begun("rename", {{"node", node}, {"name", name}}).endObject());
}

StepList& StepList::replaceUses(std::string_view node, std::string_view with) {
    return add(begun("replace_uses", {{"node", node}, {"with", with}}).endObject());
}

StepList& StepList::erase(std::string_view node, std::string_view replaceWith, bool cascade) {
    JsonWriter json = begun("erase", {{"node", node}});
    if (!replaceWith.empty()) json.key("replace_with").string(replaceWith);
    if (cascade) json.key("cascade").boolean(true);
    return add(json.endObject());
}

StepList& StepList::moveBefore(std::string_view node, std::string_view before) {
    return add(begun("move", {{"node", node}, {"before", before}}).endObject());
}

StepList& StepList::moveAfter(std::string_view node, std::string_view after) {
    return add(begun("move", {{"node", node}, {"after", after}}).endObject());
}

StepList& StepList::setOutput(const Graph& graph, const Argument& value) {
    JsonWriter json = begun("set_output");
    writeArgument(json.key("value"), graph, value);
    return add(json.endObject());
}

StepList& StepList::inlineModule(std::string_view node) { return add(begun("inline", {{"node", node}}).endObject()); }

StepList& StepList::insertModel(std::string_view file, std::string_view after, const Graph& graph,
                                const Kwargs& inputs) {
    JsonWriter json = begun("insert_model", {{"file", file}, {"after", after}});
    json.key("inputs").beginObject();
    for (const auto& [name, value] : inputs) writeArgument(json.key(name), graph, value);
    json.endObject();
    return add(json.endObject());
}

StepList& StepList::setCode(std::string_view code) { return add(begun("set_code", {{"code", code}}).endObject()); }

StepList& StepList::deadCode() { return add(begun("dead_code").endObject()); }

StepList& StepList::pass(std::string_view name) { return add(begun("pass", {{"name", name}}).endObject()); }

StepList& StepList::passes(std::string_view pipeline, std::string_view result, std::string_view file) {
    const auto document = JsonDocument::parse(std::string(pipeline));
    JsonWriter json = begun("passes");
    for (const JsonValue member : document->root().needObject()) copyJson(json.key(member.key()), member);
    if (!result.empty()) json.key("result").raw(result);
    if (!file.empty()) json.key("file").string(file);
    return add(json.endObject());
}

// ── modules ──────────────────────────────────────────────────────────────────────────────────────────────────────

StepList& StepList::addModule(std::string_view path, const StepModule& module) {
    JsonWriter json = begun("add_module", {{"path", path}});
    write(json, "module", module);
    return add(json.endObject());
}

StepList& StepList::replaceModule(std::string_view path, const StepModule& module, bool keep) {
    JsonWriter json = begun("replace_module", {{"path", path}});
    write(json, "module", module);
    json.key("keep").boolean(keep);
    return add(json.endObject());
}

StepList& StepList::replaceModuleClass(std::string_view from, const StepModule& to, bool keep) {
    JsonWriter json = begun("replace_module_class", {{"from", from}});
    write(json, "to", to);
    json.key("keep").boolean(keep);
    return add(json.endObject());
}

StepList& StepList::deleteModule(std::string_view path) {
    return add(begun("delete_module", {{"path", path}}).endObject());
}

StepList& StepList::setTraining(std::string_view path, bool training) {
    return add(begun("set_training", {{"path", path}}).key("value").boolean(training).endObject());
}

StepList& StepList::loadWeights(std::string_view file, std::string_view key, bool strict) {
    JsonWriter json = begun("load_weights", {{"file", file}});
    if (!key.empty()) json.key("key").string(key);
    if (!strict) json.key("strict").boolean(false);
    return add(json.endObject());
}

StepList& StepList::setTensor(std::string_view path, std::string_view file) {
    return add(begun("set_tensor", {{"path", path}, {"file", file}}).endObject());
}

// ── quantisation ─────────────────────────────────────────────────────────────────────────────────────────────────

StepList& StepList::quantize(const Quantisation& what) {
    JsonWriter json = begun("quantize", {{"backend", what.backend}, {"mode", what.mode}, {"form", what.form}});
    if (!what.inputs.empty()) json.key("inputs").string(what.inputs);
    if (!what.qconfig.empty()) json.key("qconfig").string(what.qconfig);
    json.key("of").string(what.of).key("graph").string(what.graph).key("file").string(what.file);
    return add(json.endObject());
}

// ── patterns ─────────────────────────────────────────────────────────────────────────────────────────────────────

StepList& StepList::replacePattern(std::string_view pattern, std::string_view replacement,
                                   const PatternOptions& options) {
    JsonWriter json = begun("replace_pattern", {{"pattern", pattern}, {"replacement", replacement}});
    json.key("options").beginObject();
    json.key("ignore_literals").boolean(options.ignoreLiterals).key("commutative").boolean(options.commutative);
    if (!options.relax.empty()) json.key("relax").strings(options.relax);
    if (!options.only.empty()) json.key("only").strings(options.only);
    json.endObject();
    return add(json.endObject());
}

// ── partitions ───────────────────────────────────────────────────────────────────────────────────────────────────

StepList& StepList::partition(const Partitioning& what) {
    JsonWriter json = begun("partition");
    json.key(what.splits ? "split" : "fuse").boolean(true);
    if (!what.assignment.empty()) {
        json.key("assignment").beginArray();
        for (const auto& names : what.assignment) json.strings(names);
        json.endArray();
        return add(json.endObject());
    }
    json.key("rules").raw(what.rules);
    if (what.allowSingle) json.key("allow_single").boolean(true);
    if (what.noHorizontal) json.key("no_horizontal").boolean(true);
    if (what.trimEnds) json.key("trim_ends").boolean(true);
    if (!what.nonCompute.empty()) json.key("non_compute").strings(what.nonCompute);
    return add(json.endObject());
}

} // namespace fx
