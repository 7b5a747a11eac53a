// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/python/recipe_python.h"

#include "core/edit/python/python_steps.h"

namespace fx {
namespace {

constexpr std::string_view kNodeFunction = R"(
    def node(name):
        return next(node for node in graph.nodes if node.name == name)

)";

/// How the main part loads the model and saves it: PyTorch knows two of the formats.
std::string mainPart(const GraphModule& model, std::string_view modelPath) {
    const bool exported = model.format == Format::Pt2;
    const bool loadable = (exported || model.format == Format::GraphModule) && !modelPath.empty() && modelPath != "-";
    std::string out = "\n\nif __name__ == \"__main__\":\n";
    out += loadable ? "    path = sys.argv[1] if len(sys.argv) > 1 else " + PythonScript::quoted(modelPath) + "\n"
                    : std::string("    path = sys.argv[1]  # a file of torch.save: lancet convert MODEL -o model.pt\n");
    if (exported)
        return out + "    program = torch.export.load(path)\n    print(edit(program).code)\n"
                     "    if len(sys.argv) > 2:\n        torch.export.save(program, sys.argv[2])\n";
    return out + "    model = edit(torch.load(path, weights_only=False))\n    print(model.code)\n"
                 "    if len(sys.argv) > 2:\n        torch.save(model, sys.argv[2])\n";
}

std::string assembled(const GraphModule& model, const PythonScript& script, std::string_view modelPath) {
    const bool exported = model.format == Format::Pt2;
    std::string out = "# Steps of lancet as torch.fx does them.\n#     python THIS_FILE [MODEL [OUT]]\n";
    for (const std::string& line : script.imports) out += line + "\n";
    out += script.functions;
    out += exported ? "\n\ndef edit(program):\n    \"\"\"Edits the graph of an exported program in place.\"\"\"\n    "
                      "gm = program.graph_module\n"
                    : "\n\ndef edit(gm):\n    \"\"\"Edits a GraphModule in place.\"\"\"\n";
    out += "    graph = gm.graph\n" + std::string(kNodeFunction) + script.body;
    return out + "    graph.lint()\n    gm.recompile()\n    return gm\n" + mainPart(model, modelPath);
}

} // namespace

std::string recipePython(const GraphModule& model, const StepList& steps, std::string_view modelPath,
                         const Progress& progress, const FilePaths& carried, const Readers& readers) {
    GraphModule whole = model;
    applySteps(whole, steps, progress, nullptr, readers); // refuses what cannot be done, and says which step
    PythonScript script;
    script.carried = carried;
    GraphModule current = model;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        progress.check();
        const GraphModule before = current;
        Warnings warnings;
        applyStep(current, steps[i], warnings, progress, NewWeights::Drawn, nullptr, nullptr, readers);
        writePythonStep({steps[i], before, current, script, i + 1, readers});
    }
    return assembled(model, script, modelPath);
}

} // namespace fx
