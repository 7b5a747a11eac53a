// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/graph.h"
#include "core/torchscript/importing/call_frame.h"

namespace fx::script {

/// The inputs of an imported method as placeholders of its graph, and those that the user fixes.
class MethodInputs {
public:
    /// Keeps references to both; `fixed` is that of `ImportOptions`.
    MethodInputs(Graph& graph, const Kwargs& fixed) : m_graph(graph), m_fixed(fixed) {}

    /// Adds the placeholders and sets the inputs of the frame. A fixed input keeps its name, and its value becomes its
    /// default, which the graph asserts. Throws Error{Usage} if `fixed` has an unknown input or an invalid value.
    void add(CallFrame& frame);
    /// The last node that `add` has added.
    NodeId last() const { return m_last; }

    /// Records the inputs that a caller may leave out if they alone decide a condition: `mask is not None`, flags and
    /// texts. Numbers do not count, they are data like tensors.
    void noteDeciding(const Symbol& condition);
    /// The recorded inputs with their defaults.
    const Kwargs& deciding() const { return m_deciding; }

private:
    Symbol placeholder(const CallFrame& frame, std::size_t place, bool mayHaveDefault);
    void guard(NodeId input, const std::string& name, const Argument& value);
    const Argument* fixedValue(std::string_view name) const;

    Graph& m_graph;
    const Kwargs& m_fixed;
    NodeId m_last = kNoNode;
    Kwargs m_deciding;
};

} // namespace fx::script
