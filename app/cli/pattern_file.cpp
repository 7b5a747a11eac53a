// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/pattern_file.h"

#include "core/codegen/graph_json.h"
#include "core/edit/match_condition.h"
#include "core/edit/steps/pattern_step.h"
#include "core/files/read_text.h"
#include "core/python/tracing/trace_definition.h"

namespace app {

PatternFile openPattern(Session& session, const fx::GraphModule& model, const std::string& path,
                        const std::string& name, bool isFallback) {
    const auto python = path.rfind(".py");
    const bool isSource = python != std::string::npos && (python + 3 == path.size() || path[python + 3] == ':');
    const auto keepsWeights = [](fx::SourceOptions& source) { source.weightsFiles.clear(); }; // they are the model's
    if (!isSource) return {session.openWarning(path, fx::NewWeights::Drawn, keepsWeights), true, {}};
    const std::string file = path.substr(0, python + 3);
    const std::string source = fx::readTextFile(file);
    try {
        const bool named = python + 4 < path.size();
        fx::SourceDefinition wanted =
            named ? fx::SourceDefinition{path.substr(python + 4), false} : fx::mainDefinition(source, name);
        const auto definitions = fx::definitionsOfSource(source);
        for (const fx::SourceDefinition& each : definitions)
            if (each.name == wanted.name) wanted = each;
        if (!named && isFallback && wanted.name != name)
            throw fx::Error(fx::ErrorKind::Usage, fx::Message("cli.not_defined", {{"name", name}}));
        fx::DefinitionSettings settings;
        settings.needsValues = name == "replacement";
        settings.known = fx::functionNames(model);
        settings.progress = session.progress();
        settings.reader = session.readers().python.get();
        fx::NewModules newModules;
        settings.newModules = &newModules;
        const auto traced = std::make_shared<const fx::GraphModule>(fx::traceDefinition(source, wanted, settings));
        for (const fx::Node& node : traced->graph.nodes())
            if (node.op() == fx::Op::CallFunction && node.callable()->opaque)
                session.warn({fx::Message("cli.unknown_function", {{"kind", name}, {"target", node.target()}}),
                              node.name(),
                              {},
                              {}});
        return {traced, wanted.isClass, std::move(newModules)};
    } catch (fx::Error& error) { throw error.in(file); }
}

void MatchFlags::declare(CLI::App& cli) {
    cli.add_flag("--ignore-literals", ignoreLiterals, "match numbers and other literals of any value");
    cli.add_flag("--commutative", commutative, "let a + b also match b + a, unlike torch.fx");
    cli.add_option("--relax", relax,
                   "accept this difference, as proposed by match --explain: target:NODE=TARGET, argument:NODE=KEY, "
                   "users:NODE, optional:NODE, ...")
        ->type_name("WHAT")
        ->take_all();
    cli.add_option(
           "--filter", filters,
           "keep only matches that satisfy a condition, e.g. '{\"node\": \"relu\", \"users\": 1}' (docs/cli/match.md)")
        ->type_name("JSON")
        ->take_all();
}

void MatchFlags::apply(fx::MatcherOptions& options, const fx::Graph& pattern) const {
    options.ignoreLiterals |= ignoreLiterals;
    options.relaxations.commutative |= commutative;
    for (const std::string& text : relax) fx::relax(options, fx::parseRelaxations(pattern, text));
}

std::vector<fx::MatchFilter> MatchFlags::matchFilters(const fx::GraphModule& pattern,
                                                      const std::shared_ptr<std::size_t>& unknown) const {
    std::vector<fx::MatchFilter> all;
    for (const std::string& text : filters) {
        try {
            all.push_back(fx::MatchCondition::parseText(text, pattern).filter(unknown));
        } catch (fx::Error& error) {
            throw fx::Error(fx::ErrorKind::Usage, error.message()).at(error.where).hinting(error.hint);
        }
    }
    return all;
}

void writeBinding(fx::JsonWriter& json, const fx::Graph& graph, const fx::Binding& binding) {
    if (!binding.modulePath.empty()) {
        json.beginObject().key("module").string(binding.modulePath).endObject();
    } else if (binding.value.isNode()) {
        json.string(graph.node(binding.value.node()).name());
    } else {
        json.beginObject().key("literal");
        fx::writeArgument(json, graph, binding.value);
        json.endObject();
    }
}

} // namespace app
