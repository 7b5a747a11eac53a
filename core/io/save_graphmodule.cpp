// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/save_graphmodule.h"

#include "core/codegen/python_code.h"
#include "core/io/graphmodule/folder_writer.h"
#include "core/io/graphmodule/graphmodule_reader.h"
#include "core/io/graphmodule/graphmodule_writer.h"
#include "core/io/graphmodule/loaded_root.h"
#include "core/io/open.h"
#include "core/io/verify/compare_models.h"
#include "core/module/module_editor.h"
#include "core/trace/retrace.h"

namespace fx {
namespace {

constexpr std::size_t kShownNames = 5;

/// The text that computes a constant that only loading the file computes; empty for other nodes.
std::string computation(PathResolver& paths, const Node& node) {
    if (node.op() != Op::GetAttr) return {};
    const TensorPtr tensor = paths.resolve(node.target()).tensor;
    return tensor && tensor->storage && tensor->storage->isExpression() ? tensor->storage->expressionSource() : std::string();
}

/// Code for the file: constants that were not evaluated are computed by the code again, as in the file they came from.
SavedCode codeFor(const GraphModule& module) {
    const PythonCode code = generatePython(module.graph);
    SavedCode saved{code.imports, {}};
    PathResolver paths(*module.root);
    bool computes = false;
    std::size_t line = 0, start = 0;
    for (std::size_t end; start < code.text.size(); start = end + 1, ++line) {
        end = std::min(code.text.find('\n', start), code.text.size());
        std::string text = code.text.substr(start, end - start);
        if (const NodeId id = line < code.lineNodes.size() ? code.lineNodes[line] : kNoNode; id != kNoNode)
            if (const std::string source = computation(paths, module.graph.node(id)); !source.empty()) {
                if (source.find("<tensor>") != std::string::npos)
                    throw Error(ErrorKind::Refused, "the constant " + module.graph.node(id).name() + " is computed from a tensor of the file while it loads, which an edited graph cannot repeat")
                        .onNode(module.graph.node(id).name())
                        .hinting("save it once with PyTorch, which stores the value");
                const std::string read = "self." + module.graph.node(id).target();
                if (const auto at = text.find(read); at != std::string::npos) text.replace(at, read.size(), source), computes = true;
            }
        saved.text += text;
        if (end < code.text.size()) saved.text += '\n';
    }
    if (computes)
        for (const char* import : {"import math", "import operator", "import torch"})
            if (saved.imports.find(import) == std::string::npos) saved.imports += (saved.imports.empty() ? "" : "\n") + std::string(import);
    return saved;
}

/// The names that tracing again changes.
void noteNames(const Graph& before, const Graph& after, Warnings& warnings) {
    std::string changed;
    std::size_t count = 0;
    NodeId a = before.first(), b = after.first();
    for (; a != kNoNode && b != kNoNode; a = before.next(a), b = after.next(b)) {
        if (before.node(a).name() == after.node(b).name()) continue;
        if (++count <= kShownNames) changed += (changed.empty() ? "" : ", ") + before.node(a).name() + " becomes " + after.node(b).name();
    }
    if (before.size() != after.size())
        warnings.push_back({"PyTorch traces the code again when it loads the file: its graph will have " + std::to_string(after.size()) + " nodes instead of " + std::to_string(before.size()), {}, {}, {}});
    else if (count > 0)
        warnings.push_back({"PyTorch names nodes anew when it loads the file: " + changed + (count > kShownNames ? " and " + std::to_string(count - kShownNames) + " more" : ""), {}, {}, {}});
}

/// Makes a GraphModule what PyTorch has after loading it; those inside are so already.
void reload(GraphModule& module, const SavedCode& code) {
    module.root = std::make_shared<Module>(*module.root);
    std::erase_if(module.root->buffers, [](const auto& slot) { return slot.tensor && slot.tensor->storage && slot.tensor->storage->isExpression(); });
    retraceSavedCode(module, code.imports, code.text);
    applyLoad(module);
}

/// GraphModules inside that are new or edited are traced again as well, inner ones first.
void reloadNested(GraphModule& model) {
    std::vector<std::string> paths;
    forEachModule(*model.root, [&](const std::string& path, const Module& module) {
        if (!path.empty() && module.graphModule && !keptCode(model, module)) paths.push_back(path);
    });
    for (auto path = paths.rbegin(); path != paths.rend(); ++path) {
        ModuleEditor editor(model);
        Module* module = editor.writable(*path);
        auto nested = std::make_shared<GraphModule>(*module->graphModule);
        const SavedCode code = codeFor(*nested);
        if (!nested->root->attribute("_graphmodule_cls_name")) nested->className = "GraphModule"; // torch.save does not tell the class
        reload(*nested, code);
        model.notLoadable |= nested->notLoadable;
        for (Warning& warning : nested->warnings) {
            warning.modulePath = *path + (warning.modulePath.empty() ? "" : "." + warning.modulePath);
            model.warnings.push_back(std::move(warning));
        }
        nested->warnings.clear();
        *module = *nested->root;
        module->graphModule = std::move(nested);
    }
}

/// The model that PyTorch has after loading the file.
GraphModule afterLoading(const GraphModule& model, const SavedCode& code) {
    GraphModule loaded = model;
    loaded.warnings.clear();
    loaded.notLoadable = false;
    reloadNested(loaded);
    reload(loaded, code);
    const auto* origin = dynamic_cast<const GraphModuleOrigin*>(model.origin.get());
    if (!origin || model.root->origin < 0) { // a GraphModule that the file makes new
        loaded.className = loaded.root->className = model.root->className.empty() ? "GraphModule" : model.root->className;
        loaded.root->classModule = "torch.fx.graph_module";
        if (savesClassName(model, *model.root)) loaded.root->attributes.emplace(loaded.root->attributes.begin(), "_graphmodule_cls_name", Argument(loaded.className));
    }
    return loaded;
}

using Write = Warnings (*)(const GraphModule& model, const std::string& path, const GenerateCode& generate, const Progress& progress);

SaveReport saveAndCompare(const GraphModule& model, const std::string& path, bool verify, const Progress& progress, Write write, TreeComparison trees) {
    // What was loaded and not edited is what loading it again gives.
    const bool edited = !keptCode(model);
    const GraphModule loaded = edited ? afterLoading(model, codeFor(model)) : model;
    SaveReport report;
    if (edited) report.warnings = loaded.warnings;
    noteNames(model.graph, loaded.graph, report.warnings);
    Warnings written = write(model, path, codeFor, progress);
    report.warnings.insert(report.warnings.end(), written.begin(), written.end());
    if (!verify) return report;
    requireSame(loaded, *openModel(path, {}, progress), path, progress, trees);
    report.verified = true;
    return report;
}

} // namespace

SaveReport saveGraphModule(const GraphModule& model, const std::string& path, bool verify, const Progress& progress) {
    return saveAndCompare(model, path, verify, progress, writeGraphModule, TreeComparison::Modules);
}

SaveReport saveFolder(const GraphModule& model, const std::string& folder, bool verify, const Progress& progress) {
    const std::string lost = lostInFolder(*model.root);
    SaveReport report = saveAndCompare(model, folder, verify && lost.empty(), progress, writeFolder, TreeComparison::TensorsByPath);
    if (!lost.empty()) report.warnings.push_back({lost + " (so what was written was not compared)", {}, {}, {}});
    return report;
}

} // namespace fx
