// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/textpasses/graph_objects.h"

#include "core/codegen/python_code.h"
#include "core/ir/lint.h"
#include "core/passes/dead_code.h"
#include "core/python/tracing/module_tree.h"
#include "core/textpasses/graph_functions.h"

#include <algorithm>
#include <utility>

namespace fx::python {

NodeId GraphObject::next(NodeId id) const {
    if (id == kNoNode) return graph->first();
    const auto found = left.find(id);
    return found == left.end() ? graph->next(id) : found->second.second;
}

NodeId GraphObject::prev(NodeId id) const {
    if (id == kNoNode) return graph->last();
    const auto found = left.find(id);
    return found == left.end() ? graph->prev(id) : found->second.first;
}

GraphObjects::GraphObjects(Interpreter& in, GraphModule& model)
    : m_in(in), m_model(model), m_arguments(in), m_nodeMetas(in) {
    addNodeClass();
    addGraphClass();
    addModuleClass();
    Names& names = m_in.run(*m_in.ownFile("torch.fx")).names;
    names.set("Node", m_node);
    names.set("Graph", m_graph);
    names.set("GraphModule", m_type);
    addProxies();
    addTracers();
    addInterpreters(*this);
    addRewriting(*this);
    addSplitting(*this);
    addNormalizing(*this);
    m_module = m_in.modules().wrapModule(m_model.root).as<Instance>();
    m_module->type = classOf(*m_model.root);
    GraphObject* graph = graphFrom({});
    graph->graph = &m_model.graph;
    own(m_module, graph);
}

ArgumentValues::NodeValues GraphObjects::nodesOf(GraphObject& graph) {
    return [&](NodeId id) { return node(graph, id); };
}

GraphObject* GraphObjects::graphOf(const Value& value, const char* function) {
    if (auto* graph = value.as<GraphObject>()) return graph;
    m_in.raise("TypeError", std::string(function) + ": expected a Graph, got " + m_in.repr(value));
}

NodeObject* GraphObjects::nodeOf(const Value& value, const char* function) {
    NodeObject* node = nodeOrRootOf(value, function);
    if (node->id == kNoNode)
        m_in.raise("RuntimeError", std::string(function) + ": the root of a graph is not a node of it");
    return node;
}

NodeObject* GraphObjects::nodeOrRootOf(const Value& value, const char* function) {
    if (auto* node = value.as<NodeObject>()) return node;
    m_in.raise("TypeError", std::string(function) + ": expected a Node, got " + m_in.repr(value));
}

Value GraphObjects::node(GraphObject& graph, NodeId id) {
    const auto make = [&] {
        NodeObject* made = m_in.heap().make<NodeObject>();
        made->type = m_node;
        made->graph = &graph;
        made->id = id;
        return made;
    };
    if (id == kNoNode) return graph.root ? graph.root : graph.root = make();
    if (graph.nodes.size() <= index(id)) graph.nodes.resize(graph.graph->idLimit());
    NodeObject*& known = graph.nodes[index(id)];
    return known ? known : known = make();
}

void GraphObjects::erase(GraphObject& graph, NodeId id) {
    const std::pair<NodeId, NodeId> around{graph.prev(id), graph.next(id)};
    if (graph.graph->node(id).erased()) return;
    graph.graph->erase(id);
    graph.left.emplace(id, around);
    graph.mistakes.erased(id, m_in.stack().here);
}

void GraphObjects::asModel(GraphObject& graph, const std::function<void(GraphModule& model)>& change) {
    if (graph.graph == &m_model.graph) return change(m_model);
    GraphModule around;
    around.root = rootOf(graph);
    around.subgraphs = m_model.subgraphs;
    around.graph = *graph.graph;
    Graph* const own = std::exchange(graph.graph, &around.graph); // what `change` calls sees what was changed so far
    try {
        change(around);
    } catch (...) {
        graph.graph = own;
        throw;
    }
    graph.graph = own;
    *own = std::move(around.graph);
}

bool GraphObjects::eliminateDeadCode(GraphObject& graph) {
    const std::vector<NodeId> before = graph.graph->order();
    bool changed = false;
    asModel(graph, [&](GraphModule& model) { changed = fx::eliminateDeadCode(model) > 0; });
    for (std::size_t i = 0; i < before.size(); ++i)
        if (graph.graph->node(before[i]).erased())
            graph.left.emplace(
                before[i], std::pair(i > 0 ? before[i - 1] : kNoNode, i + 1 < before.size() ? before[i + 1] : kNoNode));
    return changed;
}

/// `eliminate_dead_code(is_impure_node)`: the program says which nodes have effects.
bool GraphObjects::eraseDead(GraphObject& graph, const Value& isImpure) {
    bool changed = false;
    for (NodeId at = graph.prev(kNoNode); at != kNoNode; at = graph.prev(at)) {
        if (m_in.truth(m_in.call(isImpure, {node(graph, at)})) || !graph.graph->node(at).users().empty()) continue;
        erase(graph, at);
        changed = true;
    }
    return changed;
}

void GraphObjects::lint(GraphObject& graph) {
    checkCalls(graph);
    const auto problems = fx::lint(*graph.graph);
    if (problems.empty()) return;
    if (lintExplained) *lintExplained = graph.mistakes.explain(*graph.graph, problems.front());
    m_in.raise("RuntimeError", problems.front().message.text());
}

bool GraphObjects::awaitsRecompile(const Value& module) const {
    const GraphObject& graph = *m_graphs.at(module.as<Instance>());
    if (!graph.compiled) return false;
    const GraphDifference difference = graph.graph->differenceFrom(*graph.compiled);
    return (!difference.nodes.empty() || !difference.places.empty()) &&
           generatePython(*graph.graph).text != generatePython(*graph.compiled).text;
}

bool GraphObjects::isGraphModule(const Value& value) const {
    const auto* instance = value.as<Instance>();
    return instance && m_graphs.contains(instance);
}

GraphModule GraphObjects::modelOf(const Instance& module) {
    GraphObject& graph = *m_graphs.at(&module);
    checkCalls(graph);
    m_nodeMetas.keep(graph);
    GraphModule model;
    model.root = module.module;
    model.className = model.root->className;
    model.subgraphs = m_model.subgraphs;
    model.graph = *graph.graph;
    model.graph.setInsertPoint({});
    model.origin = graph.form;
    return model;
}

void GraphObjects::finish(const Value& result) {
    m_in.modules().syncModules();
    if (const auto& root = result.get<Instance>().module; root && isEndless(*root))
        m_in.raise("RecursionError", "maximum recursion depth exceeded");
    GraphObject& graph = *m_graphs.at(result.as<Instance>());
    checkCalls(graph);
    m_nodeMetas.keep(graph);
    if (result.as<Instance>() != m_module) {
        m_model.root = result.get<Instance>().module;
        m_model.className = m_model.root->className;
    }
    if (graph.graph != &m_model.graph) m_model.graph = *graph.graph;
    m_model.graph.setInsertPoint({});
}

} // namespace fx::python
