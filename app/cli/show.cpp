// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/show.h"

#include "app/cli/verb.h"
#include "core/codegen/python_code.h"
#include "core/codegen/tabular.h"
#include "core/ir/print.h"

namespace app {

void declareShow(CLI::App& cli, std::string& show) {
    oneOf(cli.add_option("--show", show, "print the result as code, graph or table"), {"code", "graph", "tabular"});
}

std::string shownText(const fx::GraphModule& module, const std::string& show) {
    if (show == "graph") return fx::graphText(module.graph);
    if (show == "tabular") return fx::tabularText(module.graph);
    return fx::generatePython(module.graph).text;
}

} // namespace app
