// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/after_loading.h"

#include "core/codegen/computed_text.h"
#include "core/codegen/python_code.h"
#include "core/io/graphmodule/graphmodule_writer.h"
#include "core/io/graphmodule/loaded_root.h"
#include "core/module/computed_reads.h"
#include "core/module/module_editor.h"
#include "core/pysrc/expression_names.h"
#include "core/trace/tracer_classes.h"

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>

namespace fx {
namespace {

/// The text that computes a constant that only loading the file computes; empty for other nodes.
std::string computation(PathResolver& paths, const Node& node) {
    if (node.op() != Op::GetAttr) return {};
    const TensorPtr tensor = paths.resolve(node.target()).tensor;
    return tensor && tensor->storage && tensor->storage->isExpression() ? tensor->storage->expressionSource()
                                                                        : std::string();
}

/// Why loading the file would not compute what a constant reads of the model; nullopt: it would.
std::optional<Message> cannotBeRead(PathResolver& paths, const std::string& read, bool parametersAreValues) {
    const auto [target, path] = readTarget(paths, read);
    if (!target.tensor) return Message("saving.tensor_gone", {{"path", path}});
    if (target.tensor->isParameter && !parametersAreValues) return Message("saving.parameter", {{"path", path}});
    if (target.tensor->storage && target.tensor->storage->isExpression())
        return Message("saving.computed_itself", {{"path", path}});
    return std::nullopt;
}

/// Writes statements that compute constants in the place of those that read them.
class Recomputed {
public:
    explicit Recomputed(const GraphModule& module)
        : m_graph(module.graph), m_paths(*module.root),
          m_parametersAreValues(trace::tracerClass(module.tracerClass).readsValues) {
        std::unordered_map<std::string, int> reads;
        for (const Node& node : m_graph.nodes())
            if (node.op() == Op::GetAttr && ++reads[node.target()] == 2) m_shared.emplace(node.target(), std::string());
    }

    /// The statement of a node, as the file has to have it.
    std::string statement(const Node& node, std::string text) {
        std::string source = computation(m_paths, node);
        if (source.empty()) return text;
        try {
            requireComputation(source);
        } catch (Error& error) { throw error.onNode(node.name()); }
        py::ExpressionNames names = namesOf(node, source);
        if (const std::string reader = readerOf(m_paths, node.target(), names.reads);
            !reader.empty() && !names.reads.empty()) {
            source = py::seenFromAbove(std::move(source), reader);
            names = namesOf(node, source);
        }
        for (const std::string& read : names.reads)
            if (const auto why = cannotBeRead(m_paths, read, m_parametersAreValues)) refuse(node, *why);
        if (!names.reads.empty()) checkFree(node, "self");
        for (const std::string& name : names.names) {
            const auto import = importLine(name);
            if (!import) refuse(node, Message("saving.uses_name", {{"name", name}}));
            if (name != "torch" && !import->starts_with("from "))
                checkFree(node, name); // those are no variable's in any generated code
            m_imports.insert(*import);
        }
        if (const auto shared = m_shared.find(node.target()); shared != m_shared.end())
            return sharedStatement(text, source, shared->second);
        return withValue(std::move(text), source);
    }

    void addImports(std::string& imports) const {
        const auto has = [&imports](const std::string& line) {
            return ("\n" + imports + "\n").find("\n" + line + "\n") != std::string::npos;
        };
        for (const std::string& import : m_imports)
            if (!import.empty() && !has(import)) imports += (imports.empty() ? "" : "\n") + import;
    }

private:
    /// `name = self.constant;  other = None` with another value.
    static std::string withValue(std::string text, const std::string& value) {
        const std::size_t start = text.find(" = ") + 3;
        return text.replace(start, std::min(text.find(";  ", start), text.size()) - start, value);
    }

    /// A constant that several nodes read is one tensor: computed once, into a variable that no node has.
    std::string sharedStatement(const std::string& text, const std::string& source, std::string& variable) const {
        std::string made;
        if (variable.empty()) {
            const std::size_t indent = text.find_first_not_of(' ');
            variable = text.substr(indent, text.find_first_of(" :", indent) - indent) + "_value";
            while (m_graph.find(variable) != kNoNode) variable += '_';
            made = text.substr(0, indent) + variable + " = " + source + "\n";
        }
        return made + withValue(text, variable);
    }

    [[noreturn]] static void refuse(const Node& node, const Message& why) {
        throw Error(ErrorKind::Refused,
                    Message("saving.constant", {{"node", node.name()}, {"reason", why.text()}, {"cause", why.code()}}))
            .onNode(node.name());
    }
    static py::ExpressionNames namesOf(const Node& node, const std::string& source) {
        try {
            return py::namesIn(source);
        } catch (const Error&) { refuse(node, Message("saving.unknown_source")); }
    }
    /// A variable of the function would hide what the text means.
    void checkFree(const Node& node, const std::string& name) const {
        if (m_graph.find(name) != kNoNode) refuse(node, Message("saving.name_taken", {{"name", name}}));
    }

    const Graph& m_graph;
    PathResolver m_paths;
    bool m_parametersAreValues; ///< when PyTorch traces the file again
    std::set<std::string> m_imports;
    std::unordered_map<std::string, std::string>
        m_shared; ///< constants that several nodes read: the variables that hold them
};

} // namespace

SavedCode codeForSaving(const GraphModule& module) {
    const PythonCode code = generatePython(module.graph);
    SavedCode saved{code.imports, {}};
    saved.text.reserve(code.text.size());
    Recomputed constants(module);
    std::size_t line = 0, start = 0;
    for (std::size_t end; start < code.text.size(); start = end + 1, ++line) {
        end = std::min(code.text.find('\n', start), code.text.size());
        const std::string_view text = std::string_view(code.text).substr(start, end - start);
        const NodeId id = line < code.lineNodes.size() ? code.lineNodes[line] : kNoNode;
        const Node* node = id == kNoNode ? nullptr : &module.graph.node(id);
        if (node && node->op() == Op::GetAttr) saved.text += constants.statement(*node, std::string(text));
        else saved.text += text;
        if (end < code.text.size()) saved.text += '\n';
    }
    constants.addImports(saved.imports);
    return saved;
}

namespace {

/// Makes a GraphModule what PyTorch has after loading it; those inside are so already.
void reload(GraphModule& module, const SavedCode& code, bool isNew, const Retrace& follow = retraceSavedCode) {
    module.tracerClass = savedTracer(module, isNew);
    module.root = std::make_shared<Module>(*module.root);
    std::erase_if(module.root->buffers, [](const auto& slot) {
        return slot.tensor && slot.tensor->storage && slot.tensor->storage->isExpression();
    });
    follow(module, code.imports, code.text, {});
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
        if (!nested->root->attribute("_graphmodule_cls_name"))
            nested->className = "GraphModule"; // torch.save does not tell the class
        reload(*nested, code, isNewIn(model, *module));
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

GraphModule afterLoading(const GraphModule& model, const GenerateCode& generate, const Retrace& follow) {
    const SavedCode code = generate(model);
    GraphModule loaded = model;
    loaded.warnings.clear();
    loaded.notLoadable = false;
    reloadNested(loaded);
    const bool isNew = isNewIn(model, *model.root);
    reload(loaded, code, isNew, follow);
    if (isNew) { // a GraphModule that the file makes new
        loaded.className = loaded.root->className =
            model.root->className.empty() ? "GraphModule" : model.root->className;
        loaded.root->classModule = "torch.fx.graph_module";
        if (savesClassName(model, *model.root))
            loaded.root->attributes.emplace(loaded.root->attributes.begin(), "_graphmodule_cls_name",
                                            Argument(loaded.className));
    }
    return loaded;
}

} // namespace fx
