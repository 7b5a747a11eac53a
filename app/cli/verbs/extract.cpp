// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/extract.h"
#include "app/cli/save.h"
#include "app/cli/show.h"
#include "app/cli/text_verb.h"
#include "app/cli/verbs.h"
#include "core/base/counted.h"
#include "core/codegen/graph_json.h"

namespace app {
namespace {

struct ExtractOptions {
    std::vector<std::string> nodes;
    SaveRequest save;
    std::string show;
};

std::vector<fx::NodeId> idsOf(const fx::Graph& graph, const std::vector<std::string>& names) {
    std::vector<fx::NodeId> ids;
    for (const std::string& name : names) {
        ids.push_back(graph.find(name));
        if (ids.back() == fx::kNoNode)
            throw fx::Error(fx::ErrorKind::Refused, fx::Message("cli.unknown_node", {{"name", name}})).onNode(name);
    }
    return ids;
}

std::string resultJson(const fx::Graph& graph, const std::vector<std::string>& outputs, const ExtractOptions& options,
                       bool verified, const fx::Warnings& warnings) {
    fx::JsonWriter json;
    json.beginObject(fx::JsonWriter::Layout::Lines).key("nodes").beginArray();
    for (const fx::Node& node : graph.nodes())
        if (node.op() != fx::Op::Placeholder && node.op() != fx::Op::Output) json.string(node.name());
    json.endArray().key("inputs").beginArray();
    for (const fx::Node& node : graph.nodes())
        if (node.op() == fx::Op::Placeholder) json.string(node.name());
    json.endArray().key("outputs").strings(outputs).key("written");
    fx::writeTextOrNull(json, options.save.output);
    json.key("verified").boolean(verified);
    writeWarnings(json, warnings);
    return json.endObject().text();
}

int extract(Session& session, const ExtractOptions& options) {
    if (!options.save.output.empty()) checkOutput(options.save.output);
    const auto whole = session.json() ? session.open(options.save.model) : session.openWarning(options.save.model);
    const fx::Extracted part = fx::extractNodes(*whole, idsOf(whole->graph, options.nodes));
    const bool verified = !options.save.output.empty() && saveModel(session, part.model, options.save);
    std::vector<std::string> outputs;
    for (const fx::NodeId id : part.outputs) outputs.push_back(whole->graph.node(id).name());
    if (session.json())
        session.printLine(resultJson(part.model.graph, outputs, options, verified, session.andTold(whole->warnings)));
    else if (!options.show.empty()) session.printExact(shownText(part.model, options.show));
    else
        session.printLine(fx::counted(part.model.graph.size() - part.inputs.size() - 1, "node", "nodes") + ", " +
                          fx::counted(part.inputs.size(), "input", "inputs") + ", " +
                          fx::counted(outputs.size(), "output", "outputs"));
    return kDone;
}

Action declareExtract(CLI::App& cli) {
    auto options = std::make_shared<ExtractOptions>();
    declareModel(cli, options->save.model);
    cli.add_option("--nodes", options->nodes, "node names, separated by commas; repeatable")
        ->required()
        ->delimiter(',')
        ->type_name("a,b,...");
    options->save.declare(cli, Writes::Model);
    declareShow(cli, options->show);
    return [options](Session& session) { return extract(session, *options); };
}

} // namespace

const Verb kExtractVerb = {"extract", "save some nodes as a model of their own",
                           "lancet extract resources/samples/simple_net.pt --nodes linear,relu --show code",
                           declareExtract};

} // namespace app
