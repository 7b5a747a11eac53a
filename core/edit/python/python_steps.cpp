// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/python/python_steps.h"

#include "core/base/joined_path.h"
#include "core/base/python_text.h"
#include "core/edit/python/pattern_definitions.h"
#include "core/edit/steps/step.h"
#include "core/io/tensors/tensor_file.h"
#include "core/module/constructor_settings.h"
#include "core/passes/manager/pass_manager.h"
#include "core/python/tracing/trace_definition.h"

#include <algorithm>

namespace fx {

Error inexpressible(const PythonStep& step, const Message& why) {
    return Error(
        ErrorKind::Refused,
        Message("python_script.step",
                {{"number", step.number}, {"step", step.text("step")}, {"reason", why.text()}, {"cause", why.code()}}));
}

namespace {

/// What a path starts from: `gm` or `gm.get_submodule("a.b")`.
std::string moduleAt(std::string_view path) {
    return path.empty() ? "gm" : "gm.get_submodule(" + PythonScript::quoted(path) + ")";
}

/// `owner.name = value`
std::string assignment(const std::string& owner, const std::string& name, const std::string& value) {
    if (isPythonIdentifier(name) && !isPythonKeyword(name)) return owner + "." + name + " = " + value;
    return "setattr(" + owner + ", " + PythonScript::quoted(name) + ", " + value + ")";
}

// ── modules ──────────────────────────────────────────────────────────────────────────────────────────────────────────

void seedFor(const PythonStep& step, const JsonValue& module) {
    const JsonValue seed = module.find("seed");
    step.script.line("torch.manual_seed(" + std::to_string(seed.exists() ? seed.asInt() : 0) + ")");
}

/// `torch.nn.Linear(in_features=4)`
std::string construction(const PythonStep& step, const JsonValue& module, const Kwargs& settings) {
    return step.script.moduleClass(module.at("type").asText()) + "(" +
           step.script.callKeywords(settings, step.before.graph) + ")";
}

Kwargs givenSettings(const PythonStep& step, const JsonValue& module) {
    const JsonValue settings = module.find("settings");
    return settings.exists() ? kwargsFromJson(settings, step.before.graph) : Kwargs();
}

void addModule(const PythonStep& step, const std::string& path) {
    const JsonValue module = step.json.at("module");
    const std::string made = construction(step, module, givenSettings(step, module));
    seedFor(step, module);
    step.script.line("gm.add_submodule(" + PythonScript::quoted(path) + ", " + made + ")");
}

/// The module that a node names is made by the step when it was not there before.
void needModule(const PythonStep& step) {
    const std::string target = step.text("target");
    if (resolvePath(*step.before.root, target).kind != PathTarget::Kind::Module) addModule(step, target);
}

void keepTensors(const PythonStep& step, const Module& old, const Module& fresh) {
    for (const auto slots : {&Module::parameters, &Module::buffers})
        for (const Module::Slot& slot : fresh.*slots)
            for (const Module::Slot& before : old.*slots)
                if (slot.tensor && before.name == slot.name && before.tensor == slot.tensor)
                    step.script.line("new." + slot.name + " = old." + slot.name);
}

/// Replaces the module that stands at all of these paths.
void replaceAt(const PythonStep& step, const std::vector<std::string>& paths, const JsonValue& module) {
    const Module& fresh = *resolvePath(*step.after.root, paths.front()).module;
    Kwargs settings = givenSettings(step, module);
    if (step.flag("keep")) {
        settings.clear();
        for (const Setting& setting : constructorSettings(fresh))
            if (!setting.isDefault) settings.emplace_back(setting.name, setting.value);
    }
    step.script.line("old = " + moduleAt(paths.front())).line("new = " + construction(step, module, settings));
    if (step.flag("keep")) keepTensors(step, *resolvePath(*step.before.root, paths.front()).module, fresh);
    step.script.line("new.training = old.training");
    for (const std::string& path : paths) step.script.line("gm.set_submodule(" + PythonScript::quoted(path) + ", new)");
}

void replaceModule(const PythonStep& step) {
    seedFor(step, step.json.at("module"));
    replaceAt(step, {step.text("path")}, step.json.at("module"));
}

void replaceModuleClass(const PythonStep& step) {
    seedFor(step, step.json.at("to"));
    for (const auto& [module, paths] : modulesOfClass(*step.before.root, step.text("from")))
        replaceAt(step, paths, step.json.at("to"));
}

void setTraining(const PythonStep& step) {
    step.script.line(moduleAt(step.has("path") ? step.text("path") : "") + ".train(" +
                     (step.json.at("value").asBool() ? "True" : "False") + ")");
}

/// A tensor that is read from a file.
std::string tensorOfFile(const PythonStep& step, bool asParameter) {
    const TensorInFile read =
        readTensorFile(step.text("file"), step.has("key") ? step.text("key") : std::string(), step.text("path"));
    const std::string file = step.script.file(step.text("file"));
    if (read.kind == TensorInFile::Kind::Npy) {
        step.script.imports.insert("import numpy");
        return "torch.from_numpy(numpy.load(" + file + "))";
    }
    const bool torchFile = read.kind == TensorInFile::Kind::Torch;
    if (!torchFile) step.script.imports.insert("from safetensors.torch import load_file");
    return (torchFile ? "torch.load(" : "load_file(") + file + ")" +
           (read.key.empty() ? "" : "[" + PythonScript::quoted(read.key) + "]") +
           (read.tensor->isParameter && !asParameter ? ".detach()" : "");
}

void setTensor(const PythonStep& step) {
    const std::string path = step.text("path");
    const auto dot = path.rfind('.');
    const TensorRef& tensor = *resolvePath(*step.after.root, path).tensor;
    std::string value =
        step.has("file")
            ? tensorOfFile(step, tensor.isParameter)
            : "torch.tensor(" +
                  step.script.value(argumentFromJson(step.json.at("value"), step.before.graph), step.before.graph) +
                  ", dtype=" + std::string(dtypeName(tensor.dtype)) + ")";
    if (tensor.isParameter)
        value = "torch.nn.Parameter(" + value + (tensor.requiresGrad ? ")" : ", requires_grad=False)");
    if (step.before.format == Format::Pt2)
        step.script.line("program.state_dict[" + PythonScript::quoted(path) + "] = " + value);
    else
        step.script.line(
            assignment(moduleAt(dot == std::string::npos ? "" : path.substr(0, dot)), path.substr(dot + 1), value));
}

// ── nodes ────────────────────────────────────────────────────────────────────────────────────────────────────────────

std::string targetText(const PythonStep& step, Op op, const Node& node) {
    return op == Op::CallFunction ? step.script.callable(*node.callable()) : PythonScript::quoted(node.target());
}

void insert(const PythonStep& step) {
    const EditEffect effect = compareVersions(step.before.graph, step.after.graph);
    const Node& made = step.after.graph.node(effect.created.at(0));
    if (made.op() == Op::CallModule) needModule(step);
    std::string call = "new = graph.create_node(\"" + std::string(opName(made.op())) + "\", " +
                       targetText(step, made.op(), made) + ", " + step.script.arguments(made.args(), step.after.graph);
    if (!made.kwargs().empty()) call += ", " + step.script.keywords(made.kwargs(), step.after.graph);
    if (step.has("name")) call += ", name=" + PythonScript::quoted(step.text("name"));
    step.script
        .line("with graph.inserting_" + step.text("step").substr(sizeof("insert_") - 1) + "(" + step.node("node") +
              "):")
        .line("    " + call + ")");
    if (step.flag("rewire_users"))
        step.script.line(step.node("node") +
                         ".replace_all_uses_with(new, delete_user_cb=lambda user: user is not new)");
}

void setTarget(const PythonStep& step) {
    const NodeId id = nodeFromJson(step.json.at("node"), step.before.graph);
    const Node& node = step.after.graph.node(id);
    if (node.op() == Op::CallModule) needModule(step);
    step.script.line(step.node("node") + ".target = " + targetText(step, node.op(), node));
}

void setArgs(const PythonStep& step) {
    const Graph& graph = step.before.graph;
    if (step.has("args"))
        step.script.line(step.node("node") +
                         ".args = " + step.script.arguments(argumentsFromJson(step.json.at("args"), graph), graph));
    if (step.has("kwargs"))
        step.script.line(step.node("node") +
                         ".kwargs = " + step.script.keywords(kwargsFromJson(step.json.at("kwargs"), graph), graph));
}

/// What went, last first: users go before what they use.
void erase(const PythonStep& step) {
    if (step.has("replace_with"))
        step.script.line(step.node("node") + ".replace_all_uses_with(" + step.node("replace_with") + ")");
    auto erased = compareVersions(step.before.graph, step.after.graph).erased;
    std::reverse(erased.begin(), erased.end());
    for (const NodeId id : erased)
        step.script.line("graph.erase_node(" + PythonScript::node(step.before.graph, id) + ")");
}

void replaceUses(const PythonStep& step) {
    if (step.node("node") != step.node("with"))
        step.script.line(step.node("node") + ".replace_all_uses_with(" + step.node("with") + ")");
}

void move(const PythonStep& step) {
    const bool before = step.has("before");
    step.script.line(step.node(before ? "before" : "after") + (before ? ".prepend(" : ".append(") + step.node("node") +
                     ")");
}

/// A function that returns the one that the source defines: each source keeps its own names.
std::string sourceFunction(const PythonStep& step, const std::string& key) {
    const std::string source = step.text(key), name = key + "_" + std::to_string(step.number);
    requireDefinitions(source);
    step.script.functions += "\n\ndef " + name + "():\n";
    for (std::size_t at = 0; at < source.size();) {
        const std::size_t end = std::min(source.find('\n', at), source.size());
        step.script.functions += (end > at ? "    " : "") + source.substr(at, end - at) + "\n";
        at = end + 1;
    }
    const SourceDefinition definition = mainDefinition(source, key);
    if (definition.isClass) step.script.imports.insert("import torch");
    step.script.functions += definition.isClass ? "    torch.manual_seed(0)\n    return " + definition.name + "()\n"
                                                : "    return " + definition.name + "\n";
    return name + "()";
}

void replacePattern(const PythonStep& step) {
    if (writePythonNewModules(step)) return;
    std::string options;
    if (step.has("options"))
        for (const JsonValue option : step.json.at("options")) {
            if (option.key() == "ignore_literals")
                options += std::string(", ignore_literals=") + (option.asBool() ? "True" : "False");
            else if (option.key() == "node_name_match")
                options += ", node_name_match=" + PythonScript::quoted(option.asText());
            else throw inexpressible(step, Message("python_script.option", {{"name", option.key()}}));
        }
    for (const char* line :
         {"import math", "import operator", "import torch.nn as nn", "import torch.nn.functional as F",
          "from torch.fx.subgraph_rewriter import replace_pattern_with_filters"})
        step.script.imports.insert(line);
    const std::string pattern = sourceFunction(step, "pattern"), replacement = sourceFunction(step, "replacement");
    step.script.line("replace_pattern_with_filters(gm, " + pattern + ", " + replacement + options + ")");
}

/// Weights change too, so torch.fx's own pass does it; it gives a new GraphModule.
void fusePass(const PythonStep& step) {
    GraphModule again = step.before;
    Warnings warnings;
    const auto settings = JsonDocument::parse(R"({"as_torch_fx": true})");
    runPasses(again, {{"conv_bn_fuse", settings->root()}}, warnings);
    if (!warnings.empty())
        throw inexpressible(step, Message("python_script.otherwise", {{"warning", warnings[0].what.text()}}));
    const EditEffect rest = compareVersions(again.graph, step.after.graph);
    if (!rest.created.empty() || !rest.changed.empty() || !rest.erased.empty())
        throw inexpressible(step, Message("python_script.more"));
    step.script.imports.insert("from torch.fx.experimental import optimization");
    step.script.line("gm = optimization.fuse(gm, no_trace=True)").line("graph = gm.graph");
}

void changeNode(const PythonStep& step, const Node& was, const Node& is) {
    const Graph& graph = step.after.graph;
    const std::string node = PythonScript::node(graph, is.id());
    if (is.target() != was.target()) step.script.line(node + ".target = " + targetText(step, is.op(), is));
    if (!(is.args() == was.args())) step.script.line(node + ".args = " + step.script.arguments(is.args(), graph));
    if (!(is.kwargs() == was.kwargs()))
        step.script.line(node + ".kwargs = " + step.script.keywords(is.kwargs(), graph));
}

/// Whether a tensor stands at a path where another one stood, or none.
bool hasNewTensors(const GraphModule& before, const GraphModule& after) {
    PathResolver paths(*before.root);
    bool found = false;
    forEachModule(*after.root, [&](const std::string& path, const Module& module) {
        for (const auto* slots : {&module.parameters, &module.buffers})
            for (const auto& slot : *slots)
                found = found || (slot.tensor && paths.resolve(joinedPath(path, slot.name)).tensor != slot.tensor);
    });
    return found;
}

bool sameType(const Node& a, const Node& b) {
    return (a.type() ? a.type()->repr() : "") == (b.type() ? b.type()->repr() : "");
}

/// What passes did to the nodes, edit by edit: they keep the names of what stays.
void pass(const PythonStep& step) {
    if (step.has("name") && step.text("name") == "conv_bn_fuse") return fusePass(step);
    const EditEffect effect = compareVersions(step.before.graph, step.after.graph);
    if (!effect.created.empty() || hasNewTensors(step.before, step.after))
        throw inexpressible(step, Message("python_script.more"));
    for (const NodeId id : effect.changed)
        if (!sameType(step.before.graph.node(id), step.after.graph.node(id)))
            throw inexpressible(step, Message("python_script.types"));
    for (const NodeId id : effect.changed) changeNode(step, step.before.graph.node(id), step.after.graph.node(id));
    erase(step);
    forEachModule(*step.before.root, [&](const std::string& path, const Module&) {
        const auto dot = path.rfind('.');
        const bool parentStays = dot == std::string::npos || resolvePath(*step.after.root, path.substr(0, dot)).module;
        if (!path.empty() && parentStays && !resolvePath(*step.after.root, path).module)
            step.script.line("gm.delete_submodule(" + PythonScript::quoted(path) + ")");
    });
}

// ── an edited code, node by node ─────────────────────────────────────────────────────────────────────────────────────

/// What torch.fx's script cannot do as the step did it.
void checkExpressible(const PythonStep& step, const EditEffect& effect) {
    if (step.before.root->buffers.size() != step.after.root->buffers.size())
        throw inexpressible(step, Message("python_script.constants"));
    for (const NodeId id : effect.created)
        if (step.after.graph.node(id).type()) throw inexpressible(step, Message("python_script.types"));
    for (const NodeId id : effect.changed)
        if (!sameType(step.before.graph.node(id), step.after.graph.node(id)))
            throw inexpressible(step, Message("python_script.types"));
}

/// All at once, for a new name may be an old one.
void renameChanged(const PythonStep& step, const EditEffect& effect) {
    std::string nodes, names;
    for (const NodeId id : effect.changed) {
        if (step.before.graph.node(id).name() == step.after.graph.node(id).name()) continue;
        nodes += (nodes.empty() ? "" : ", ") + PythonScript::node(step.before.graph, id);
        names += (names.empty() ? "" : ", ") + PythonScript::quoted(step.after.graph.node(id).name());
    }
    if (!nodes.empty())
        step.script.line("for renamed, name in zip([" + nodes + "], [" + names + "]):").line("    renamed.name = name");
}

/// Creates a node behind `last`, or at the start.
void createBehind(const PythonStep& step, const Node& made, const std::string& last) {
    const Graph& graph = step.after.graph;
    const std::string place = last.empty() ? "before(next(iter(graph.nodes)))" : "after(" + last + ")";
    step.script.line("with graph.inserting_" + place + ":")
        .line("    new = graph.create_node(\"" + std::string(opName(made.op())) + "\", " +
              targetText(step, made.op(), made) + ", " + step.script.arguments(made.args(), graph) + ", " +
              step.script.keywords(made.kwargs(), graph) + ")")
        .line("new.name = " + PythonScript::quoted(made.name()));
}

} // namespace

void writePythonNodeChanges(const PythonStep& step) {
    const Graph &was = step.before.graph, &is = step.after.graph;
    const EditEffect effect = compareVersions(was, is);
    checkExpressible(step, effect);
    const std::set<NodeId> created(effect.created.begin(), effect.created.end()),
        changed(effect.changed.begin(), effect.changed.end());
    for (const NodeId id : effect.changed) { // lets go of what may be erased
        if (!(was.node(id).args() == is.node(id).args())) step.script.line(PythonScript::node(was, id) + ".args = ()");
        if (!(was.node(id).kwargs() == is.node(id).kwargs()))
            step.script.line(PythonScript::node(was, id) + ".kwargs = {}");
    }
    erase(step);
    renameChanged(step, effect);
    // The nodes that stay, in their old order; from where that differs from the new one each is put into its place.
    NodeId old = was.first();
    const auto skipErased = [&] {
        while (old != kNoNode && is.node(old).erased()) old = was.next(old);
    };
    std::string last;
    bool ordered = true;
    for (const Node& node : is.nodes()) {
        const std::string name = PythonScript::node(is, node.id());
        if (created.contains(node.id())) {
            createBehind(step, node, last);
        } else {
            skipErased();
            ordered = ordered && old == node.id();
            if (!ordered)
                step.script.line(last.empty() ? "next(iter(graph.nodes)).prepend(" + name + ")"
                                              : last + ".append(" + name + ")");
            else old = was.next(old);
            if (changed.contains(node.id())) changeNode(step, was.node(node.id()), node);
        }
        last = name;
    }
}

namespace {

struct Writer {
    std::string_view name;
    void (*write)(const PythonStep& step);
};
constexpr Writer kWriters[] = {
    {"insert_after", insert},
    {"insert_before", insert},
    {"set_target", setTarget},
    {"set_args", setArgs},
    {"rename",
     [](const PythonStep& s) {
         s.script.line(s.node("node") + "._rename(" + PythonScript::quoted(s.text("name")) + ")");
     }},
    {"replace_uses", replaceUses},
    {"erase", erase},
    {"set_output",
     [](const PythonStep& s) {
         s.script.line("graph.output_node().args = (" +
                       s.script.value(argumentFromJson(s.json.at("value"), s.before.graph), s.before.graph) + ",)");
     }},
    {"move", move},
    {"replace_pattern", replacePattern},
    {"pass", pass},
    {"passes", pass},
    {"set_code", writePythonNodeChanges},
    {"partition",
     [](const PythonStep& s) {
         if (!writePythonPartition(s)) throw inexpressible(s, Message("python_script.no_calls"));
     }},
    {"inline",
     [](const PythonStep& s) {
         if (!writePythonInline(s)) throw inexpressible(s, Message("python_script.inlines"));
     }},
    {"dead_code", [](const PythonStep& s) { s.script.line("graph.eliminate_dead_code()"); }},
    {"lint", [](const PythonStep&) {}}, // the script lints at its end, as steps do
    {"replace_module", replaceModule},
    {"replace_module_class", replaceModuleClass},
    {"add_module", [](const PythonStep& s) { addModule(s, s.text("path")); }},
    {"delete_module",
     [](const PythonStep& s) { s.script.line("gm.delete_submodule(" + PythonScript::quoted(s.text("path")) + ")"); }},
    {"load_weights", writePythonWeights},
    {"set_tensor", setTensor},
    {"set_training", setTraining},
};

} // namespace

void writePythonStep(const PythonStep& step) {
    const std::string name = step.text("step");
    const auto* writer =
        std::find_if(std::begin(kWriters), std::end(kWriters), [&](const Writer& each) { return each.name == name; });
    if (writer == std::end(kWriters)) throw inexpressible(step, Message("python_script.nothing_like_it"));
    const bool needsTree = name == "replace_module" || name == "replace_module_class" || name == "delete_module" ||
                           (name == "set_training" && step.has("path"));
    if (needsTree && step.before.format == Format::Pt2) throw inexpressible(step, Message("python_script.no_modules"));
    step.script.line("# " + std::to_string(step.number) + ". " + name);
    writer->write(step);
}

} // namespace fx
