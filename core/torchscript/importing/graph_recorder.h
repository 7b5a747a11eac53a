// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/ir/graph.h"
#include "core/torchscript/importing/call_frame.h"

#include <functional>
#include <map>

namespace fx::script {

/// Returns the source of a node as torch.fx's `stack_trace` has it; empty if unknown.
std::string sourceOf(const Program& program, const Node& node);

/// Appends the nodes of an import to its graph. Values become arguments: a tensor of the model is read once, an item of
/// a result is taken once.
class GraphRecorder {
public:
    /// Keeps references to both.
    GraphRecorder(Graph& graph, const Progress& progress) : m_graph(graph), m_progress(progress) {}

    /// Counts a node of the script, or an argument. Throws Error{Refused} after two million, and if cancelled.
    void countStep();

    /// Returns a value as an argument of a node. Throws Unsupported if a graph cannot hold it.
    Argument argument(const CallFrame& frame, const Symbol& symbol);
    /// The same where the script passes a tensor: a number that it holds as one becomes one.
    Argument tensorArgument(const CallFrame& frame, const Symbol& symbol);
    /// Returns an argument as the script has it: `x.size()` is a list there, and `x.dtype` a number.
    Argument asInScript(const CallFrame& frame, const Argument& value);

    /// Adds a call of a Python function or operator for a node of the script.
    Symbol call(const CallFrame& frame, const Node& node, std::string_view function, std::vector<Argument> args,
                Kwargs kwargs = {});
    /// Adds a call of a tensor's method for a node of the script.
    Symbol callMethod(const CallFrame& frame, const Node& node, std::string name, std::vector<Argument> args,
                      Kwargs kwargs = {});
    /// Gives a new node its metadata: the module stack of the frame, and the source line of `node` unless it is null.
    NodeId finish(const CallFrame& frame, const Node* node, NodeId id);

    /// Erases nodes after `lastInput` without users and side effects: they only served conditions that are known.
    void dropUnused(NodeId lastInput, const std::function<bool(const std::string& path)>& isPureModule);
    /// The objects of C++ classes that the graph reads, with their paths.
    const std::map<const Object*, std::string>& objects() const { return m_objects; }

private:
    NodeId attributeNode(const CallFrame& frame, const std::string& path);
    NodeId itemNode(const Symbol& part);

    Graph& m_graph;
    const Progress& m_progress;
    std::map<std::string, NodeId> m_attributes;                ///< get_attr nodes, unless erased since
    std::map<std::pair<NodeId, std::int64_t>, NodeId> m_items; ///< getitem nodes, unless erased since
    std::map<const Object*, std::string> m_objects;
    std::size_t m_steps = 0;
};

} // namespace fx::script
