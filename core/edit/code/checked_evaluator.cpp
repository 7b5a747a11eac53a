// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/code/checked_evaluator.h"

#include "core/make/body_tracer.h"
#include "core/ops/nn_modules.h"

namespace fx {

trace::Value CheckedEvaluator::callValue(const trace::Value& callee, trace::Values args, trace::KeywordValues kwargs) {
    const auto* made = callee.as<trace::Construction>();
    if (const auto type = made ? ops::findModule(made->type->qualifiedName) : std::nullopt)
        throw trace::CannotFollow(Message("call.module_in_code", {{"type", type->publicPath()}}));
    trace::requireNotModuleClass(callee, args, kwargs);
    if (m_tracer.mode() == trace::Tracer::Mode::AsPython) trace::requireInPyTorch(callee, m_isKnown);
    const std::size_t from = m_tracer.graph().idLimit();
    trace::Value result = Evaluator::callValue(callee, std::move(args), std::move(kwargs));
    check(from);
    return result;
}

trace::Value CheckedEvaluator::callMethod(std::string_view name, const trace::Values& args,
                                          const trace::KeywordValues& kwargs) {
    const std::size_t from = m_tracer.graph().idLimit();
    trace::Value result = Evaluator::callMethod(name, args, kwargs);
    check(from);
    return result;
}

/// The nodes that a call has recorded.
void CheckedEvaluator::check(std::size_t from) const {
    const Graph& graph = m_tracer.graph();
    if (m_tracer.mode() == trace::Tracer::Mode::AsWritten) return;
    for (std::size_t i = from; i < graph.idLimit(); ++i)
        if (const auto problem = ops::callProblem(graph, graph.node(static_cast<NodeId>(i)), m_isKnown,
                                                  trace::classesBelow(m_tracer.modules().root())))
            throw trace::CannotFollow(*problem);
}

} // namespace fx
