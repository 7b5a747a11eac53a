// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/argument.h"
#include "core/pysrc/parser.h"
#include "core/trace/evaluator.h"

#include <initializer_list>
#include <optional>
#include <string_view>

namespace fx {

/// Evaluates expressions in the scope of imports ("import torch"), without a model. Throws like the Evaluator.
class ExpressionEvaluator {
public:
    /// Executes the import statements.
    explicit ExpressionEvaluator(std::initializer_list<std::string_view> imports);
    /// Evaluates `expression`, which must outlive the value. The value is valid until the next call.
    trace::Value evaluate(std::string_view expression);
    /// The graph that records calls that cannot be computed.
    const Graph& graph() const { return m_graph; }
    trace::Tracer& tracer() { return m_tracer; } ///< the tracer of the evaluator

private:
    Graph m_graph;
    Module m_noModules;
    trace::ModuleIndex m_index{m_noModules};
    trace::Tracer m_tracer{m_graph, m_index, trace::Tracer::Mode::AsPython};
    trace::Evaluator m_evaluator{m_tracer};
    std::optional<py::Parser> m_parser; ///< owns the syntax tree that a generator value still evaluates
};

/// Evaluates Python text: `torch.float32`, `inf`, `(1+2j)`, `device('cpu')`, `slice(0, 2)`, `[1, 2]`. Throws
/// Error{Refused} for text that is not a plain value.
Argument valueFromSource(std::string_view source);

} // namespace fx
