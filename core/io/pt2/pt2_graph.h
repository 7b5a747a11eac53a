// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/pt2/pt2_values.h"
#include "core/module/graph_module.h"

#include <deque>

namespace fx {

/// The positions of a graph and its nodes in the document.
struct Pt2GraphAsRead {
    JsonValue graph;
    std::unordered_map<std::uint32_t, JsonValue> nodes; ///< by node id
};
/// Positions of all graphs of a document.
using Pt2GraphsAsRead = std::unordered_map<const GraphModule*, Pt2GraphAsRead>;

/// Returns true for functions whose nodes take all inputs as positional arguments and return one symbolic number
/// (`_SYM_OPS` in PyTorch).
bool isPt2SymbolicOp(std::string_view target);

/// Shared state while building the graphs of one exported program.
struct Pt2Context {
    explicit Pt2Context(const Progress& toReport) : progress(toReport) {}

    const Progress& progress;
    std::vector<std::string> inputNames; ///< from the signature's input_specs; empty if a spec has no name
    Warnings warnings;                   ///< about content that PyTorch cannot load
    std::unordered_map<std::string_view, CallablePtr> callables;
    Pt2GraphsAsRead* asRead = nullptr; ///< filled unless null
};

/// Builds a torch.fx graph from the JSON of a `schema.Graph` exactly as PyTorch's GraphModuleDeserializer does: the
/// same nodes in the same order, the same names, arguments and users.
///
/// Nested graphs become `subgraphs` of the GraphModule; their nesting is bounded by the document's.
class Pt2GraphBuilder {
public:
    /// Keeps references to both arguments, which must outlive the builder.
    Pt2GraphBuilder(GraphModule& module, Pt2Context& context)
        : m_module(module), m_graph(module.graph), m_context(context) {}

    /// Builds the graph. Throws Error{File} for invalid content.
    void build(JsonValue graph);
    /// Returns the node with the value of this serialised name, or kNoNode.
    NodeId node(std::string_view name) const;
    /// The placeholder of each graph input, in order.
    const std::vector<NodeId>& inputs() const { return m_inputs; }

private:
    enum class Form : std::uint8_t { SymbolicOp, HigherOrder, Overload, Function };
    struct Inputs {
        std::vector<Argument> args;
        Kwargs kwargs;
    };

    void input(JsonValue argument, std::size_t place);
    void callNode(JsonValue node);
    CallablePtr callable(std::string_view target);
    std::string nameFor(JsonValue node, Form form, const Callable& callable) const;
    Inputs inputsOf(JsonValue node, Form form, const Callable& callable);
    void outputsOf(JsonValue node, NodeId id);
    void getItems(NodeId producer, JsonValue outputs, std::vector<ValueInfo>& values);
    void getItem(NodeId producer, std::int64_t place, JsonValue name, std::vector<ValueInfo>& values);
    void readMetadata(JsonValue node);
    void output(JsonValue graph);
    void mergeEqualGetItems();

    Argument argument(JsonValue serialized, int depth = 0);
    Argument listArgument(std::string_view tag, JsonValue list);
    Argument scalarArgument(std::string_view tag, JsonValue value);
    Argument constantOfTorch(TorchConstant::Kind kind, const char* name, JsonValue value);
    Argument subgraph(JsonValue value);
    Argument customObject(JsonValue value);
    Argument opaque(JsonValue value, const Message& why);
    NodeId defined(JsonValue name) const;
    Argument symbolic(JsonValue serialized);

    void bind(JsonValue name, NodeId id);
    void setMeta(NodeId id, std::vector<ValueInfo> values);
    void warn(const Message& what, JsonValue where, const std::string& node = {});

    GraphModule& m_module;
    Graph& m_graph;
    Pt2Context& m_context;
    Pt2ValueTable m_values;
    std::unordered_map<std::string_view, NodeId> m_nodes; ///< by serialised name
    std::deque<std::string> m_ownNames;                   ///< names in m_nodes that are not in the document
    std::vector<NodeId> m_inputs;
    std::vector<NodeId> m_graphArguments; ///< get_attr nodes created for the node being read
    NodeMeta m_meta;                      ///< of the node being read, without values
    std::string m_nodeName;               ///< of the node being read, for warnings
};

} // namespace fx
