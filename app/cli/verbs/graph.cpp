// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/session.h"
#include "app/cli/text_verb.h"
#include "app/cli/verbs.h"
#include "core/codegen/graph_json.h"
#include "core/ir/print.h"

namespace app {
namespace {

std::string graphJson(const fx::GraphModule& module) {
    fx::JsonWriter json;
    fx::writeGraph(json, module.graph);
    return json.text();
}

std::string graphText(const fx::GraphModule& module) { return fx::graphText(module.graph); }

Action declareGraph(CLI::App& cli) { return declareTextVerb(cli, graphText, graphJson); }

} // namespace

const Verb kGraphVerb = {"graph", "print the graph, as str(graph) in torch.fx",
                         "lancet graph resources/samples/my_module.pt", declareGraph};

} // namespace app
