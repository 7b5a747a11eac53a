// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/tabular.h"

#include "app/cli/session.h"
#include "app/cli/text_verb.h"
#include "app/cli/verbs.h"
#include "core/json/json_writer.h"

namespace app {
namespace {

std::string tableText(const fx::GraphModule& module) { return fx::tabularText(module.graph); }

/// `{"headers": [...], "rows": [[...]]}`, the cells as in the table.
std::string tableJson(const fx::GraphModule& module) {
    fx::JsonWriter out;
    out.beginObject(fx::JsonWriter::Layout::Lines).key("headers").beginArray();
    for (const char* header : fx::kTabularHeaders) out.string(header);
    out.endArray().key("rows").beginArray(fx::JsonWriter::Layout::Lines);
    for (const fx::Node& node : module.graph.nodes()) {
        out.beginArray();
        for (const std::string& cell : fx::tabularRow(module.graph, node)) out.string(cell);
        out.endArray();
    }
    out.endArray().endObject();
    return out.text();
}

Action declareTabular(CLI::App& cli) { return declareTextVerb(cli, tableText, tableJson); }

} // namespace

const Verb kTabularVerb = {"tabular", "print the nodes as a table, as Graph.print_tabular()",
                           "lancet tabular resources/samples/simple_net.pt", declareTabular};

} // namespace app
