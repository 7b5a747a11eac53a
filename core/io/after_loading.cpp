// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/after_loading.h"

#include "core/codegen/python_code.h"
#include "core/io/graphmodule/graphmodule_reader.h"
#include "core/io/graphmodule/loaded_root.h"
#include "core/module/module_editor.h"
#include "core/trace/retrace.h"

namespace fx {
namespace {

/// The text that computes a constant that only loading the file computes; empty for other nodes.
std::string computation(PathResolver& paths, const Node& node) {
    if (node.op() != Op::GetAttr) return {};
    const TensorPtr tensor = paths.resolve(node.target()).tensor;
    return tensor && tensor->storage && tensor->storage->isExpression() ? tensor->storage->expressionSource() : std::string();
}

} // namespace

SavedCode codeForSaving(const GraphModule& module) {
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

namespace {

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
        const SavedCode code = codeForSaving(*nested);
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

} // namespace

GraphModule afterLoading(const GraphModule& model) {
    const SavedCode code = codeForSaving(model);
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

} // namespace fx
