// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/hidden_names.h"

#include "core/base/one_of.h"
#include "core/codegen/code_names.h"
#include "core/io/graphmodule/graphmodule_writer.h"
#include "core/ops/reach.h"
#include "core/pysrc/source_tree.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace fx {
namespace {

/// A graph that is written, and the code that it was loaded from if that is written again.
struct WrittenGraph {
    const GraphModule* module;
    std::optional<SavedCode> kept;
};

/// The model's own graph first, then those of its modules and subgraphs, each once.
std::vector<WrittenGraph> writtenGraphs(const GraphModule& model, bool keepsCode) {
    std::vector<WrittenGraph> graphs{{&model, keepsCode ? keptCode(model) : std::nullopt}};
    std::unordered_set<const GraphModule*> met{&model};
    const auto add = [&](const GraphModule* graph, std::optional<SavedCode> kept) {
        if (met.insert(graph).second) graphs.push_back({graph, std::move(kept)});
    };
    forEachModule(*model.root, [&](const std::string&, const Module& module) {
        if (module.graphModule) add(module.graphModule.get(), keepsCode ? keptCode(model, module) : std::nullopt);
    });
    for (std::size_t i = 0; i < graphs.size(); ++i)
        for (const auto& subgraphs = graphs[i].module->subgraphs; const auto& [name, subgraph] : subgraphs)
            add(subgraph.get(), std::nullopt);
    return graphs;
}

/// Whether PyTorch imports the module anyway, or importing it does nothing else.
bool isPlainImport(std::string_view object) {
    static constexpr std::string_view kModules[] = {
        "_operator", "builtins",  "collections", "dataclasses", "datetime", "decimal",
        "enum",      "fractions", "functools",   "itertools",   "math",     "numbers",
        "numpy",     "operator",  "torch",       "types",       "typing",   "typing_extensions"};
    // `import torch` imports these; others, such as torch.utils.benchmark, import compilers and test frameworks.
    static constexpr std::string_view kOfTorch[] = {"_C", "ao", "autograd", "distributions", "fx", "jit", "nn", "ops"};
    const std::size_t dot = object.find('.');
    const std::string_view top = object.substr(0, dot);
    if (!isOneOf(top, kModules) || ops::reachesOutside(object)) return false;
    if (top != "torch" || dot == object.npos) return true;
    const std::size_t next = object.find('.', dot + 1);
    if (object == "torch.utils._pytree") return true; // all code of torch.fx has it
    return next == object.npos || isOneOf(object.substr(dot + 1, next - dot - 1), kOfTorch);
}

/// "mypkg.f" for `from mypkg import f as g`, "mypkg" for `import mypkg`.
std::vector<std::string> importsIn(const std::string& source) {
    std::vector<std::string> objects;
    if (source.find("import") == std::string::npos) return objects;
    const py::SourceTree tree(source);
    for (std::size_t at = 0; at < tree.size(); ++at) {
        const bool isFrom = tree[at].kind == py::StmtKind::ImportFrom;
        if (!isFrom && tree[at].kind != py::StmtKind::Import) continue;
        for (const py::ImportedName& imported : tree[at].imports)
            objects.push_back((isFrom ? std::string(tree[at].text) + "." : "") + std::string(imported.name));
    }
    return objects;
}

class Finder {
public:
    explicit Finder(const GraphModule& model) : m_model(model) {}

    void look(const WrittenGraph& graph) {
        m_graph = &graph.module->graph;
        m_shown.clear();
        for (const Node& node : m_graph->nodes())
            if (node.op() == Op::CallFunction && m_shown.insert(node.target()).second)
                m_shown.insert(node.callable()->module + "." + node.callable()->name);
        if (graph.kept) {
            for (const std::string* source : {&graph.kept->imports, &graph.kept->text})
                for (const std::string& object : importsIn(*source)) imported(object, kNoNode);
            return;
        }
        CodeNames names;
        (void)generatePython(*m_graph, names);
        for (const auto& [name, node] : names.tupleClasses) add(found.calls, name, node), m_shown.insert(name);
        for (const CodeGlobal& global : names.globals) imported(global.object, global.node);
    }

    HiddenNames found;

private:
    void imported(const std::string& object, NodeId node) {
        if (!object.empty() && !m_shown.contains(object) && !isPlainImport(object)) add(found.imports, object, node);
    }
    void add(NamedBy& kind, const std::string& name, NodeId node) {
        if (m_met.insert(name).second) kind.names.push_back(name);
        if (node != kNoNode && m_graph == &m_model.graph) kind.nodes.push_back(m_graph->node(node).name());
    }

    const GraphModule& m_model;
    const Graph* m_graph = nullptr;
    std::unordered_set<std::string> m_shown; ///< functions in the graph: their calls show their imports
    std::unordered_set<std::string> m_met;
};

} // namespace

HiddenNames hiddenNames(const GraphModule& model, SavedAs format) {
    Finder finder(model);
    for (const WrittenGraph& graph : writtenGraphs(model, format == SavedAs::GraphModule)) finder.look(graph);
    return std::move(finder.found);
}

std::vector<OutsideCall> callsOutside(const GraphModule& model) {
    std::vector<OutsideCall> found;
    std::unordered_map<std::string_view, std::size_t> known; // a place in `found` + 1, or 0: it reaches nothing
    for (const WrittenGraph& graph : writtenGraphs(model, false))
        for (const Node& node : graph.module->graph.nodes()) {
            if (node.op() != Op::CallFunction) continue;
            const auto [met, isNew] = known.emplace(node.target(), 0);
            const bool isUnknown = node.callable()->opaque && node.target().starts_with("torch.");
            const bool reaches = isNew && ops::reachesOutside(node.target());
            if (isNew && (isUnknown || reaches)) {
                found.push_back({node.target(), reaches, {}});
                met->second = found.size();
            }
            if (met->second && graph.module == &model) found[met->second - 1].nodes.push_back(node.name());
        }
    return found;
}

std::vector<std::string> unreadAttributes(const GraphModule& model, SavedAs format) {
    if (format != SavedAs::Source && format != SavedAs::Folder) return {};
    std::set<std::string> names;
    for (const auto& [name, value] : model.root->attributes)
        if (std::holds_alternative<Argument>(value) && !name.starts_with('_')) names.insert(name);
    for (const Node& node : model.graph.nodes())
        if (node.op() == Op::GetAttr) names.erase(node.target());
    return {names.begin(), names.end()};
}

} // namespace fx
