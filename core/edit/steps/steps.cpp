// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/steps/steps.h"

#include "core/base/listed.h"
#include "core/base/one_of.h"
#include "core/edit/input_defaults.h"
#include "core/edit/shared_use.h"
#include "core/edit/steps/pattern_step.h"
#include "core/edit/steps/step.h"
#include "core/module/change_lint.h"
#include "core/module/read_only.h"
#include "core/passes/fresh_values.h"

#include <algorithm>

namespace fx {
namespace {

const StepKind* kindNamed(std::string_view name) {
    for (const auto* kinds : {&nodeSteps(), &moduleSteps(), &partitionSteps()})
        for (const StepKind& kind : *kinds)
            if (kind.name == name) return &kind;
    return nullptr;
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
                                {{"step", kind.name}, {"key", member.key()}, {"known", joined(kind.keys)}}));
    }
    for (const auto key : kind.keys)
        if (!key.ends_with('?') && !json.find(key).exists())
            throw Error(ErrorKind::Refused, Message("steps.missing_key",
                                                    {{"step", kind.name}, {"key", key}, {"known", joined(kind.keys)}}));
}

bool sameNode(const Node& a, const Node& b) {
    return a.op() == b.op() && a.name() == b.name() && a.target() == b.target() && a.args() == b.args() &&
           a.kwargs() == b.kwargs() &&
           (a.type() == b.type() || (a.type() && b.type() && a.type()->repr() == b.type()->repr()));
}

Message stepFailed(std::size_t number, const JsonValue& step, const Error& error) {
    const std::string_view name = textIn(step, "step");
    const MessageArgument place("number", number), reason("reason", error.what()),
        cause("cause", error.message().code());
    if (name.empty()) return Message("steps.failed", {place, reason, cause});
    return Message("steps.named_failed", {place, {"step", name}, reason, cause});
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

/// Updates the recorded values before a step that reads them, and at the end.
class ValueKeeper {
public:
    ValueKeeper(const GraphModule& model, TensorEngine* engine) : m_true(model), m_engine(engine) {}

    void before(const JsonValue& step, GraphModule& model) {
        static constexpr std::string_view kReaders[] = {"replace_pattern", "pass", "passes", "partition"};
        if (isOneOf(textIn(step, "step"), kReaders)) refresh(model);
    }
    void after(const JsonValue& step, const GraphModule& model) {
        if (isOneOf(textIn(step, "step"), {"pass", "passes", "quantize"})) m_true = model; // they update the values
    }
    void refresh(GraphModule& model) {
        for (ShapeFailure& failure : refreshValues(m_true, model, m_engine)) m_failures.push_back(std::move(failure));
        m_true = model;
    }
    Warnings warnings(const GraphModule& model) const { return unknownValueWarnings(m_failures, model.graph); }

private:
    GraphModule m_true; ///< the version whose values are true
    TensorEngine* m_engine;
    std::vector<ShapeFailure> m_failures;
};

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
               NewWeights weights, StepMemory* given, TensorEngine* engine, const Readers& readers) {
    const JsonValue name = json.needObject().find("step");
    if (!name.exists()) throw Error(ErrorKind::Refused, Message("steps.no_step", {{"known", joined(stepNames())}}));
    const StepKind* kind = kindNamed(name.asText());
    if (!kind)
        throw Error(ErrorKind::Refused,
                    Message("steps.unknown_step", {{"name", name.asText()}, {"known", joined(stepNames())}}));
    checkKeys(*kind, json);
    StepMemory alone;
    StepMemory& memory = given ? *given : alone;
    const bool mayBeShared = !memory.changesOneModule(model, json) && mayChangeSharedUse(model, json);
    const GraphModule before = mayBeShared ? model : GraphModule(); // makes the step copy what it changes
    kind->apply(Step{json, model, warnings, progress, memory, weights, engine, readers});
    memory.applied(model, json);
    if (mayBeShared) warnOfSharedUse(before, model, json, warnings);
}

EditEffect applySteps(GraphModule& model, const StepList& steps, const Progress& progress, TensorEngine* engine,
                      const Readers& readers) {
    return applyStepsNoting(model, steps, {}, progress, NewWeights::Drawn, engine, readers);
}

EditEffect applyStepsNoting(GraphModule& model, const StepList& steps, const NoteStep& note, const Progress& progress,
                            NewWeights weights, TensorEngine* engine, const Readers& readers) {
    requireChangeable(model);
    GraphModule edited = model;
    Warnings warnings;
    bool mayMissPaths = false;
    StepMemory memory;
    ValueKeeper values(model, engine);
    for (std::size_t i = 0; i < steps.size(); ++i) {
        progress.check();
        const GraphModule before = note ? edited : GraphModule(); // shares everything with it
        try {
            values.before(steps[i], edited);
            applyStep(edited, steps[i], warnings, progress, weights, &memory, engine, readers);
            values.after(steps[i], edited);
            mayMissPaths = mayMissPaths || kindNamed(steps[i].at("step").asText())->mayMissPaths;
        } catch (const Error& error) {
            // Whatever is wrong with a step, the step is refused.
            Error refusal(error.kind() == ErrorKind::Cancelled ? ErrorKind::Cancelled : ErrorKind::Refused,
                          stepFailed(i + 1, steps[i], error));
            refusal.where = error.where, refusal.textPlace = error.textPlace, refusal.node = error.node;
            refusal.modulePath = error.modulePath, refusal.source = error.source, refusal.hint = error.hint;
            refusal.commandLineHint = error.commandLineHint;
            if (const std::string about(textIn(steps[i], "node"));
                refusal.node.empty() && edited.graph.find(about) != kNoNode)
                refusal.node = about;
            throw refusal;
        }
        if (note) note(before, edited);
    }
    values.refresh(edited);
    for (Warning& warning : values.warnings(edited)) warnings.push_back(std::move(warning));
    EditEffect effect = compareVersions(model.graph, edited.graph);
    lintChange(model, edited, mayMissPaths);
    requireDefaults(model.graph, edited.graph);
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
