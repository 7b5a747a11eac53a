// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"
#include "core/module/pytree_form.h"
#include "core/passes/manager/pass_instrument.h"
#include "core/textpasses/argument_values.h"
#include "core/textpasses/node_metas.h"
#include "core/textpasses/pass_mistakes.h"

#include <functional>
#include <memory>
#include <unordered_map>

namespace fx::python {

struct GraphObject;

/// A torch.fx Node as a Python object of the interpreter.
struct NodeObject : Instance {
    GraphObject* graph = nullptr; ///< the graph that has the node
    NodeId id = kNoNode;          ///< kNoNode: the root of the ring of nodes
    Dict* meta = nullptr;         ///< entries set by the program; created on first use
    /// A new op or target that the program has assigned; the graph cannot hold one before the other is assigned, too.
    std::optional<Op> op = {};
    Value target = {};
};

/// An annotation that is not a class, such as `typing.List[int]`.
struct TypeObject : Instance {
    TypePtr annotation;
};

/// A torch.fx Graph as a Python object: the model's graph, or one created by the program.
struct GraphObject : Instance {
    Graph own;                      ///< used by graphs that the program creates
    Graph* graph = &own;            ///< `own`, or the graph of the model
    std::vector<NodeObject*> nodes; ///< by node id; null until requested
    Instance* owner = nullptr;      ///< the GraphModule that has this graph
    NodeObject* root = nullptr;     ///< null until requested
    /// The neighbours of each erased node at the time; iteration continues from there, as in torch.fx.
    std::unordered_map<NodeId, std::pair<NodeId, NodeId>> left;
    std::unique_ptr<trace::Tracer> tracer; ///< appends operations on the graph's proxies to this graph
    std::shared_ptr<PytreeForm> form;      ///< of the trace that created the graph; else null
    std::shared_ptr<Module> traced;        ///< the module that was traced
    std::string className;                 ///< class name of the traced module
    PassMistakes mistakes;
    std::optional<Graph> compiled; ///< the graph of a GraphModule that its code is of

    /// Returns the next node, also of an erased one; kNoNode at the end.
    NodeId next(NodeId id) const;
    /// Returns the previous node, also of an erased one; kNoNode at the beginning.
    NodeId prev(NodeId id) const;
};

/// The classes GraphModule, Graph and Node of torch.fx in one run of a program, and the objects of one model.
class GraphObjects {
public:
    /// `in` and `model` must outlive this object. The program may change `model.root` in place.
    GraphObjects(Interpreter& in, GraphModule& model);
    GraphObjects(const GraphObjects&) = delete;
    GraphObjects& operator=(const GraphObjects&) = delete;

    /// Nodes that iteration over the model's graph skips; null: none.
    const FrozenNodes* frozen = nullptr;

    /// The interpreter of the program.
    Interpreter& in() { return m_in; }
    /// The model as a GraphModule object.
    Instance* module() { return m_module; }
    /// Returns the Graph that `value` is; raises a Python TypeError that names `function` for other values.
    GraphObject* graphOf(const Value& value, const char* function);
    /// Returns the Node that `value` is; raises a Python error that names `function` for other values and the root.
    NodeObject* nodeOf(const Value& value, const char* function);
    /// As `nodeOf`, but also accepts the root of a graph, which precedes the first node and has no id.
    NodeObject* nodeOrRootOf(const Value& value, const char* function);
    Value node(GraphObject& graph, NodeId id); ///< Returns the object of a node; the root for kNoNode.

    /// Returns the objects of the nodes of a graph.
    ArgumentValues::NodeValues nodesOf(GraphObject& graph);
    ArgumentValues& arguments() { return m_arguments; } ///< The values of arguments, targets and annotations.

    /// Returns a Graph that has `graph`.
    GraphObject* graphFrom(Graph graph);
    /// Returns a copy of a Graph, with the `meta` of its nodes.
    GraphObject* copied(GraphObject& graph);
    /// Adds a node; the arguments are those of torch.fx's `create_node` after the target.
    Value created(GraphObject& graph, Op op, const Value& target, Values args, Keywords kwargs);
    Value proxyOf(const NodeObject& node);                                   ///< Returns a Proxy of a node.
    Value targetOf(const NodeObject& node);                                  ///< Returns `node.target`.
    Class* nodeClass() { return m_node; }                                    ///< The class of nodes.
    GraphModule& model() { return m_model; }                                 ///< The model itself.
    GraphObject& graphOf(Instance& module) { return *m_graphs.at(&module); } ///< The graph of a GraphModule.
    /// The module that has the graph, or was traced as it.
    const std::shared_ptr<Module>& rootOf(const GraphObject& graph) const;
    /// Returns a GraphModule with this root and graph.
    Instance* graphModule(const std::shared_ptr<Module>& root, GraphObject* graph);
    void own(Instance* module, GraphObject* graph); ///< Gives a GraphModule a graph.
    void adoptNested(const Module& root); ///< Makes the GraphModules among the children objects of that class.
    /// Calls `change` with the graph as part of a whole model, and takes the graph back.
    void asModel(GraphObject& graph, const std::function<void(GraphModule& model)>& change);
    /// torch.fx `Tracer.trace`; `tracer` is null for torch.fx's own.
    GraphObject* trace(Instance* tracer, const Value& program, const Value& concrete);
    /// Keeps a part of torch.fx that refers to these objects as long as they live.
    void keep(std::shared_ptr<const void> part) { m_parts.push_back(std::move(part)); }

    /// Erases a node and remembers its neighbours for iterators.
    void erase(GraphObject& graph, NodeId id);
    /// Runs `fx::eliminateDeadCode` on the graph; returns true if it erased nodes.
    bool eliminateDeadCode(GraphObject& graph);
    /// Raises a Python RuntimeError for the first problem that lint finds.
    void lint(GraphObject& graph);
    /// Receives what led to the problem that `lint` raises; may be null.
    std::optional<PassMistakes::Explanation>* lintExplained = nullptr;
    /// True if the code of a GraphModule is not that of its graph, because `recompile` was not called.
    bool awaitsRecompile(const Value& module) const;
    /// True for an instance of GraphModule.
    bool isGraphModule(const Value& value) const;
    /// Returns a GraphModule of the program as a model.
    GraphModule modelOf(const Instance& module);
    bool takesNotes = false; ///< true: traces record where each node was created
    /// Replaces the model's graph by that of `result`, a GraphModule, and also its root if `result` is another module.
    void finish(const Value& result);

private:
    void addNodeClass();
    void addNodeReading();
    void addNodeOrder();
    void addNodeMeta();
    void addGraphTexts();
    bool eraseDead(GraphObject& graph, const Value& isImpure);
    void addNodeChanges();
    void addNodeCall();
    void setCall(NodeObject& node, Op op, const Value& target);
    void checkCalls(const GraphObject& graph);
    void addGraphClass();
    void addGraphCreation();
    void addNodeList();
    void addProxies();
    void addTracers();
    GraphObject* traceAgain(const Value& module);
    void prepare(Instance& tracer, trace::Tracer& recording, GraphObject& graph, TracerHooks& hooks);
    trace::Tracer::Creator creatorOf(Instance& tracer, GraphObject& graph, bool makesProxies);
    Value argumentOf(GraphObject& graph, const Value& value);
    Function* forwardOf(Instance& module);
    bool followsAny(const Module& root);
    std::shared_ptr<Module> rootFor(const Value& root, const GraphObject& graph);
    Class* classOf(const Module& root);
    void addModuleClass();
    void addModuleTree();
    void addInsertPoint();
    Value insertPoint(GraphObject& graph, InsertPoint point);
    Value copied(GraphObject& into, NodeObject& node, const Value& transform);
    Value iterateNodes(GraphObject& graph);

    Interpreter& m_in;
    GraphModule& m_model;
    ArgumentValues m_arguments;
    NodeMetas m_nodeMetas;
    Class *m_node = nullptr, *m_graph = nullptr, *m_nodes = nullptr, *m_point = nullptr, *m_type = nullptr;
    Instance* m_module = nullptr;
    std::unordered_map<const Instance*, GraphObject*> m_graphs; ///< by GraphModule
    std::unordered_map<const Instance*, Value> m_metas;         ///< `meta` of GraphModules, created on first use
    /// By root; created for the first proxy.
    std::unordered_map<const Module*, std::unique_ptr<trace::ModuleIndex>> m_indexes;
    GraphObject* m_recording = nullptr; ///< graph of the latest proxy
    GraphObject* m_open = nullptr;      ///< graph of the current trace
    Instance* m_holder = nullptr;       ///< the module from which `Tracer.getattr` reads
    bool m_isArgument = false;          ///< true inside `Tracer.create_arg`
    struct Forward {
        std::string code;
        Function* function = nullptr;
    };
    std::unordered_map<const Instance*, Forward> m_forwards; ///< by traced GraphModule
    std::vector<std::shared_ptr<const void>> m_parts;
};

} // namespace fx::python
