// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/python_code.h"
#include "core/io/pt2/pt2_graph.h"
#include "core/ir/lint.h"
#include "core/ir/print.h"

using namespace fx;

/// The input is what an archive has as models/NAME.json.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        const auto document = JsonDocument::parse(std::string(reinterpret_cast<const char*>(data), size));
        GraphModule module;
        const Progress progress;
        Pt2Context context(progress);
        Pt2GraphBuilder(module, context).build(document->root().at("graph_module").at("graph"));
        (void)graphText(module.graph);
        (void)lint(module.graph);
        (void)generatePython(module.graph);
    } catch (const Error&) {}
    return 0;
}
