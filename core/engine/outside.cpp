// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/outside.h"

#include "core/engine/run_value.h"
#include "core/ops/reach.h"

#include <torch/csrc/jit/runtime/operator.h>
#include <torch/custom_class_detail.h>

#include <mutex>
#include <stdexcept>
#include <string>

namespace fx::engine {
namespace {

std::mutex g_mutex; ///< a script may wait for others, on threads of LibTorch
std::optional<fx::Error> g_refusal;

thread_local bool t_inferenceOnly = false;

fx::Error refusal(std::string_view name, ops::Reach reach) {
    return fx::Error(ErrorKind::Refused, ops::refusalOf(name, reach));
}

/// Gives the operator another implementation, which fails.
void disarm(const torch::jit::Operator& op, const std::string& name, ops::Reach reach) {
    const c10::FunctionSchema schema = op.schema();
    const c10::AliasAnalysisKind aliases = op.aliasAnalysisKind();
    torch::jit::Operation fail = [name, reach](torch::jit::Stack&) {
        const fx::Error why = refusal(name, reach);
        const std::lock_guard lock(g_mutex);
        g_refusal = why;
        throw std::runtime_error(why.what());
    };
    torch::jit::deregisterOperator(schema);
    torch::jit::registerOperator(schema.is_vararg() || schema.is_varret()
                                     ? torch::jit::Operator(c10::toString(schema), std::move(fail), aliases)
                                     : torch::jit::Operator(schema.name(), schema.overload_name(), schema.arguments(),
                                                            schema.returns(), std::move(fail), aliases));
}

/// Takes the methods of C++ classes that reach outside, so that scripts can neither make such objects nor call them.
void disarmClasses() {
    for (const c10::FunctionSchema& method : torch::customClassSchemasForBCCheck()) {
        const auto type = method.arguments().empty() ? nullptr : method.arguments()[0].type()->cast<c10::ClassType>();
        if (!type || !type->name() || ops::isHarmlessClass(type->name()->qualifiedName())) continue;
        while (!type->methods().empty()) type->unsafeRemoveMethod(type->methods().front()->name());
    }
}

} // namespace

void refuseOutside(std::string_view name) {
    if (const auto reach = ops::reachesOutside(name)) throw refusal(name, *reach);
}

void disarmScriptOperators() {
    static const bool done = [] {
        for (std::size_t i = 0; i < ops::operatorCount(); ++i) {
            const ops::Operator known = ops::operatorAt(i);
            const auto reach = ops::reachesOutside(known);
            if (!reach) continue;
            const std::string name(known.name());
            const auto all = torch::jit::getAllOperatorsFor(c10::Symbol::fromQualString(name)); // which this changes
            for (const auto& op : all) // those without an operation hold graphs, which only LibTorch can make
                if (op->hasOperation() && op->schema().overload_name() == known.overload()) disarm(*op, name, *reach);
        }
        disarmClasses();
        return true;
    }();
    static_cast<void>(done);
}

std::optional<fx::Error> takeRefusal() {
    const std::lock_guard lock(g_mutex);
    return std::exchange(g_refusal, std::nullopt);
}

InferenceOnly::InferenceOnly(bool active) : m_outer(std::exchange(t_inferenceOnly, t_inferenceOnly || active)) {}
InferenceOnly::~InferenceOnly() { t_inferenceOnly = m_outer; }

bool InferenceOnly::active() { return t_inferenceOnly; }

void InferenceOnly::refuse(std::string_view what) {
    if (t_inferenceOnly) throw runError(Message("engine.not_inferred", {{"what", what}}));
}
void InferenceOnly::refuseImpure(std::string_view name) {
    if (t_inferenceOnly) refuse(std::string(name) + ", which may do more than compute");
}

} // namespace fx::engine
