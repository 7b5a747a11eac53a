// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/steps/step_list.h"

#include "core/codegen/graph_json.h"
#include "core/io/pt2/pt2_json.h"
#include "core/json/json_document.h"

namespace fx {

// ── nodes ────────────────────────────────────────────────────────────────────────────────────────────────────────

StepList& StepList::insert(std::string_view step, std::string_view node, const Insertion& what, const StepCall& call) {
    begin(step).key("node").string(node).key("op").string(opName(what.op)).key("target").string(what.target);
    write(call);
    if (what.made) write("module", *what.made);
    if (!what.name.empty()) m_json.key("name").string(what.name);
    if (what.rewireUsers) m_json.key("rewire_users").boolean(true);
    return end();
}

StepList& StepList::setTarget(std::string_view node, std::string_view target) {
    begin("set_target").key("node").string(node).key("target").string(target);
    return end();
}

StepList& StepList::setArgs(std::string_view node, const StepCall& call) {
    begin("set_args").key("node").string(node);
    write(call);
    return end();
}

StepList& StepList::setInput(const Graph& graph, NodeId node, NodeId input, NodeId from) {
    const auto mapped = [&](NodeId each) { return Argument(each == input ? from : each); };
    std::vector<Argument> args;
    Kwargs kwargs;
    for (const Argument& argument : graph.node(node).args()) args.push_back(mapNodes(argument, mapped));
    for (const auto& [name, argument] : graph.node(node).kwargs())
        kwargs.emplace_back(name, mapNodes(argument, mapped));
    return setArgs(graph.node(node).name(), {graph, args, kwargs});
}

StepList& StepList::rename(std::string_view node, std::string_view name) {
    begin("rename").key("node").string(node).key("name").string(name);
    return end();
}

StepList& StepList::replaceUses(std::string_view node, std::string_view with) {
    begin("replace_uses").key("node").string(node).key("with").string(with);
    return end();
}

StepList& StepList::erase(std::string_view node, std::string_view replaceWith, bool cascade) {
    begin("erase").key("node").string(node);
    if (!replaceWith.empty()) m_json.key("replace_with").string(replaceWith);
    if (cascade) m_json.key("cascade").boolean(true);
    return end();
}

StepList& StepList::moveBefore(std::string_view node, std::string_view before) {
    begin("move").key("node").string(node).key("before").string(before);
    return end();
}

StepList& StepList::moveAfter(std::string_view node, std::string_view after) {
    begin("move").key("node").string(node).key("after").string(after);
    return end();
}

StepList& StepList::setOutput(const Graph& graph, const Argument& value) {
    writeArgument(begin("set_output").key("value"), graph, value);
    return end();
}

StepList& StepList::inlineModule(std::string_view node) {
    begin("inline").key("node").string(node);
    return end();
}

StepList& StepList::insertModel(std::string_view file, std::string_view after, const Graph& graph,
                                const Kwargs& inputs) {
    begin("insert_model").key("file").string(file).key("after").string(after).key("inputs").beginObject();
    for (const auto& [name, value] : inputs) writeArgument(m_json.key(name), graph, value);
    m_json.endObject();
    return end();
}

StepList& StepList::setCode(std::string_view code) {
    begin("set_code").key("code").string(code);
    return end();
}

StepList& StepList::deadCode() {
    begin("dead_code");
    return end();
}

StepList& StepList::pass(std::string_view name) {
    begin("pass").key("name").string(name);
    return end();
}

StepList& StepList::passes(std::string_view pipeline, std::string_view result, std::string_view file) {
    const auto document = JsonDocument::parse(std::string(pipeline));
    begin("passes");
    for (const JsonValue member : document->root().needObject()) copyJson(m_json.key(member.key()), member);
    if (!result.empty()) m_json.key("result").raw(result);
    if (!file.empty()) m_json.key("file").string(file);
    return end();
}

// ── modules ──────────────────────────────────────────────────────────────────────────────────────────────────────

StepList& StepList::addModule(std::string_view path, const StepModule& module) {
    begin("add_module").key("path").string(path);
    write("module", module);
    return end();
}

StepList& StepList::replaceModule(std::string_view path, const StepModule& module, bool keep) {
    begin("replace_module").key("path").string(path);
    write("module", module);
    m_json.key("keep").boolean(keep);
    return end();
}

StepList& StepList::replaceModuleClass(std::string_view from, const StepModule& to, bool keep) {
    begin("replace_module_class").key("from").string(from);
    write("to", to);
    m_json.key("keep").boolean(keep);
    return end();
}

StepList& StepList::deleteModule(std::string_view path) {
    begin("delete_module").key("path").string(path);
    return end();
}

StepList& StepList::setTraining(std::string_view path, bool training) {
    begin("set_training").key("path").string(path).key("value").boolean(training);
    return end();
}

StepList& StepList::setTensor(std::string_view path, std::string_view file) {
    begin("set_tensor").key("path").string(path).key("file").string(file);
    return end();
}

// ── quantisation ─────────────────────────────────────────────────────────────────────────────────────────────────

StepList& StepList::quantize(const Quantisation& what) {
    begin("quantize").key("backend").string(what.backend).key("mode").string(what.mode);
    m_json.key("form").string(what.form);
    if (!what.inputs.empty()) m_json.key("inputs").string(what.inputs);
    if (!what.qconfig.empty()) m_json.key("qconfig").string(what.qconfig);
    m_json.key("of").string(what.of).key("graph").string(what.graph).key("file").string(what.file);
    return end();
}

// ── patterns ─────────────────────────────────────────────────────────────────────────────────────────────────────

StepList& StepList::replacePattern(std::string_view pattern, std::string_view replacement,
                                   const PatternOptions& options) {
    begin("replace_pattern").key("pattern").string(pattern).key("replacement").string(replacement);
    m_json.key("options").beginObject();
    m_json.key("ignore_literals").boolean(options.ignoreLiterals).key("commutative").boolean(options.commutative);
    if (!options.relax.empty()) write("relax", options.relax);
    if (!options.only.empty()) write("only", options.only);
    m_json.endObject();
    return end();
}

// ── partitions ───────────────────────────────────────────────────────────────────────────────────────────────────

StepList& StepList::partition(const Partitioning& what) {
    begin("partition").key(what.splits ? "split" : "fuse").boolean(true);
    if (!what.assignment.empty()) {
        m_json.key("assignment").beginArray();
        for (const auto& names : what.assignment) {
            m_json.beginArray();
            for (const std::string& name : names) m_json.string(name);
            m_json.endArray();
        }
        m_json.endArray();
        return end();
    }
    m_json.key("rules").raw(what.rules);
    if (what.allowSingle) m_json.key("allow_single").boolean(true);
    if (what.noHorizontal) m_json.key("no_horizontal").boolean(true);
    if (what.trimEnds) m_json.key("trim_ends").boolean(true);
    if (!what.nonCompute.empty()) write("non_compute", what.nonCompute);
    return end();
}

StepList& StepList::add(std::string_view json) { return m_json.raw(json), *this; }

// ── parts of steps ───────────────────────────────────────────────────────────────────────────────────────────────

void StepList::write(const StepCall& call) {
    m_json.key("args").beginArray();
    for (const Argument& argument : call.args) writeArgument(m_json, call.graph, argument);
    m_json.endArray().key("kwargs").beginObject();
    for (const auto& [name, argument] : call.kwargs) writeArgument(m_json.key(name), call.graph, argument);
    m_json.endObject();
}

void StepList::write(const char* key, const StepModule& module) {
    m_json.key(key).beginObject().key("type").string(module.type);
    if (!module.settings.empty()) {
        m_json.key("settings").beginObject();
        for (const auto& [name, value] : module.settings) writeArgument(m_json.key(name), Graph(), value);
        m_json.endObject();
    }
    m_json.endObject();
}

void StepList::write(const char* key, const std::vector<std::string>& texts) {
    m_json.key(key).beginArray();
    for (const std::string& text : texts) m_json.string(text);
    m_json.endArray();
}

} // namespace fx
