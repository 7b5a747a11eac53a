// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/steps/steps.h"

#include "core/edit/input_defaults.h"
#include "core/edit/shared_use.h"
#include "core/edit/steps/pattern_step.h"
#include "core/edit/steps/step.h"
#include "core/ir/lint.h"
#include "core/module/subgraphs.h"

#include <algorithm>
#include <set>

namespace fx {
namespace {

const StepKind* kindNamed(std::string_view name) {
    for (const auto* kinds : {&nodeSteps(), &moduleSteps(), &partitionSteps()})
        for (const StepKind& kind : *kinds)
            if (kind.name == name) return &kind;
    return nullptr;
}

std::string listed(const std::vector<std::string_view>& names) {
    std::string text;
    for (const auto name : names) text += (text.empty() ? "" : ", ") + std::string(name);
    return text;
}

/// Every key is one that the step has, and none of those that it needs is missing.
void checkKeys(const StepKind& kind, const JsonValue& json) {
    for (const JsonValue member : json) {
        const auto is = [&](std::string_view key) {
            return (key.ends_with('?') ? key.substr(0, key.size() - 1) : key) == member.key();
        };
        if (member.key() != "step" && std::none_of(kind.keys.begin(), kind.keys.end(), is))
            throw Error(ErrorKind::Refused,
                        Message("steps.unknown_key",
                                {{"step", kind.name}, {"key", member.key()}, {"known", listed(kind.keys)}}));
    }
    for (const auto key : kind.keys)
        if (!key.ends_with('?') && !json.find(key).exists())
            throw Error(ErrorKind::Refused, Message("steps.missing_key",
                                                    {{"step", kind.name}, {"key", key}, {"known", listed(kind.keys)}}));
}

bool sameNode(const Node& a, const Node& b) {
    return a.op() == b.op() && a.name() == b.name() && a.target() == b.target() && a.args() == b.args() &&
           a.kwargs() == b.kwargs() &&
           (a.type() == b.type() || (a.type() && b.type() && a.type()->repr() == b.type()->repr()));
}

bool isBroken(const GraphModule& model, PathResolver& paths, const Node& node) {
    if (node.op() != Op::CallModule && node.op() != Op::GetAttr) return false;
    if (node.op() == Op::GetAttr && hasSubgraph(model, node.target())) return false;
    const auto target = paths.resolve(node.target());
    return target.kind == PathTarget::Kind::Missing ||
           (node.op() == Op::CallModule && target.kind != PathTarget::Kind::Module);
}

Message stepFailed(std::size_t number, const JsonValue& step, const Error& error) {
    const JsonValue name = step.find("step");
    const MessageArgument place("number", number), reason("reason", error.what()),
        cause("cause", error.message().code());
    if (!name.exists() || !name.isString()) return Message("steps.failed", {place, reason, cause});
    return Message("steps.named_failed", {place, {"step", name.asText()}, reason, cause});
}

/// What would put a node behind the values that it uses; nothing when its inputs are all before it.
std::string remedyFor(const Graph& graph, NodeId id) {
    for (const NodeId input : graph.node(id).inputs()) {
        if (input != id && graph.isBefore(input, id)) continue;
        std::vector<NodeId> open{input};
        std::set<NodeId> needed{input};
        while (!open.empty()) {
            const NodeId each = open.back();
            open.pop_back();
            for (const NodeId before : graph.node(each).inputs())
                if (needed.insert(before).second) open.push_back(before);
        }
        const std::string name = graph.node(id).name(), late = graph.node(input).name();
        if (needed.contains(id))
            return "this makes a cycle: " + late + " is computed from " + name + "; take a value that is not";
        return "move " + late + " before " + name + " (the step move)";
    }
    return {};
}

/// What torch.fx's lint checks. Nodes that referred to nothing before the edit may go on doing so.
void lintResult(const GraphModule& before, const GraphModule& model, const EditEffect& effect, bool mayMissPaths) {
    if (const auto problems = model.linted->check(model.graph); !problems.empty())
        throw Error(ErrorKind::Refused, problems.front().message)
            .onNode(model.graph.node(problems.front().node).name())
            .hinting(remedyFor(model.graph, problems.front().node));
    requireDefaults(before.graph, model.graph);
    if (mayMissPaths) return;
    PathResolver paths(*model.root), pathsBefore(*before.root);
    const auto refuse = [&](const Node& node) {
        throw Error(ErrorKind::Refused,
                    Message("steps.missing_attribute", {{"node", node.name()},
                                                        {"target", node.target()},
                                                        {"missing", paths.resolve(node.target()).missingAt}}))
            .onNode(node.name());
    };
    for (const auto* ids : {&effect.created, &effect.changed})
        for (const NodeId id : *ids)
            if (isBroken(model, paths, model.graph.node(id))) refuse(model.graph.node(id));
    if (model.root == before.root) return;
    for (const Node& node : model.graph.nodes())
        if (isBroken(model, paths, node) && !isBroken(before, pathsBefore, node)) refuse(node);
}

/// Checks the calls that steps wrote, after the last step. A new node that PyTorch would refuse to run is an error. A
/// node that existed before only gets a warning, because torch.fx lets nodes become anything.
void checkCalls(const GraphModule& before, const GraphModule& model, std::vector<NodeId> calls, Warnings& warnings) {
    const ops::KnownFunction isKnown = functionsOf(before);
    PathResolver paths(*model.root), pathsBefore(*before.root);
    const auto classes = [](PathResolver& resolver) -> ops::ClassOfModule {
        return [&resolver](const std::string& path) {
            const Module* module = resolver.resolve(path).module;
            return module ? module->qualifiedType() : std::string();
        };
    };
    std::sort(calls.begin(), calls.end());
    calls.erase(std::unique(calls.begin(), calls.end()), calls.end());
    for (const NodeId id : calls) {
        if (index(id) >= model.graph.idLimit() || model.graph.node(id).erased()) continue;
        const Node& node = model.graph.node(id);
        const auto problem = ops::callProblem(model.graph, node, isKnown, classes(paths));
        if (!problem) continue;
        if (index(id) >= before.graph.idLimit() || before.graph.node(id).erased())
            throw Error(ErrorKind::Refused, *problem).onNode(node.name());
        if (!ops::callProblem(before.graph, before.graph.node(id), {}, classes(pathsBefore)))
            warnings.push_back({*problem, node.name(), {}, {}});
    }
}

} // namespace

JsonValue Step::at(std::string_view key) const {
    const JsonValue value = json.find(key);
    if (!value.exists()) throw refused(Message("steps.needs_key", {{"key", key}}));
    return value;
}

std::vector<std::string_view> stepNames() {
    std::vector<std::string_view> names;
    for (const auto* kinds : {&nodeSteps(), &moduleSteps(), &partitionSteps()})
        for (const StepKind& kind : *kinds) names.push_back(kind.name);
    return names;
}

void applyStep(GraphModule& model, const JsonValue& json, Warnings& warnings, const Progress& progress,
               NewWeights weights, StepMemory* given, TensorEngine* engine) {
    const JsonValue name = json.needObject().find("step");
    if (!name.exists()) throw Error(ErrorKind::Refused, Message("steps.no_step", {{"known", listed(stepNames())}}));
    const StepKind* kind = kindNamed(name.asText());
    if (!kind)
        throw Error(ErrorKind::Refused,
                    Message("steps.unknown_step", {{"name", name.asText()}, {"known", listed(stepNames())}}));
    checkKeys(*kind, json);
    StepMemory alone;
    StepMemory& memory = given ? *given : alone;
    const bool mayBeShared = !memory.changesOneModule(model, json) && mayChangeSharedUse(model, json);
    const GraphModule before = mayBeShared ? model : GraphModule(); // makes the step copy what it changes
    kind->apply(Step{json, model, warnings, progress, memory, weights, engine});
    memory.applied(model, json);
    if (mayBeShared) warnOfSharedUse(before, model, json, warnings);
}

EditEffect applySteps(GraphModule& model, const std::vector<JsonValue>& steps, const Progress& progress,
                      TensorEngine* engine) {
    return applyStepsNoting(model, steps, {}, progress, NewWeights::Drawn, engine);
}

EditEffect applyStepsNoting(GraphModule& model, const std::vector<JsonValue>& steps, const NoteStep& note,
                            const Progress& progress, NewWeights weights, TensorEngine* engine) {
    GraphModule edited = model;
    Warnings warnings;
    bool mayMissPaths = false;
    StepMemory memory;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        progress.check();
        const GraphModule before = note ? edited : GraphModule(); // shares everything with it
        try {
            applyStep(edited, steps[i], warnings, progress, weights, &memory, engine);
            mayMissPaths = mayMissPaths || kindNamed(steps[i].at("step").asText())->mayMissPaths;
        } catch (const Error& error) {
            // Whatever is wrong with a step, the step is refused.
            Error refusal(error.kind() == ErrorKind::Cancelled ? ErrorKind::Cancelled : ErrorKind::Refused,
                          stepFailed(i + 1, steps[i], error));
            refusal.where = error.where, refusal.textPlace = error.textPlace, refusal.node = error.node;
            refusal.modulePath = error.modulePath, refusal.source = error.source, refusal.hint = error.hint;
            refusal.commandLineHint = error.commandLineHint;
            if (const JsonValue about = steps[i].find("node");
                refusal.node.empty() && about.exists() && about.isString() &&
                edited.graph.find(std::string(about.asText())) != kNoNode)
                refusal.node = about.asText();
            throw refusal;
        }
        if (note) note(before, edited);
    }
    EditEffect effect = compareVersions(model.graph, edited.graph);
    lintResult(model, edited, effect, mayMissPaths);
    checkCalls(model, edited, std::move(memory.typedCalls), warnings);
    effect.warnings = std::move(warnings);
    model = std::move(edited);
    return effect;
}

EditEffect compareVersions(const Graph& before, const Graph& after) {
    EditEffect effect;
    const auto exists = [](const Graph& graph, NodeId id) {
        return index(id) < graph.idLimit() && !graph.node(id).erased();
    };
    const std::vector<NodeId> differing = after.differenceFrom(before).nodes;
    for (const NodeId id : before.inOrder(differing))
        if (!exists(after, id)) effect.erased.push_back(id);
    for (const NodeId id : after.inOrder(differing)) {
        if (!exists(before, id)) effect.created.push_back(id);
        else if (!sameNode(before.node(id), after.node(id))) effect.changed.push_back(id);
    }
    return effect;
}

} // namespace fx
