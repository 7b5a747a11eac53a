// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/const_fold.h"

#include "core/module/call_semantics.h"
#include "core/module/module_editor.h"
#include "core/passes/constants.h"
#include "core/passes/sort_users.h"
#include "core/trace/callables.h"

#include <algorithm>
#include <map>

namespace fx {
namespace {

/// torch.fx `get_unique_attr_name_in_module`, of names that are identifiers.
std::string freeName(const GraphModule& model, std::string name) {
    while (resolvePath(*model.root, name).kind != PathTarget::Kind::Missing) {
        const auto line = name.rfind('_');
        const std::string number = line == std::string::npos ? "" : name.substr(line + 1);
        const bool isNumbered = !number.empty() && number.find_first_not_of("0123456789") == std::string::npos;
        name = isNumbered ? name.substr(0, line + 1) + std::to_string(std::stoul(number) + 1) : name + "_1";
    }
    return name;
}

NodeId firstUser(const Graph& graph, NodeId id) {
    const auto& users = graph.node(id).users();
    return *std::min_element(users.begin(), users.end(), [&](NodeId a, NodeId b) { return graph.isBefore(a, b); });
}

TensorPtr asParameter(const TensorRef& value, bool mayRequireGrad) {
    TensorRef out = value;
    out.isParameter = true;
    out.requiresGrad = mayRequireGrad && (value.dtype == DType::Float32 || value.dtype == DType::Float64 ||
                                          value.dtype == DType::Float16 || value.dtype == DType::BFloat16);
    return std::make_shared<const TensorRef>(std::move(out));
}

/// Puts the values into the model: the only one as a parameter, several into a ParameterList.
class Values {
public:
    Values(const PassRun& run, std::size_t count)
        : m_run(run), m_name(freeName(run.model, "_FX_CONST_FOLDED_ATTRS")), m_isList(count > 1) {}

    /// Returns the path.
    std::string add(TensorPtr value) {
        ModuleEditor editor(m_run.model);
        if (!m_isList) {
            editor.writable("")->parameters.push_back({m_name, std::move(value)});
            return m_name;
        }
        if (m_size == 0) editor.add(m_name, emptyModule("torch.nn.modules.container.ParameterList"));
        Module& list = *editor.writable(m_name);
        const std::string name = std::to_string(m_size++);
        list.parameters.push_back({name, std::move(value)});
        list.attributes.clear();
        list.attributes.emplace_back("_size", Argument(static_cast<std::int64_t>(m_size)));
        return m_name + "." + name;
    }

private:
    const PassRun& m_run;
    std::string m_name;
    bool m_isList;
    std::size_t m_size = 0;
};

/// torch.fx folds what reads a buffer although a call writes into it: what a second run reads is gone then.
void warnOfWritten(const PassRun& run, const ConstantPart& part) {
    const Graph& graph = run.graph();
    std::map<std::string, std::string> writers; // by the path of what they write into
    CallSemantics(*run.model.root).forEachWrite(graph, [&](const Node& writer, NodeId owner) {
        if (graph.node(owner).op() == Op::GetAttr) writers.emplace(graph.node(owner).target(), writer.name());
    });
    for (const NodeId id : writers.empty() ? std::vector<NodeId>() : part.nodes())
        for (const NodeId input : graph.node(id).inputs()) {
            const auto writer = writers.find(graph.node(input).target());
            if (graph.node(input).op() != Op::GetAttr || writer == writers.end()) continue;
            run.warnings.push_back(
                {Message("passes.folded_written", {{"writer", writer->second}, {"tensor", writer->first}}),
                 graph.node(id).name(),
                 {},
                 {}});
        }
}

bool foldConstants(const PassRun& run) {
    const ConstantPart part(run.model, run.settings.texts("skip"));
    if (!part.hasWork()) return false;
    warnOfWritten(run, part);
    Graph& graph = run.graph();
    const std::vector<NodeId>& results = part.results();
    const std::vector<ValueTree> values =
        results.empty() ? std::vector<ValueTree>() : run.engine->values(part.extracted(run.model, results, true));
    if (values.size() != results.size()) throw Error(ErrorKind::Run, Message("passes.value_count"));
    for (std::size_t i = 0; i < results.size(); ++i)
        if (!values[i].tensor)
            throw Error(ErrorKind::Refused, Message("passes.not_a_tensor", {{"node", graph.node(results[i]).name()}}))
                .onNode(graph.node(results[i]).name());
    const std::vector<bool> gradient = gradientNodes(run.model);
    Values folded(run, results.size());
    for (std::size_t i = 0; i < results.size(); ++i) {
        const NodeId id = results[i];
        run.rewrite(id, [&] {
            const std::string path = folded.add(asParameter(*values[i].tensor, gradient[index(id)]));
            graph.setInsertPoint({InsertPoint::Side::Before, firstUser(graph, id)});
            const NodeId made = graph.createNode(Op::GetAttr, path);
            graph.setInsertPoint({});
            graph.setMeta(made, std::make_shared<const NodeMeta>(graph.node(id).meta()));
            graph.replaceAllUses(id, made);
            sortUsers(graph, made);
        });
    }
    eraseConstants(run, part.nodes());
    return true;
}

std::shared_ptr<Module> asModule(GraphModule part) {
    auto module = std::make_shared<Module>(*part.root);
    module->className = "GraphModule", module->classModule = "torch.fx.graph_module";
    auto root = std::make_shared<Module>(*module);
    part.root = std::move(root);
    module->graphModule = std::make_shared<GraphModule>(std::move(part));
    return module;
}

bool splitConstants(const PassRun& run) {
    if (!run.model.lifted.empty()) throw Error(ErrorKind::Refused, Message("passes.exported_modules"));
    const ConstantPart part(run.model, run.settings.texts("skip"));
    if (!part.hasWork()) return false;
    Graph& graph = run.graph();
    const std::vector<NodeId>& results = part.results();
    const auto split = [&] {
        const std::string path = freeName(run.model, "const_subgraph_module");
        {
            ModuleEditor editor(run.model);
            editor.add(path, asModule(part.extracted(run.model, results, false)));
        }
        std::vector<NodeId> users;
        for (const NodeId id : results) users.push_back(firstUser(graph, id));
        const NodeId first =
            *std::min_element(users.begin(), users.end(), [&](NodeId a, NodeId b) { return graph.isBefore(a, b); });
        graph.setInsertPoint({InsertPoint::Side::Before, first});
        const NodeId call = graph.createNode(Op::CallModule, path);
        std::vector<NodeId> made;
        for (std::size_t i = 0; i < results.size() && results.size() > 1; ++i)
            made.push_back(
                graph.callFunction(resolveCallable("operator.getitem"), {call, static_cast<std::int64_t>(i)}));
        graph.setInsertPoint({});
        if (made.empty()) made.push_back(call);
        for (std::size_t i = 0; i < results.size(); ++i) {
            graph.setMeta(made[i], std::make_shared<const NodeMeta>(graph.node(results[i]).meta()));
            graph.replaceAllUses(results[i], made[i]);
            sortUsers(graph, made[i]);
        }
    };
    if (!results.empty() && !run.rewrite(results[0], split)) return false;
    eraseConstants(run, part.nodes());
    return true;
}

} // namespace

Pass constFoldPass() {
    return {"const_fold",
            "computes nodes that depend on no input, and stores their values",
            {{"skip", "names of nodes that are not folded (skip_folding_node_fn)", "[]"}},
            foldConstants,
            {},
            true};
}

Pass splitConstPass() {
    return {"split_const",
            "moves nodes that depend on no input into a module, const_subgraph_module",
            {{"skip", "names of nodes that stay (skip_folding_node_fn)", "[]"}},
            splitConstants,
            {}};
}

} // namespace fx
