// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/steps/pattern_step.h"

#include "core/edit/match_condition.h"
#include "core/match/relaxation.h"
#include "core/python/tracing/trace_definition.h"

#include <algorithm>
#include <set>
#include <unordered_set>

namespace fx {
namespace {

/// Takes the matches whose anchor has one of these names.
MatchFilter anchoredAt(const JsonValue& names) {
    std::set<std::string> wanted;
    for (const JsonValue name : names.needArray()) wanted.emplace(name.asText());
    return [wanted = std::move(wanted)](const InternalMatch& match, const GraphModule& target, const GraphModule&) {
        return std::any_of(match.anchors.begin(), match.anchors.end(), [&](NodeId anchor) {
            const Binding* bound = match.find(anchor);
            return bound && bound->value.isNode() && wanted.contains(target.graph.node(bound->value.node()).name());
        });
    };
}

void readOption(const JsonValue& option, PatternStep& step, MatcherOptions& matching) {
    if (option.key() == "ignore_literals") matching.ignoreLiterals |= option.asBool();
    else if (option.key() == "commutative") matching.relaxations.commutative |= option.asBool();
    else if (option.key() == "node_name_match") step.options.nodeNameMatch = option.asText();
    else if (option.key() == "only") step.options.filters.push_back(anchoredAt(option));
    else if (option.key() == "filter")
        step.options.filters.push_back(MatchCondition::parse(option, step.pattern).filter(step.unknown));
    else if (option.key() == "relax")
        for (const JsonValue each : option.needArray())
            relax(matching, parseRelaxations(step.pattern.graph, each.asText()));
    else if (option.key() == "seed") step.seed = static_cast<std::uint64_t>(option.asInt());
    else throw Error(ErrorKind::Refused, Message("edit.pattern_option", {{"name", option.key()}}));
}

} // namespace

ops::KnownFunction functionsOf(const GraphModule& model) {
    return [graph = model.graph](std::string_view name) { // asked only about what PyTorch lacks
        for (const Node& node : graph.nodes())
            if (node.target() == name) return true;
        return false;
    };
}

std::vector<std::string> functionNames(const GraphModule& model) {
    std::vector<std::string> out;
    std::unordered_set<std::string_view> seen;
    for (const Node& node : model.graph.nodes())
        if ((node.op() == Op::CallFunction || node.op() == Op::CallMethod) && seen.insert(node.target()).second)
            out.push_back(node.target());
    return out;
}

std::unique_ptr<PatternStep> readPatternStep(const JsonValue& json, const GraphModule& model, const Progress& progress,
                                             const Readers& readers) {
    auto step = std::make_unique<PatternStep>();
    const auto traced = [&](const char* key, bool isReplacement) {
        const std::string source(json.at(key).asText());
        const SourceDefinition definition = mainDefinition(source, key);
        DefinitionSettings settings;
        settings.needsValues = isReplacement;
        settings.known = functionNames(model);
        settings.progress = progress;
        settings.reader = readers.python.get();
        if (isReplacement)
            settings.newModules = &step->newModules, step->options.replacementIsModule = definition.isClass;
        return traceDefinition(source, definition, settings);
    };
    step->pattern = traced("pattern", false);
    step->replacement = traced("replacement", true);
    MatcherOptions matching;
    if (const JsonValue options = json.find("options"); options.exists())
        for (const JsonValue option : options.needObject()) readOption(option, *step, matching);
    if (!matching.removeOverlapping) throw Error(ErrorKind::Refused, Message("edit.overlapping_matches"));
    step->options.ignoreLiterals = matching.ignoreLiterals;
    step->options.relaxations = matching.relaxations;
    return step;
}

void makeNewModules(RewriteOptions& options, const NewModules& newModules, TorchGenerator& random) {
    for (const auto& [path, module] : newModules) options.newModules.insert(path);
    options.makeModule = [&newModules, &random](const std::string& called, const std::string&) {
        const auto found =
            std::find_if(newModules.begin(), newModules.end(), [&](const auto& item) { return item.first == called; });
        return found->second.make(random);
    };
}

void replacePatternStep(const Step& step) {
    const auto what = readPatternStep(step.json, step.model, step.progress, step.readers);
    TorchGenerator random(what->seed, step.weights, step.progress);
    makeNewModules(what->options, what->newModules, random);
    std::size_t givenUp = 0;
    what->options.givenUp = &givenUp;
    if (replacePattern(step.model, what->pattern, what->replacement, what->options, step.progress).empty())
        step.warnings.push_back({Message("edit.no_match"), {}, {}, {}});
    if (givenUp) step.warnings.push_back(gaveUp(givenUp));
    if (*what->unknown) step.warnings.push_back(MatchCondition::unknownWarning(*what->unknown));
}

} // namespace fx
