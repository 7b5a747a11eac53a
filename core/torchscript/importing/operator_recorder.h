// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/torchscript/importing/constant_attributes.h"
#include "core/torchscript/importing/graph_recorder.h"

namespace fx::script {

/// Records operators of a script as Python has them: functions on numbers, operators of the dispatcher and of other
/// libraries, methods and attributes of tensors. Known results are computed instead.
class OperatorRecorder {
public:
    /// Keeps references to all arguments.
    OperatorRecorder(const Graph& graph, GraphRecorder& recorder, const ConstantAttributes& constants)
        : m_graph(graph), m_recorder(recorder), m_constants(constants) {}

    /// Sets the results of a node, which calls an operator. Returns false if Python has no equivalent.
    bool record(CallFrame& frame, const Node& node);

private:
    bool recordIdentity(CallFrame& frame, const Node& node);
    bool recordSize(CallFrame& frame, const Node& node);
    bool recordNumbers(CallFrame& frame, const Node& node);
    bool recordOperator(CallFrame& frame, const Node& node);
    std::optional<Argument> constantOperand(const CallFrame& frame, const Node& node) const;
    bool recordForeign(CallFrame& frame, const Node& node);
    bool recordScriptOnly(CallFrame& frame, const Node& node);

    const Graph& m_graph;
    GraphRecorder& m_recorder;
    const ConstantAttributes& m_constants;
};

} // namespace fx::script
