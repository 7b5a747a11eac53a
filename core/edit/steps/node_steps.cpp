// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/listed.h"
#include "core/base/python_text.h"
#include "core/edit/code/code_edit.h"
#include "core/edit/erase_choices.h"
#include "core/edit/kept_result.h"
#include "core/edit/steps/pattern_step.h"
#include "core/edit/steps/step.h"
#include "core/module/module_editor.h"
#include "core/module/purity.h"
#include "core/passes/dead_code.h"
#include "core/passes/manager/pass_pipeline.h"
#include "core/textpasses/text_pass.h"
#include "core/trace/callables.h"

#include <algorithm>

namespace fx {
namespace {

/// "torch.ops.mine.foo"
bool isDottedName(std::string_view name) {
    for (std::size_t start = 0; start <= name.size();) {
        const std::size_t end = std::min(name.find('.', start), name.size());
        const std::string_view atom = name.substr(start, end - start);
        if (!isPythonIdentifier(atom) || isPythonKeyword(atom)) return false;
        start = end + 1;
    }
    return true;
}

CallablePtr callableNamed(const Step& step, const std::string& target) {
    const CallablePtr callable = resolveCallable(target);
    if (callable->opaque && !isDottedName(target))
        throw step.refused(Message("edit.function_name", {{"target", target}}));
    if (callable->opaque && !ops::isMissingFromPyTorch(*callable)) // checkCalls reports those
        step.warnings.push_back({Message("edit.unknown_function", {{"target", target}}), {}, {}, {}});
    return callable;
}

/// The module of a call_module that is inserted: made when it is described and not there.
void needModule(const Step& step, const std::string& path) {
    const auto target = resolvePath(*step.model.root, path);
    if (target.kind == PathTarget::Kind::Module) return;
    if (!step.has("module")) throw step.refused(Message("edit.unknown_called_module", {{"path", path}})).onModule(path);
    if (!ModuleEditor(step.model).add(path, moduleFromJson(step.at("module"), step)))
        throw step.refused(Message("edit.path_taken", {{"path", path}})).onModule(path);
}

/// The name of a method stands in the code as it is.
void needMethodName(const Step& step, const std::string& name) {
    if (!isPythonIdentifier(name) || isPythonKeyword(name))
        throw step.refused(Message("edit.method_name", {{"name", name}}));
}

void insert(const Step& step, InsertPoint::Side side) {
    Graph& graph = step.graph();
    const NodeId anchor = step.node("node");
    const auto op = opFromName(step.text("op"));
    if (!op) throw step.refused(Message("edit.unknown_op", {{"op", step.text("op")}}));
    const std::string target = step.text("target"), name = step.has("name") ? step.text("name") : std::string();
    auto args = step.has("args") ? argumentsFromJson(step.at("args"), graph) : std::vector<Argument>();
    auto kwargs = step.has("kwargs") ? kwargsFromJson(step.at("kwargs"), graph) : Kwargs();
    if (*op == Op::CallMethod) needMethodName(step, target);
    if (*op == Op::Output) throw step.refused(Message("edit.second_output"));
    if (*op == Op::CallModule) needModule(step, target);
    if (*op == Op::GetAttr && resolvePath(*step.model.root, target).kind == PathTarget::Kind::Missing)
        throw step.refused(Message("edit.unknown_attribute", {{"target", target}})).onModule(target);
    graph.setInsertPoint({side, anchor});
    const NodeId made = *op == Op::CallFunction
                            ? graph.callFunction(callableNamed(step, target), std::move(args), std::move(kwargs), name)
                            : graph.createNode(*op, target, std::move(args), std::move(kwargs), name);
    graph.setInsertPoint({});
    step.memory.typedCalls.push_back(made);
    if (step.flag("rewire_users")) graph.replaceAllUses(anchor, made, [made](NodeId user) { return user == made; });
}

void setTarget(const Step& step) {
    const NodeId id = step.node("node");
    const std::string target = step.text("target");
    step.memory.typedCalls.push_back(id);
    if (step.graph().node(id).op() == Op::CallFunction) {
        step.graph().setCallable(id, callableNamed(step, target));
        return;
    }
    if (step.graph().node(id).op() == Op::CallModule) needModule(step, target);
    if (step.graph().node(id).op() == Op::CallMethod) needMethodName(step, target);
    step.graph().setTarget(id, target);
}

void setArgs(const Step& step) {
    const NodeId id = step.node("node");
    if (!step.has("args") && !step.has("kwargs")) throw step.refused(Message("edit.needs_arguments"));
    step.memory.typedCalls.push_back(id);
    if (step.has("args")) step.graph().setArgs(id, argumentsFromJson(step.at("args"), step.graph()));
    if (step.has("kwargs")) step.graph().setKwargs(id, kwargsFromJson(step.at("kwargs"), step.graph()));
}

bool mayGo(const Step& step, const Node& node) { return node.users().empty() && !isImpure(*step.model.root, node); }

/// The users take another value; warns of nodes that nothing uses then.
void replaceErased(const Step& step, NodeId id) {
    const NodeId with = step.node("replace_with");
    if (with == id) throw step.refused(Message("edit.replaced_by_itself")).onNode(step.text("node"));
    const auto dead = step.flag("cascade") ? std::vector<NodeId>() : deadAfterErase(step.model, {id}, with);
    step.graph().replaceAllUses(id, with);
    if (dead.empty()) return;
    constexpr std::size_t kShown = 5;
    std::string names;
    for (std::size_t i = 0; i < std::min(dead.size(), kShown); ++i)
        names += (i ? ", " : "") + step.graph().node(dead[i]).name();
    if (dead.size() > kShown) names += ", ...";
    step.warnings.push_back({Message("edit.left_unused", {{"count", dead.size()}, {"names", names}}),
                             step.graph().node(dead.front()).name(),
                             {},
                             {}});
}

void erase(const Step& step) {
    Graph& graph = step.graph();
    const NodeId id = step.node("node");
    if (step.has("replace_with")) replaceErased(step, id);
    const std::vector<NodeId> inputs = graph.node(id).inputs();
    graph.erase(id);
    if (!step.flag("cascade")) return;
    for (std::vector<NodeId> open = inputs; !open.empty();) {
        const NodeId each = open.back();
        open.pop_back();
        if (graph.node(each).erased() || !mayGo(step, graph.node(each))) continue;
        open.insert(open.end(), graph.node(each).inputs().begin(), graph.node(each).inputs().end());
        graph.erase(each);
    }
}

/// Why a node cannot have the name.
MessageCode nameProblem(const std::string& name) {
    if (!isPythonIdentifier(name)) return "edit.name_invalid";
    return isReservedName(name) ? MessageCode("edit.name_reserved") : MessageCode("edit.name_taken");
}

void rename(const Step& step) {
    const NodeId id = step.node("node");
    const std::string wanted = step.text("name");
    step.graph().rename(id, wanted);
    const std::string& name = step.graph().node(id).name();
    if (name != wanted)
        step.warnings.push_back({Message(nameProblem(wanted), {{"name", wanted}, {"given", name}}), name, {}, {}});
}

void replaceUses(const Step& step) {
    const NodeId id = step.node("node"), with = step.node("with");
    if (id == with) return;
    step.graph().replaceAllUses(id, with);
}

void setOutput(const Step& step) {
    const NodeId output = step.graph().outputNode();
    if (output == kNoNode) throw step.refused(Message("edit.no_output"));
    step.graph().setArgs(output, {argumentFromJson(step.at("value"), step.graph())});
}

void move(const Step& step) {
    if (step.has("before") == step.has("after")) throw step.refused(Message("edit.needs_before_or_after"));
    const NodeId id = step.node("node");
    if (step.has("before")) step.graph().moveBefore(id, step.node("before"));
    else step.graph().moveAfter(id, step.node("after"));
}

void passStep(const Step& step) {
    const std::string name = step.text("name");
    if (!anyChanged(runPasses(step.model, {{name, step.has("settings") ? step.at("settings") : JsonValue()}},
                              step.warnings, step.progress, step.engine)))
        step.warnings.push_back({Message("edit.nothing_to_do", {{"pass", name}}), {}, {}, {}});
}

/// A pipeline of passes (core/passes/manager/pass_pipeline.h).
void passesStep(const Step& step) {
    if (takeKeptResult(step)) return;
    PassManager manager = readPipeline(step.json, textPasses(step.readers));
    manager.engine = step.engine;
    if (anyChanged(manager.run(step.model, step.warnings, step.progress))) return;
    std::vector<std::string> names;
    for (const PassRequest& pass : manager.passes()) names.push_back(pass.name);
    step.warnings.push_back({Message("edit.nothing_to_do", {{"pass", listed(names, 10)}}), {}, {}, {}});
}

void setCode(const Step& step) {
    const std::string code = step.text("code");
    CodeEdit edit = editCode(step.model, code, step.progress);
    if (!edit.model) throw codeRefusal(code, edit.errors);
    step.model = std::move(*edit.model);
    step.warnings.insert(step.warnings.end(), edit.warnings.begin(), edit.warnings.end());
}

} // namespace

const std::vector<StepKind>& nodeSteps() {
    static const std::vector<StepKind> kSteps = {
        {"insert_after",
         {"node", "op", "target", "args?", "kwargs?", "name?", "rewire_users?", "module?"},
         [](const Step& s) { insert(s, InsertPoint::Side::After); }},
        {"insert_before",
         {"node", "op", "target", "args?", "kwargs?", "name?", "rewire_users?", "module?"},
         [](const Step& s) { insert(s, InsertPoint::Side::Before); }},
        {"set_target", {"node", "target", "module?"}, setTarget},
        {"set_args", {"node", "args?", "kwargs?"}, setArgs},
        {"rename", {"node", "name"}, rename},
        {"replace_uses", {"node", "with"}, replaceUses},
        {"erase", {"node", "replace_with?", "cascade?"}, erase},
        {"set_output", {"value"}, setOutput},
        {"move", {"node", "before?", "after?"}, move},
        {"replace_pattern", {"pattern", "replacement", "options?"}, replacePatternStep},
        {"pass", {"name", "settings?"}, passStep},
        {"passes", {"passes", "constraints?", "steps?", "nodes?", "result?", "file?"}, passesStep},
        {"set_code", {"code"}, setCode, true},
        {"insert_model", {"file", "after", "inputs"}, insertModel},
        {"quantize", {"backend", "mode", "form", "of", "graph", "file", "inputs?", "qconfig?"}, takeQuantised},
        {"dead_code", {}, [](const Step& s) { eliminateDeadCode(s.model, &s.warnings); }},
        {"lint", {}, [](const Step&) {}}, // the result is linted anyway
    };
    return kSteps;
}

} // namespace fx
