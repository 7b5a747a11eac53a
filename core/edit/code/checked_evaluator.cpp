// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/code/checked_evaluator.h"

#include "core/ops/nn_modules.h"
#include "core/python/tracing/body_rules.h"

namespace fx {
namespace {

/// Throws CannotFollow for `nn.ReLU(x)`: a module class of torch.nn called on traced values.
void requireNotModuleClass(const trace::Value& callee, const trace::Values& args, const trace::KeywordValues& kwargs) {
    const auto* function = callee.as<trace::FunctionValue>();
    const auto type = function && trace::anyProxy(args, kwargs) ? ops::findModule(function->path) : std::nullopt;
    if (type) throw trace::CannotFollow(Message("call.module_class", {{"name", type->publicPath()}}));
}

/// Throws CannotFollow for a class or function whose name claims to be PyTorch's but is unknown: `nn.Relu6()`. Such a
/// call records no node that `ops::callProblem` could check.
void requireInPyTorch(const trace::Value& callee, const ops::KnownFunction& isKnown) {
    const auto* function = callee.as<trace::FunctionValue>();
    if (!function || !ops::isMissingFromPyTorch(*function->callable)) return;
    const std::string& name = function->callable->qualifiedName;
    if (!isKnown || !isKnown(name))
        throw trace::CannotFollow(
            Message("call.unknown_function", {{"name", name}, {"near", ops::nearestFunction(name)}}));
}

} // namespace

trace::Value CheckedEvaluator::callValue(const trace::Value& callee, trace::Values args, trace::KeywordValues kwargs) {
    const auto* made = callee.as<trace::Construction>();
    if (const auto type = made ? ops::findModule(made->type->qualifiedName) : std::nullopt)
        throw trace::CannotFollow(Message("call.module_in_code", {{"type", type->publicPath()}}));
    requireNotModuleClass(callee, args, kwargs);
    if (m_tracer.mode() == trace::Tracer::Mode::AsPython) requireInPyTorch(callee, m_isKnown);
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
                                                  python::classesBelow(m_tracer.modules().root())))
            throw trace::CannotFollow(*problem);
}

} // namespace fx
