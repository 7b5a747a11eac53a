// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/session.h"
#include "app/cli/text_verb.h"
#include "app/cli/verbs.h"
#include "core/codegen/pytree_code.h"
#include "core/json/json_writer.h"

namespace app {
namespace {

std::string codeText(const fx::GraphModule& module) { return fx::generatePython(module).text; }

/// The text, the imports it needs, and the 0-based line of each node.
std::string codeJson(const fx::GraphModule& module) {
    const fx::PythonCode code = fx::generatePython(module);
    fx::JsonWriter out;
    out.beginObject(fx::JsonWriter::Layout::Lines);
    out.key("code").string(code.text).key("imports").string(code.imports).key("lines").beginObject();
    for (const fx::Node& node : module.graph.nodes())
        if (const auto line = code.nodeLines[fx::index(node.id())]; line >= 0) out.key(node.name()).integer(line);
    out.endObject().endObject();
    return out.text();
}

Action declareCode(CLI::App& cli) { return declareTextVerb(cli, codeText, codeJson); }

} // namespace

const Verb kCodeVerb = {"code", "print the Python code, as GraphModule.code",
                        "lancet code resources/samples/simple_net.pt", declareCode};

} // namespace app
