// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/match/subgraph_matcher.h"
#include "core/module/graph_module.h"
#include "core/module/pytree_form.h"
#include "core/passes/manager/pass_instrument.h"
#include "core/python/interpreter.h"

#include <functional>
#include <memory>
#include <unordered_map>

namespace fx {
struct SplitAssignment;
}

namespace fx::python {

struct GraphObject;

/// A torch.fx Node as an object of a program.
struct NodeObject : Instance {
    GraphObject* graph = nullptr;
    NodeId id = kNoNode;  ///< kNoNode: the root, which closes the ring of nodes
    Dict* meta = nullptr; ///< what the program notes; made at the first use
    /// What the program has assigned to op and target that the graph cannot hold before the other one follows.
    std::optional<Op> op = {};
    Value target = {};
};

/// An annotation that is no class of its own, such as `typing.List[int]`.
struct TypeObject : Instance {
    TypePtr annotation;
};

/// A torch.fx Graph as an object: the one of the model, or one that the program makes.
struct GraphObject : Instance {
    Graph own;
    Graph* graph = &own;
    std::vector<NodeObject*> nodes; ///< by id; null until asked for
    Instance* owner = nullptr;      ///< the GraphModule whose graph it is
    NodeObject* root = nullptr;
    /// The neighbours of an erased node when it was erased: iteration goes on from there, as torch.fx's does.
    std::unordered_map<NodeId, std::pair<NodeId, NodeId>> left;
    std::unique_ptr<trace::Tracer> tracer; ///< appends to this graph what is done to its proxies
    std::shared_ptr<PytreeForm> form;      ///< of the trace that made it; null for others
    std::shared_ptr<Module> traced;        ///< what that trace followed
    std::string className;                 ///< of the module that was traced

    NodeId next(NodeId id) const;
    NodeId prev(NodeId id) const;
};

/// The classes GraphModule, Graph and Node of torch.fx for one run of a program, and the objects of one model.
class GraphObjects {
public:
    /// `model.root` may be changed in place.
    GraphObjects(Interpreter& in, GraphModule& model);
    GraphObjects(const GraphObjects&) = delete;
    GraphObjects& operator=(const GraphObjects&) = delete;

    /// Nodes that walks over the model's graph leave out; null: none.
    const FrozenNodes* frozen = nullptr;

    Interpreter& in() { return m_in; }
    Instance* module() { return m_module; }
    GraphObject* graphOf(const Value& value, const char* function);
    NodeObject* nodeOf(const Value& value, const char* function);
    Value node(GraphObject& graph, NodeId id); ///< the root for kNoNode

    Argument toArgument(const Value& value);
    Value fromArgument(GraphObject& graph, const Argument& argument) {
        return fromArgument([&](NodeId id) { return node(graph, id); }, argument);
    }
    using NodeValues = std::function<Value(NodeId)>;
    Value fromArgument(const NodeValues& values, const Argument& argument);
    std::vector<Argument> toArguments(const Value& sequence);
    Kwargs toKwargs(const Value& dict);
    Value arguments(GraphObject& graph, const std::vector<Argument>& args);
    Value keywords(GraphObject& graph, const Kwargs& kwargs);
    CallablePtr callableOf(const Value& function);
    Value functionOf(const CallablePtr& callable);

    void erase(GraphObject& graph, NodeId id);
    bool eliminateDeadCode(GraphObject& graph);
    void lint(GraphObject& graph);
    bool isGraphModule(const Value& value) const;
    /// A GraphModule of the program as a model.
    GraphModule modelOf(const Instance& module);
    bool takesNotes = false; ///< traces note where each node was made
    /// The graph of this GraphModule becomes that of the model.
    void finish(const Value& result);

private:
    using Method = std::function<Value(Values& args, Keywords& kwargs)>;
    Class* makeClass(const char* name, std::vector<Class*> above = {});
    void property(Class* type, const char* name, std::function<Value(const Value& self)> get,
                  std::function<void(const Value& self, const Value& value)> set = {});
    void method(Class* type, const char* name, Method body);
    void addNodeClass();
    void addNodeReading();
    void addNodeOrder();
    void addNodeMeta();
    void addNormalizing();
    using NodeMapping = std::function<Value(const Argument& argument)>;
    Value normalized(const Module& root, const Node& node, bool byName, bool isTyped, const NodeMapping& back);
    Value normalizedCall(Op op, const Module& root, const Value& target, const Value& args, const Value& kwargs,
                         bool byName, bool isTyped);
    Dict* metaOf(NodeObject& node);
    Value tensorOf(const ValueInfo& info);
    std::vector<ValueInfo> infosIn(const Value& value) const;
    void keepMeta(GraphObject& graph);
    Value typeObject(const TypePtr& type);
    TypePtr typeIn(const Value& value);
    void addGraphTexts();
    bool eraseDead(GraphObject& graph, const Value& isImpure);
    void addNodeChanges();
    void addNodeCall();
    void setCall(NodeObject& node, Op op, const Value& target);
    Value targetOf(const NodeObject& node);
    void checkCalls(const GraphObject& graph);
    void addGraphClass();
    void addGraphCreation();
    void addNodeList();
    void addProxies();
    void addRewriting();
    Value proxyOf(const NodeObject& node);
    Value mapAggregate(const Value& value, const std::function<Value(const Value&)>& leaf);
    void addInterpreters();
    static bool isInherited(const Instance& self, const Class& base, std::string_view name);
    Value interpret(Instance& self, const Values& args, const Value& initial);
    Value interpretNode(Instance& self, NodeObject& node);
    std::pair<Value, Value> valuesOf(Instance& self, NodeObject& node);
    std::pair<Value, Value> overriddenValuesOf(Instance& self, NodeObject& node);
    Value transformCall(Instance& self, const Value& target, const Value& args, const Value& kwargs);
    void addTracers();
    GraphObject* traceAgain(const Value& module);
    GraphObject* trace(Instance* tracer, const Value& program, const Value& concrete);
    void prepare(Instance& tracer, trace::Tracer& recording, GraphObject& graph, TracerHooks& hooks);
    trace::Tracer::Creator creatorOf(Instance& tracer, GraphObject& graph, bool makesProxies);
    Value argumentOf(GraphObject& graph, const Value& value);
    Function* forwardOf(Instance& module);
    void adoptNested(const Module& root);
    bool followsAny(const Module& root);
    GraphObject* graphFrom(Graph graph);
    GraphObject* copied(GraphObject& graph);
    std::shared_ptr<Module> rootFor(const Value& root, const GraphObject& graph);
    Class* classOf(const Module& root);
    Instance* graphModule(const std::shared_ptr<Module>& root, GraphObject* graph);
    void own(Instance* module, GraphObject* graph);
    const std::shared_ptr<Module>& rootOf(const GraphObject& graph) const;
    /// Calls with the graph as that of a whole model, and takes the graph back.
    void asModel(GraphObject& graph, const std::function<void(GraphModule& model)>& change);
    SplitAssignment assignmentBy(const Value& callback, GraphObject& graph);
    Value proposePartitions(const Values& args);
    Value fusePartitions(const Values& args);
    Value splitModule(Values& args, Keywords& kwargs);
    Value replacePattern(Values& args, Keywords& kwargs, bool filtered);
    Value matchObject(const InternalMatch& match, GraphObject& target, GraphObject& pattern);
    Value bindingOf(const Binding& binding, GraphObject& target);
    Value record(const char* name, Keywords fields);
    void addModuleClass();
    void addModuleTree();
    void addInsertPoint();
    Value insertPoint(GraphObject& graph, InsertPoint point);
    Value created(GraphObject& graph, Op op, const Value& target, Values args, Keywords kwargs);
    Value copied(GraphObject& into, NodeObject& node, const Value& transform);
    Value iterateNodes(GraphObject& graph);
    static std::shared_ptr<Module> moduleAt(const std::shared_ptr<Module>& root, const std::string& path, bool creates);
    static void removeUnused(const std::shared_ptr<Module>& root, const Graph& graph);

    Interpreter& m_in;
    GraphModule& m_model;
    Class *m_node = nullptr, *m_graph = nullptr, *m_nodes = nullptr, *m_point = nullptr, *m_type = nullptr;
    Class *m_interpreter = nullptr, *m_appending = nullptr; ///< Interpreter and GraphAppendingTracer of torch.fx
    Instance* m_module = nullptr;
    std::unordered_map<const Instance*, GraphObject*> m_graphs; ///< of each GraphModule
    std::unordered_map<const Instance*, Value> m_metas;         ///< `meta` of GraphModules, where it was asked for
    /// Of each root; made for the first proxy.
    std::unordered_map<const Module*, std::unique_ptr<trace::ModuleIndex>> m_indexes;
    std::unordered_map<const Object*, ValueInfo> m_infos; ///< of the fake tensors and symbolic numbers in `meta`
    std::unordered_map<const TypeExpr*, TypeObject*> m_annotations;
    std::unordered_map<CallablePtr, Value> m_functions; ///< what programs reach targets by
    Class* m_annotation = nullptr;
    GraphObject* m_recording = nullptr; ///< of the proxy that was made last
    GraphObject* m_open = nullptr;      ///< of the trace that goes on
    Instance* m_holder = nullptr;       ///< the module of which `Tracer.getattr` reads
    bool m_isArgument = false;          ///< inside of `Tracer.create_arg`
    struct Forward {
        std::string code;
        Function* function = nullptr;
    };
    std::unordered_map<const Instance*, Forward> m_forwards; ///< of GraphModules that were followed
};

/// An argument by position or name; unset if it is not given.
Value argumentAt(const Values& args, const Keywords& kwargs, std::size_t at, std::string_view name);

} // namespace fx::python
